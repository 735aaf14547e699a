// `halt` (behaviours 19 and 40): from anywhere, nothing is sent any more but cancels, closes and what only reduces. Only the terminal ends it.
import type { Argument } from '../../language/chain.ts'
import { printArgument } from '../../language/print.ts'
import { printable } from '../../language/printable.ts'
import { StoreError } from '../../stores/store-error.ts'
import { requireAccount } from '../account/account-name.ts'
import { needsYes, takeYes } from '../account/confirmation.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { takeFlag } from '../kit/read-arguments.ts'
import { accountsWords, flatten, reportFlat, requireMeantFlat } from './flatten.ts'
import { reportRemaining, speaker } from './panic.ts'

type Need = 'guards' | 'accounts' | 'connect' | 'runs'

export const halt: SingleCommand<Need> = {
  name: 'halt',
  group: 'session',
  usage: '[account] [--flatten [--yes] | --reducing]',
  summary: 'send only cancels, `close` and reduce-only orders, on one account or all, until `resume`',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'halt', meaning: 'every account; orders and positions stay as they are' },
    { line: 'halt paper', meaning: 'only this one' },
    {
      line: 'halt --flatten',
      meaning: 'first cancels every order and closes every position at the market; asks, unless `--yes` is there',
    },
    { line: 'halt --reducing', meaning: 'only orders that shrink a position pass' },
  ],
  complete: ({ words, accounts }) => [
    ...(words.length === 0 ? accounts : []),
    '--flatten',
    '--reducing',
    ...(words.includes('--flatten') ? ['--yes'] : []),
  ],
  check: checkInHook,
  async run(context, args) {
    const { account, flattens, reduces, isSure } = readHalt(context, args)
    const { guards } = context.ports
    const by = speaker(context)
    const who = account === undefined ? 'every account' : `account ${printable(account, 40)}`
    if (context.orderedBy().isDry === true) return foretell(context, { account, flattens, reduces }, who)
    if (reduces) {
      requireActive(context, account, who)
      const unsaved = await saving(context, guards.restrict(account, 'reducing', by))
      context.out.warn(`${who} takes only orders that reduce a position, until you type \`resume\` in a terminal`)
      await context.audit('halt', { account: account ?? 'all', reducing: true })
      if (unsaved !== undefined) throw unsaved
      return
    }
    if (flattens && !isSure) await ask(context, account)
    const left = flattens ? await flattenFirst(context, account, by) : []
    const unsaved = await saving(context, guards.restrict(account, 'halted', by))
    context.out.warn(
      `${who} is halted: until you type \`resume\` in a terminal, only cancels, \`close\` and reduce-only orders are sent`,
    )
    await context.audit('halt', { account: account ?? 'all', ...(flattens ? { flatten: true, left } : {}) })
    for (const line of left) context.out.error(line)
    if (unsaved !== undefined) throw unsaved
    if (left.length === 0) return
    throw new CommandError('not-flat', 'some orders or positions are still open', {
      hint: 'type `halt --flatten` again, or close it at the exchange',
    })
  },
}

interface Wanted {
  /** undefined: all. */
  readonly account: string | undefined
  readonly flattens: boolean
  readonly reduces: boolean
  readonly isSure: boolean
}

/** The line of a hook or a task. One that was stored before `--yes` flattens as it did: what it was made for is an emergency. */
function isStored({ source, by }: CommandContext<Need>): boolean {
  return source === 'hook' || (source === 'exec' && by.origin !== undefined)
}

/** What is stored from now on says that it is meant. */
function checkInHook(args: readonly Argument[]): void {
  if (takeFlag(args, '--flatten').given && !takeYes(args).isSure) throw needsYes('a hook cannot ask', flattenLine(args))
}

function flattenLine(args: readonly Argument[]): string {
  return ['halt', ...args.map(printArgument), '--yes'].join(' ')
}

function readHalt(context: CommandContext<Need>, args: readonly Argument[]): Wanted {
  const yes = takeYes(args)
  const flatten = takeFlag(yes.rest, '--flatten')
  const reducing = takeFlag(flatten.rest, '--reducing')
  if (flatten.given && reducing.given) {
    throw new CommandError('unexpected-argument', '`--flatten` leaves nothing to reduce', {
      hint: 'type `halt --flatten` or `halt --reducing`',
    })
  }
  const { accounts } = context.ports
  // A hook or a page hears of no other account's name.
  const known = mayRun('trusted', context.source) ? accounts : { find: (name: string) => accounts.find(name) }
  const account = reducing.rest.length === 0 ? undefined : requireAccount(known, reducing.rest, everyHint(args))
  return { account, flattens: flatten.given, reduces: reducing.given, isSure: yes.isSure }
}

