// `nuke`: every order taken back, every position closed, every task cancelled. What `halt --flatten` does, and the account goes on afterwards.

import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import { needsYes, takeYes } from '../account/confirmation.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { takeFlag } from '../kit/read-arguments.ts'
import { accountsWords, flatten, reportFlat, requireMeantFlat } from '../session/flatten.ts'
import { cancelTasks, liveTasks, NO_TASKS, nameOf, printTasks } from './nuke-tasks.ts'

/** So long an order of a task may come before what is open is closed. */
const TASKS_FIRST_MS = 1_000

type Need = 'accounts' | 'connect' | 'guards' | 'tasks'

export const nuke: SingleCommand<Need> = {
  name: 'nuke',
  group: 'trading',
  usage: '[positions] [--everywhere] [--yes]',
  summary: 'cancel every order, close every position at the market and cancel every task of the account',
  where: 'anywhere',
  sends: true,
  immediate: true,
  examples: [
    { line: 'nuke', meaning: 'asks first; the account still takes orders, `halt --flatten` halts it too' },
    {
      line: 'nuke positions --yes',
      meaning: 'leaves tasks alone, and does not ask; scripts, hooks and pages need `--yes`',
    },
    { line: 'nuke --everywhere --dry', meaning: 'what it would send, on every account' },
  ],
  complete: () => ['positions', '--everywhere', '--yes'],
  check: checkInHook,
  async run(context, args) {
    const wanted = readNuke(args)
    const names = accountsMeant(context, wanted)
    const isDry = context.orderedBy().isDry === true
    if (!isDry && !wanted.isSure) await ask(context, wanted, names)
    const left = (await Promise.all(names.map((name) => nukeOne(context, name, wanted, isDry)))).flat()
    if (!isDry) {
      const what = {
        accounts: names.length === 1 ? names[0] : 'all',
        ...(wanted.onlyPositions ? { positions: true } : {}),
      }
      await context.audit('nuke', { ...what, left })
    }
    for (const line of left) context.out.error(line)
    if (left.length === 0) return
    throw new CommandError('not-flat', 'some orders or positions are still open', {
      hint: 'type `nuke` again, or close it at the exchange',
    })
  },
}

interface Wanted {
  /** Tasks go on. */
  readonly onlyPositions: boolean
  readonly everywhere: boolean
  readonly isSure: boolean
}

function readNuke(args: readonly Argument[]): Wanted {
  const yes = takeYes(args)
  const everywhere = takeFlag(yes.rest, '--everywhere')
  const isPositions = (argument: Argument) => argument.kind === 'word' && argument.text.toLowerCase() === 'positions'
  const [first, second] = everywhere.rest
  const extra = first !== undefined && isPositions(first) ? second : first
  if (extra !== undefined) {
    const hint = 'type nuke, nuke positions or nuke --everywhere; `close` and `cancel` take names'
    const message = `unexpected ${shown(printArgument(extra))}`
    throw new LanguageError('unexpected-argument', message, extra.column, hint)
  }
  return { onlyPositions: first !== undefined, everywhere: everywhere.given, isSure: yes.isSure }
}

/** A hook that would be refused when it fires is refused when it is made. */
function checkInHook(args: readonly Argument[]): void {
  const { everywhere, isSure } = readNuke(args)
  if (everywhere) throw notFrom('hook')
  if (!isSure) throw needsYes('a hook cannot ask', 'nuke --yes')
}

function notFrom(source: string): CommandError {
  return new CommandError('not-allowed-here', `a ${source} flattens only the account that it trades on`, {
    hint: 'leave `--everywhere` out',
  })
}

/** A hook or a page closes what it trades on, and nothing else. */
function accountsMeant(
  { ports, source, accountName }: CommandContext<Need>,
  { everywhere }: Wanted,
): readonly string[] {
  if (!everywhere) return [accountName]
  if (!mayRun('trusted', source)) throw notFrom(source)
  return ports.accounts.list().map(({ name }) => name)
}

/** @throws as `requireMeantFlat` */
function ask(context: CommandContext<Need>, wanted: Wanted, names: readonly string[]): Promise<void> {
  const tasks = wanted.onlyPositions ? '' : ' and cancel every task'
  const what = `cancel every order, close every position at the market${tasks} of ${accountsWords(names)}`
  const flags = `${wanted.onlyPositions ? ' positions' : ''}${wanted.everywhere ? ' --everywhere' : ''}`
  return requireMeantFlat(context, what, `nuke${flags} --yes`)
}

/**
 * What could place an entry ends first, so that it places nothing again; what protects a position ends after that is closed, and stays where it
 * could not be.
 * @returns what is not done, one line each
 */
async function nukeOne(
  context: CommandContext<Need>,
  name: string,
  { onlyPositions }: Wanted,
  isDry: boolean,
): Promise<readonly string[]> {
  const live = async () => (onlyPositions ? NO_TASKS : liveTasks(context, name))
  const { adding, protective, doubts } = await live()
  if (isDry || context.ports.guards.read(name).simulated) {
    printTasks(context, [...adding, ...protective])
    return [...doubts, ...(await flatten(context, name, { isSimulated: true }))]
  }
  let hadOpen = false
  const onOpen = () => {
    hadOpen = true
  }
  const left = [...(await flattenBesides(context, name, cancelTasks(context, adding), onOpen)), ...doubts]
  const stays = (await live()).protective
  if (left.length > doubts.length) {
    const stay = stays.map(
      (task) => `account ${printable(name, 40)}: ${nameOf(task)} continues: it protects an open position`,
    )
    return [...left, ...stay]
  }
  const kept = [...(await cancelTasks(context, stays)), ...doubts]
  if (kept.length > 0) return kept
  await reportFlat(context, name, hadOpen)
  return kept
}

/** What is open is not kept open by a task that is slow to end; what that has done meanwhile is closed too. @returns what is not done */
async function flattenBesides(
  context: CommandContext<Need>,
  name: string,
  canceling: Promise<readonly string[]>,
  onOpen: () => void,
): Promise<readonly string[]> {
  const { clock, signal } = context
  const limit = new AbortController()
  const late = clock.delay(TASKS_FIRST_MS, AbortSignal.any([signal, limit.signal])).then(() => 'late' as const)
  const first = await Promise.race([canceling, late]).finally(() => limit.abort())
  const left = await flatten(context, name, { onOpen })
  if (first !== 'late') return [...first, ...left]
  return [...(await canceling), ...(await flatten(context, name, { onOpen }))]
}
