// `paper replay`: candles out of a file as prices, on an account of their own, so that nothing that is held elsewhere is touched.
import { defined } from '../../base/defined.ts'
import { CandleError, type Candles } from '../../exchanges/paper/candles.ts'
import { findMarket } from '../../exchanges/paper/markets.ts'
import { type PaperControls, paperControls, START_BALANCE } from '../../exchanges/paper/paper-controls.ts'
import { endOf, MAX_SPEED, positionAt, type Replay } from '../../exchanges/paper/replay.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { StoreError } from '../../stores/store-error.ts'
import { showDuration, showMoney, showPrice } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import type { ReplayData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { readText, refuseMoreThan, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { interrupted, pause } from '../kit/running.ts'

type Need = 'accounts' | 'candles' | 'connect'

const DEFAULT_ACCOUNT = 'replay'
const DEFAULT_SPEED = 60
const PROGRESS_EVERY_MS = 5_000
/** Above a prompt that someone types at. */
const PROMPT_PROGRESS_MS = 60_000

export const replay: CommandForm<Need> = {
  name: 'replay',
  usage: '<file.csv> [SYMBOL] [--speed 60] [--account replay] [--background]\nstatus|stop [--account replay]',
  summary: 'replay candles of a file on a separate account',
  where: 'trusted',
  examples: [
    {
      line: 'paper replay examples/candles/crash.csv --speed 60',
      meaning: 'a minute of candles each second, until Ctrl-C',
    },
    {
      line: 'paper replay examples/candles/trend.csv ETHUSDT --background',
      meaning: 'meanwhile `account use replay` trades on it',
    },
    { line: 'paper replay status', meaning: 'how far it is' },
    { line: 'paper replay stop', meaning: 'its prices stop; its orders and fills stay readable' },
  ],
  complete: ({ words, accounts, symbols }) => {
    if (words.at(-1) === '--account') return accounts
    return words.length === 0 ? ['status', 'stop'] : [...symbols, '--speed', '--account', '--background']
  },
  async run(context, args) {
    const { rest: unnamed, value: account = DEFAULT_ACCOUNT } = takeOption(args, '--account', "the account's name")
    const [first] = unnamed
    const word = first === undefined ? 'status' : readText(first)
    if (word === 'status' || word === 'stop') {
      refuseMoreThan(1, unnamed)
      return word === 'stop'
        ? stop(context, account)
        : printStatus(context, account, await requireReplay(context, account))
    }
    const wanted = readWanted(context, unnamed)
    const controls = await begin(context, account, wanted)
    if (!wanted.isInBackground) await accompany(context, account, controls)
  },
}

interface Wanted {
  readonly path: string
  readonly symbol: string
  /** None was typed. */
  readonly takesFocus: boolean
  readonly speed: number
  readonly isInBackground: boolean
}

function readWanted(context: CommandContext<Need>, args: readonly Argument[]): Wanted {
  const { rest: others, given: isInBackground } = takeFlag(args, '--background')
  const { rest, value } = takeOption(others, '--speed', 'the speed')
  const speed = value === undefined ? DEFAULT_SPEED : /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (speed < 1 || speed > MAX_SPEED) {
    throw new LanguageError(
      'bad-argument',
      `${shown(value ?? '')} is not a speed`,
      1,
      `use a number from 1 to ${MAX_SPEED}`,
    )
  }
  refuseMoreThan(2, rest)
  const [path, symbol] = rest.map(readText)
  return {
    path: path ?? '',
    symbol: (symbol ?? context.symbol).toUpperCase(),
    takesFocus: symbol === undefined,
    speed,
    isInBackground,
  }
}

async function begin(context: CommandContext<Need>, account: string, wanted: Wanted): Promise<PaperControls> {
  const { accounts, candles: files, connect } = context.ports
  const { path, symbol, takesFocus, speed } = wanted
  findMarket(symbol)
  await refuseOther(context, account)
  const candles = await readFile(context, path, symbol)
  if (accounts.find(account) === undefined) await accounts.add({ name: account, exchange: 'paper' })
  const trading = await connect(account)
  const controls = requireControls(trading)
  await trading.orders.recover()
  await files.keep(account, candles)
  const { intervalMs } = candles
  const now = context.clock.now()
  const begun: Replay = {
    file: fileName(path),
    symbol,
    startedAt: now,
    speed,
    candles: candles.times.length,
    intervalMs,
  }
  const canceled = await controls.beginReplay(begun, START_BALANCE)
  trading.orders.noteReset(canceled, context.orderedBy())
  await context.audit('paper replay', { account, file: begun.file, symbol, speed: String(speed) })
  warnOfGaps(context, candles)
  const lasts = showDuration(endOf(begun) - now)
  const what = `${begun.candles} candles of ${symbol}${takesFocus ? ', the symbol in focus,' : ''} on account ${printable(account, 40)} at ${speed} times their speed`
  context.out.success(
    `replaying ${what} for ${lasts}, from ${showMoney(START_BALANCE)}`,
    dataOf(context, account, begun),
  )
  context.out.info(`other accounts are unchanged; \`account use ${printable(account, 40)}\` trades on it`)
  return controls
}

/** An account that was traded on by itself is never taken for a replay: that would end what it holds. */
async function refuseOther({ ports }: CommandContext<Need>, account: string): Promise<void> {
  const row = ports.accounts.find(account)
  if (row === undefined) return
  const controls = paperControls((await ports.connect(account)).venue)
  if (row.prices === undefined && controls !== undefined && (controls.replay() !== undefined || !controls.isUsed()))
    return
  throw new CommandError(
    'already-exists',
    `account ${printable(account, 40)} is not a replay's, and a replay would end what it holds`,
    {
      hint: 'name another: `--account practice2` makes it',
    },
  )
}

async function readFile({ ports, signal }: CommandContext<Need>, path: string, symbol: string): Promise<Candles> {
  try {
    return await ports.candles.read(path, symbol, signal)
  } catch (error) {
    if (signal.aborted) throw interrupted()
    if (!(error instanceof CandleError || error instanceof StoreError)) throw error
    throw new CommandError(
      'bad-candles',
      `${printable(fileName(path), 80)}: ${error.message}`,
      defined({ hint: error.hint }),
    )
  }
}

function warnOfGaps({ out }: CommandContext, { gaps, intervalMs }: Candles): void {
  if (gaps.count === 0) return
  const longest = Math.round(gaps.longestMs / intervalMs) - 1
  const where =
    gaps.count === 1
      ? `of ${longest} candles before line ${gaps.line}`
      : `the longest of ${longest} candles before line ${gaps.line}`
  out.warn(`${gaps.count} ${gaps.count === 1 ? 'gap' : 'gaps'}, ${where}: a replay continues right after a gap`)
}

/** Says how far it is until it ends, or the run does: then it stops too. */
async function accompany(context: CommandContext<Need>, account: string, controls: PaperControls): Promise<void> {
  const startedAt = controls.replay()?.startedAt
  // At a prompt the account is there to be traded on meanwhile.
  const { onWait } = context.by
  onWait?.()
  const everyMs = onWait === undefined ? PROGRESS_EVERY_MS : PROMPT_PROGRESS_MS
  try {
    for (;;) {
      const current = controls.replay()
      if (current === undefined || current.startedAt !== startedAt || current.stoppedAt !== undefined) break
      const left = endOf(current) - context.clock.now()
      if (left <= 0) break
      await pause(context, Math.min(left, everyMs))
      await printStatus(context, account, current)
    }
  } catch (error) {
    await controls.stopReplay()
    throw error
  }
}

async function stop(context: CommandContext<Need>, account: string): Promise<void> {
  await requireReplay(context, account)
  const { venue } = await context.ports.connect(account)
  const stopped = await paperControls(venue)?.stopReplay()
  if (stopped !== undefined) await printStatus(context, account, stopped)
}

async function printStatus(context: CommandContext<Need>, account: string, current: Replay): Promise<void> {
  const { venue } = await context.ports.connect(account)
  const [money] = await venue.fetchBalances()
  const { last } = await venue.fetchTicker(current.symbol)
  const data = dataOf(context, account, current)
  const worth = money === undefined ? '' : `, account worth ${showMoney(money.total)}`
  const line = `${current.symbol} ${showPrice(last, venue.knownMarket?.(current.symbol))}, ${data.done} of ${data.candles} candles${worth}, ${data.state}`
  context.out.print(line, { ...data, last, ...defined({ total: money?.total }) })
}

function dataOf({ clock }: CommandContext, account: string, current: Replay): ReplayData {
  const now = clock.now()
  const state = current.stoppedAt !== undefined ? 'stopped' : endOf(current) <= now ? 'ended' : 'running'
  const { file, symbol, speed, candles, startedAt } = current
  return {
    type: 'replay',
    account,
    file,
    symbol,
    speed,
    candles,
    done: Math.floor(positionAt(current, now)),
    startedAt,
    state,
  }
}

async function requireReplay({ ports }: CommandContext<Need>, account: string): Promise<Replay> {
  const controls = ports.accounts.find(account) && paperControls((await ports.connect(account)).venue)
  const current = controls?.replay()
  if (current !== undefined) return current
  throw new CommandError('not-found', `no replay on account ${printable(account, 40)}`, {
    hint: '`paper replay <file.csv>` starts one',
  })
}

function requireControls({ name, venue }: TradingAccount): PaperControls {
  const controls = paperControls(venue)
  if (controls !== undefined) return controls
  throw new CommandError('not-supported', `account ${printable(name, 40)} is on ${venue.id}, which replays nothing`, {
    hint: 'name another: `--account practice2` makes it',
  })
}

/** Of a path of either system. */
function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}
