// `resume` (behaviours 19, 30 and 40): only the terminal lets things go on after `panic`, `halt` and a limit that set an account to reducing.
import { printable } from '../../language/printable.ts'
import { type EndedState, fromWhom } from '../../stores/guards.ts'
import { showMoment } from '../../trading/figures.ts'
import { requireAccount } from '../account/account-name.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { shortTaskId, taskName } from '../tasks/task-words.ts'
import { holdLoss } from './guards.ts'
import { countOf, warnOfArmed } from './panic.ts'

type Need = 'panic' | 'guards' | 'accounts' | 'tasks' | 'guardBook'

export const resume: SingleCommand<Need> = {
  name: 'resume',
  neverGuessed: true,
  group: 'session',
  usage: '[account]',
  summary: 'end `panic`, `halt` and `halt --reducing`; what they stopped stays stopped',
  where: 'trusted',
  immediate: true,
  examples: [
    { line: 'resume', meaning: 'hooks and pages run commands again, and every account takes orders' },
    { line: 'resume paper', meaning: 'this account takes orders again; panic stays on' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : []),
  async run(context, args) {
    const name =
      args.length === 0
        ? undefined
        : requireAccount(context.ports.accounts, args, 'type `resume`: it ends panic and every halt')
    refuseMoreThan(1, args)
    const isPanicOver = name === undefined && (await endPanic(context))
    const ended = await context.ports.guards.release(name)
    if (ended.length > 0) await context.audit('resume guards', { ended })
    for (const state of ended) {
      const rows = context.ports.accounts
        .list()
        .filter((row) => state.account === undefined || row.name === state.account)
      const lost = await Promise.all(rows.map((row) => holdLoss(context, row)))
      if (!lost.includes(true)) context.out.success(describeEnd(state))
      else if (state.account === undefined) context.out.success(describeEnd(state, 'accounts are no longer halted'))
    }
    warnOfPaused(context, ended)
    if (isPanicOver) warnOfArmed(context, ['is', 'are'], ' active again')
    if (!isPanicOver && ended.length === 0) {
      context.out.info(
        name === undefined ? 'panic is not on, and no account is halted' : `account ${name} is not halted`,
      )
    }
    if (name !== undefined) warnOfRemaining(context)
  },
}

async function endPanic(context: CommandContext<Need>): Promise<boolean> {
  const ended = await context.ports.panic.end()
  if (ended === undefined) return false
  await context.audit('resume', { since: ended.since, begunBy: ended.by })
  context.out.success(`panic is off (turned on ${fromWhom(printable(ended.by, 80))}${atTime(ended.since)})`)
  return true
}

/** `account paper can trade again (halted from a terminal at 2026-11-23 03:22:15)`. */
function describeEnd(
  { account, state, since, by }: EndedState,
  what = `${account === undefined ? 'all accounts' : `account ${printable(account, 40)}`} can trade again`,
): string {
  const source = by === undefined ? '' : ` ${fromWhom(printable(by, 80))}`
  return `${what} (${state === 'reducing' ? 'restricted' : state}${source}${atTime(since)})`
}

const SHOWN_PAUSED = 5

/** What a halt paused waits for a line of its own. */
function warnOfPaused({ ports, out }: CommandContext<Need>, ended: readonly EndedState[]): void {
  const paused = ports.tasks.list().filter((task) => {
    const isOfAccount = ended.some(({ account }) => account === undefined || account === task.account)
    return isOfAccount && task.status === 'running' && task.paused === true && task.pausedFor === 'halt'
  })
  for (const task of paused.slice(0, SHOWN_PAUSED)) {
    out.warn(`${taskName(task)} is still paused; \`tasks resume ${shortTaskId(task)}\``)
  }
  const rest = paused.length - SHOWN_PAUSED
  if (rest > 0) out.warn(`${countOf(rest, 'more task')} ${rest === 1 ? 'is' : 'are'} still paused: see \`tasks\``)
}

/** @param time ms since the epoch; 0, undefined: unknown */
function atTime(time: number | undefined): string {
  return time === undefined || time === 0 ? '' : ` at ${showMoment(time)}`
}

/** A stop of all accounts outlasts the release of one. */
function warnOfRemaining({ ports, out }: CommandContext<Need>): void {
  const { state = 'active' } = ports.guards.readAll()
  if (state !== 'active') out.warn(`every account is still ${state}; \`resume\` ends it`)
  if (ports.panic.read() !== undefined) out.warn('panic is still on; `resume` ends it')
}