/** `halt all`. */
function everyHint(args: readonly Argument[]): string {
  const options = args.flatMap((each) => (each.kind === 'word' && each.text.startsWith('--') ? [each.text] : []))
  return `type \`${['halt', ...options].join(' ')}\`: without a name it is every account`
}

/** In a preview: what would be closed or stays, and what is refused from then on. */
async function foretell(
  context: CommandContext<Need>,
  { account, flattens, reduces }: Omit<Wanted, 'isSure'>,
  who: string,
) {
  if (reduces) requireActive(context, account, who)
  const names = accountsMeant(context, account)
  if (flattens) {
    requireOwn(context, account)
    for (const left of (await Promise.all(names.map((name) => flatten(context, name, { isSimulated: true })))).flat())
      context.out.error(left)
  } else {
    const remark = (orders: number) => (orders === 0 ? '' : '; what rests may still fill')
    const report = (name: string) => reportRemaining(context.out, name, () => context.ports.connect(name), remark)
    await Promise.all(names.map(report))
  }
  const passes = reduces ? 'only orders that reduce a position' : 'only cancels, `close` and reduce-only orders'
  context.out.info(`${who} sends ${passes} from then on`)
}

/** What holds already is not loosened here. */
function requireActive({ ports }: CommandContext<Need>, account: string | undefined, who: string): void {
  const states = [
    ports.guards.readAll(),
    ...ports.guards.list().filter((row) => account === undefined || row.account === account),
  ]
  if (states.every(({ state }) => state !== 'halted')) return
  throw new CommandError('halted', `${who} is halted, which allows less than reducing`, {
    hint: 'type `resume` in the terminal first',
  })
}

/** @throws as `requireMeantFlat`, `requireOwn` */
async function ask(context: CommandContext<Need>, account: string | undefined): Promise<void> {
  requireOwn(context, account)
  if (isStored(context)) return
  const what = `cancel every order, close every position at the market and halt ${accountsWords(accountsMeant(context, account))}`
  const name = account === undefined ? '' : ` ${account}`
  await requireMeantFlat(context, what, `halt${name} --flatten --yes`)
}

/** While it goes on nothing adds to a position. A hook or page closes what it trades on, and nothing else. */
async function flattenFirst(
  context: CommandContext<Need>,
  account: string | undefined,
  by: string,
): Promise<readonly string[]> {
  requireOwn(context, account)
  // Said once, with the halt itself.
  await saving(undefined, context.ports.guards.restrict(account, 'reducing', by))
  const left = await Promise.all(accountsMeant(context, account).map((name) => flattenOne(context, name)))
  return left.flat()
}

async function flattenOne(context: CommandContext<Need>, name: string): Promise<readonly string[]> {
  let hadOpen = false
  const left = await flatten(context, name, {
    onOpen() {
      hadOpen = true
    },
  })
  if (left.length === 0) await reportFlat(context, name, hadOpen)
  return left
}

/** @throws {CommandError} `not-allowed-here` */
function requireOwn({ source, accountName }: CommandContext<Need>, account: string | undefined): void {
  if (mayRun('trusted', source) || account === undefined || account === accountName) return
  throw new CommandError('not-allowed-here', `a ${source} flattens only the account that it trades on`, {
    hint: `\`halt ${account}\` halts it from anywhere`,
  })
}

/** A page or a hook hears of no other account than its own. */
function accountsMeant(
  { ports, source, accountName }: CommandContext<Need>,
  account: string | undefined,
): readonly string[] {
  if (mayRun('trusted', source))
    return account === undefined ? ports.accounts.list().map(({ name }) => name) : [account]
  return account === undefined || account === accountName ? [accountName] : []
}

/**
 * It holds in this process at once; a file that cannot be written must not keep the rest from being done.
 * @returns why it is not saved
 */
async function saving(
  context: CommandContext<Need> | undefined,
  saved: Promise<void>,
): Promise<StoreError | undefined> {
  try {
    await saved
    return undefined
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    context?.out.warn('it holds only in this process, and ends with it')
    return error
  }
}
