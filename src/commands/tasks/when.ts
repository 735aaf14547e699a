// `when`, `every` and `at`: a line that runs by itself when a condition becomes true, or at its times.
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../../exchange/market.ts'
import { priceOnGrid } from '../../exchange/price-grid.ts'
import { requireWords } from '../../language/arguments.ts'
import type { Argument, Group, Word } from '../../language/chain.ts'
import { callsIn, hasVariable } from '../../language/expansion.ts'
import { symbolsNamedIn, takesFocus } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { groupInCondition, parseChain } from '../../language/parse.ts'
import { parseOffset } from '../../language/price.ts'
import { printArgument, printChain } from '../../language/print.ts'
import { parseLongDuration } from '../../language/time.ts'
import { readValuesOnce, type TaskReadings } from '../../tasks/bar-feed.ts'
import type { EveryParams } from '../../tasks/every.ts'
import { type ConditionSight, clockOf, evaluatorOf, lookNow, readsOf } from '../../tasks/judging.ts'
import type { WhenParams } from '../../tasks/when.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket, viewSymbol } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import {
  type BooleanNode,
  beginsCondition,
  type Condition,
  type ConditionText,
  isPriceOfNow,
  type NumberNode,
  numberAgainst,
  showCondition,
  TICK_VALUES,
} from '../../triggers/condition.ts'
import { describeSchedule, nextTime, parseAt, parseEvery, type Schedule } from '../../triggers/schedule.ts'
import { parseSymbolCondition } from '../../triggers/trigger.ts'
import { type CommandContext, requireMayRun, type SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { INFORM_MS, slipIn } from '../kit/preview.ts'
import { takeOption } from '../kit/read-arguments.ts'
import { type CommandLookup, isFamily } from '../kit/resolve.ts'
import { farFrom } from '../trading/meant-order.ts'
import { shortId, startTask } from './begin-task.ts'

type Need = 'tasks' | 'preview'

const CONDITION_DETAILS = [
  'values    price last mark bid ask · pnl position equity funding; price is the ask upward, the bid downward',
  'bars      open high low close volume, with a frame: close(1h); close(1h)[1] is the bar before',
  'frames    1m 5m 15m 1h 4h 1d; default: the frame of the other side',
  'averages  sma(20) ema(50) rma(14)',
  'others    rsi(14) macd(12, 26, 9) macd.signal macd.histogram atr(14) bb.upper(20, 2) bb.middle bb.lower',
  '          vwap (since 00:00 UTC) highest(20) lowest(20) change(1); of close, or of another: highest(high, 20)',
  'operators > < >= <= == != · crosses above, crosses below · + - * / · and or not ( )',
  'distance  price < -2%: from the last price as it is now; the answer has the price',
  'time      closed bars, once each; live: at each price, with the forming bar; for 30s: without a break',
]

/** @param lookup the table that its line is checked against */
export function whenCommand(lookup: CommandLookup): SingleCommand<Need> {
  return {
    name: 'when',
    group: 'tasks',
    usage: '[each] [SYMBOL] <condition> (<commands>)',
    summary:
      'run commands when a condition on a symbol becomes true: once, or with `each` every time; survives a restart',
    where: 'trusted',
    neverGuessed: true,
    examples: [
      {
        line: 'when close(1h) crosses above ema(50) and rsi(14) < 60 (buy $100)',
        meaning: 'once, at the close of a bar',
      },
      { line: 'when last > 70000 for 30s (notify "over 70k")', meaning: 'without a break for half a minute' },
      { line: 'when each BTCUSDT close(15m) < bb.lower(20, 2) (buy $100)', meaning: 'each time that it becomes true' },
    ],
    details: CONDITION_DETAILS,
    complete: ({ words, symbols }) => (words.length === 0 ? ['each', ...symbols, ...VALUES] : VALUES),
    check: (args) => readWhen(args, lookup),
    async run(context, args) {
      const { line, ...wanted } = readWhen(args, lookup)
      await beginWhen(context, args, { ...wanted, line })
      await warnOfSlip(context, line, wanted.symbol ?? context.symbol)
    },
  }
}

export function everyCommand(lookup: CommandLookup): SingleCommand<Need> {
  return {
    name: 'every',
    group: 'tasks',
    usage: 'day|weekday|mon,fri… <HH:MM> [zone] [--late <duration>] (<commands>)\n<4h | 15m…> (<commands>)',
    summary: 'run commands repeatedly: at a time of day, or at an interval',
    where: 'trusted',
    neverGuessed: true,
    examples: [
      {
        line: 'every mon 09:00 Europe/Berlin (buy $100 BTCUSDT)',
        meaning: 'a time that is missed is reported, not made up for',
      },
      {
        line: 'every day 21:55 --late 5m (close BTCUSDT)',
        meaning: 'up to five minutes late, where hookline was not running',
      },
      { line: 'every 4h (status)', meaning: 'at 00:00, 04:00, 08:00… UTC' },
    ],
    details: [
      'daylight saving: a time that occurs twice runs the first time; a time that is skipped runs when the clock jumps',
    ],
    complete: ({ words }) =>
      words.length === 0 ? ['day', 'weekday', 'weekend', 'mon', '15m', '1h', '4h'] : ['--late'],
    check: (args) => readTimes(args, EVERY, lookup),
    run: (context, args) => beginTimes(context, args, readTimes(args, EVERY, lookup), lookup),
  }
}

export function atCommand(lookup: CommandLookup): SingleCommand<Need> {
  return {
    name: 'at',
    group: 'tasks',
    usage: '[date] <HH:MM> [zone] [--late <duration>] (<commands>)',
    summary: 'run commands once, at a time of day; survives a restart',
    where: 'trusted',
    neverGuessed: true,
    examples: [
      { line: 'at 14:30 (close BTCUSDT)', meaning: 'the next 14:30 UTC' },
      { line: 'at 2027-01-04 09:30 America/New_York (buy $100 BTCUSDT)', meaning: 'a date, and a zone' },
    ],
    complete: () => ['--late'],
    check: (args) => readTimes(args, AT, lookup),
    run: (context, args) => beginTimes(context, args, readTimes(args, AT, lookup), lookup),
  }
}

const VALUES = [
  'price',
  ...TICK_VALUES,
  'close(1h)',
  'ema(50)',
  'rsi(14)',
  'crosses',
  'and',
  'or',
  'not',
  'for',
  'live',
]

export interface WantedCondition {
  readonly symbol?: string
  readonly condition: string
  readonly checked: Condition
  readonly isEach: boolean
  readonly line?: string
  readonly words?: string
  /** The condition with its distances as prices; absent: it has none. */
  readonly priced?: (priceOf: (distance: string) => string) => Pick<WantedCondition, 'condition' | 'checked'>
}

/** @throws {LanguageError} */
function readWhen(args: readonly Argument[], lookup: CommandLookup): WantedCondition & { readonly line: string } {
  const { rest, line } = takeLine(args, lookup, WHEN)
  return { ...readCondition(rest), line }
}

/** `each`, a symbol, and the condition in words or in quotes. @throws {LanguageError} */
export function readCondition(args: readonly Argument[]): WantedCondition {
  const isEach = args[0]?.kind === 'word' && args[0].text.toLowerCase() === 'each'
  const pieces = (isEach ? args.slice(1) : args).map(pieceOf)
  const read = (priceOf: (distance: string) => string) => {
    const { text, condition, symbol } = parseSymbolCondition(withPrices(pieces, priceOf), columnBehind(args))
    return { condition: text, checked: condition, ...defined({ symbol }) }
  }
  // A number in its place shows what else is wrong with the line.
  let hasDistance = false
  const plain = read((distance) => {
    hasDistance = true
    return '1'.padEnd(distance.length)
  })
  return { ...plain, isEach, ...(hasDistance ? { priced: read } : {}) }
}

/** `price < -2%`, `last crosses above +100%`: the distance behind a price and its comparison. */
const DISTANCE =
  /((?:^|\s|\()(?:price|last|mark|bid|ask)\s*(?:[<>]=?|crosses(?:\s+(?:above|below))?)\s*)([+-]\d{1,3}(?:\.\d{1,6})?%)(?!\S)/gi

/** Pieces stay pieces, so that each error has its column. */
function withPrices(pieces: readonly ConditionText[], priceOf: (distance: string) => string): readonly ConditionText[] {
  // `BTCUSDT < -2%` is of the last price.
  const words = pieces.map(({ text }, index) => (index > 0 || beginsCondition(text) ? text : 'last'))
  return pieces.map((piece, index) => {
    const lead = words
      .slice(Math.max(0, index - 3), index)
      .map((word) => `${word} `)
      .join('')
    const whole = `${lead}${piece.text}`.replace(DISTANCE, (_match, head: string, distance: string, at: number) =>
      at + head.length < lead.length ? `${head}${distance}` : `${head}${priceOf(distance)}`,
    )
    return { ...piece, text: whole.slice(lead.length) }
  })
}

function pieceOf(argument: Argument): ConditionText {
  if (argument.kind === 'string') return { text: argument.text, column: argument.column + 1 }
  if (argument.kind === 'word') return argument
  throw groupInCondition(argument.column)
}

function columnBehind(args: readonly Argument[]): number {
  const last = args.at(-1)
  return last === undefined ? 1 : last.column + printArgument(last).length
}

interface LineVerb {
  readonly verb: string
  readonly example: string
}

interface TimedVerb extends LineVerb {
  readonly parse: (words: readonly Word[], columnBehind: number) => Schedule
}

const WHEN: LineVerb = { verb: 'when', example: 'when last > 70000 (buy $100)' }
const EVERY: TimedVerb = { verb: 'every', example: 'every day 09:00 (buy $100)', parse: parseEvery }
const AT: TimedVerb = { verb: 'at', example: 'at 14:30 (close BTCUSDT)', parse: parseAt }

/** The group at the end. */
function takeLine(
  args: readonly Argument[],
  lookup: CommandLookup,
  { verb, example }: LineVerb,
): { readonly rest: readonly Argument[]; readonly line: string } {
  const group = args.at(-1)
  if (group?.kind !== 'group') {
    const quoted = quotedLine(args, lookup, verb)
    if (quoted !== undefined) throw quoted
    const typed = openLine(withoutBraces(args), lookup, verb)
    const hint = typed === undefined ? `type them in ( ), as in ${example}` : `type \`${typed}\``
    const message = typed === undefined ? 'the commands are missing' : 'commands go in parentheses'
    throw new LanguageError('missing-argument', message, columnBehind(args), hint)
  }
  checkLine(group, lookup)
  return { rest: args.slice(0, -1), line: printChain(group.chain) }
}

/** Quotes are for a condition: what is in parentheses is checked as a line of its own before it is kept. */
function quotedLine(args: readonly Argument[], lookup: CommandLookup, verb: string): LanguageError | undefined {
  const last = args.at(-1)
  if (last?.kind !== 'string' || last.text.length > 100) return undefined
  const [name = ''] = last.text.trim().split(/\s+/)
  if (!lookup.has(name) || /[<>]/.test(last.text)) return undefined
  const line = [verb, ...conditionWords(args.slice(0, -1)), `(${last.text})`].join(' ')
  const message = 'commands go in parentheses, not in quotes'
  return new LanguageError('bad-argument', message, last.column, `type \`${line}\``)
}

/** `{ buy $250 }`, as other languages have it. */
function withoutBraces(args: readonly Argument[]): readonly Argument[] {
  return args.flatMap((argument): readonly Argument[] => {
    if (argument.kind !== 'word') return [argument]
    const text = argument.text.replace(/^\{|\}$/g, '')
    return text === '' ? [] : [{ ...argument, text }]
  })
}

/** The line with its command in parentheses, where it was typed without any: `when last > 70000 buy $50`. */
function openLine(args: readonly Argument[], lookup: CommandLookup, verb: string): string | undefined {
  const isCommand = (argument: Argument) => {
    if (argument.kind !== 'word') return false
    const command = lookup.find(argument.text)
    return command !== undefined && (isFamily(command) || !VALUES.includes(command.name))
  }
  const at = args.findIndex((argument, index) => index > 0 && isCommand(argument))
  if (at < 0) return undefined
  const command = args.slice(at).map(printArgument).join(' ')
  return [verb, ...conditionWords(args.slice(0, at)), `(${command})`].join(' ')
}

/** Without quotes: within them a symbol is not read. */
function conditionWords(args: readonly Argument[]): readonly string[] {
  const last = args.at(-1)
  const words = last?.kind === 'word' && /^(?:then|do)$/i.test(last.text) ? args.slice(0, -1) : args
  return words.map((each) => (each.kind === 'string' && !/[()]/.test(each.text) ? each.text : printArgument(each)))
}

/** What would be refused when it is time is refused now. Names of aliases are resolved then. */
function checkLine({ chain, column }: Group, lookup: CommandLookup): void {
  if (chain.stages.length === 0) {
    throw new LanguageError('missing-command', 'no command between ( and )', column, 'type one, as in (buy $100)')
  }
  for (const call of callsIn(chain)) {
    if (!lookup.has(call.name)) continue
    try {
      const { path, form, args } = lookup.resolve(call)
      requireMayRun(path, form.where, 'exec')
      if (!hasVariable(args)) form.check?.(args)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      throw new LanguageError('bad-argument', error.message, call.column, error.hint)
    }
  }
}

/** Checks it against the account's market, and begins its task. */
export async function beginWhen(
  context: CommandContext<'tasks'>,
  args: readonly Argument[],
  wanted: WantedCondition,
): Promise<void> {
  const { symbol: typed, isEach, line, words } = wanted
  const { out, accountName } = context
  const account = await context.account()
  const { venue } = account
  const { symbol } = await findMarket(venue, typed ?? context.symbol)
  const { condition, checked } = await pricedNow(venue, symbol, wanted)
  const bars = await requireJudgeable(venue, symbol, checked, context.clock.now())
  const params: WhenParams = { condition, ...defined({ line, words }), ...(isEach ? { each: true as const } : {}) }
  // As it is kept: what was read word by word must be the same in one piece.
  evaluatorOf(condition)
  const { holds } = await lookOnce(account, { symbol, condition, checked, bars }, context.clock.now())
  // A condition that is true at first has no edge: the operator may expect one.
  const isSo = holds === true
  const verb = line === undefined ? 'alert' : 'when'
  const id = await startTask(context, { kind: 'when', symbol, params }, args, verb)
  const short = shortId(id)
  const does = line === undefined ? 'reports it' : `runs ${line}`
  out.success(
    `${verb} ${short}: ${isEach ? 'each time' : 'once'} ${symbol} ${showCondition(condition)}, ${does} (\`tasks show ${short}\` lists its values, \`tasks cancel ${short}\`)`,
    {
      type: 'when',
      id,
      account: accountName,
      symbol,
      condition,
      isEach,
      ...(isSo ? { holds: true as const } : {}),
      ...defined({ line, words }),
    },
  )
  if (isSo)
    out.warn(`already true on ${symbol}: the condition has to become false, then true again, before the task runs`)
  await warnOfFarPrices(context, venue, symbol, checked)
}

/** Distances count from the last price, as it is now. @throws {ExchangeError} */
async function pricedNow(
  venue: VenueView,
  symbol: string,
  wanted: WantedCondition,
): Promise<Pick<WantedCondition, 'condition' | 'checked'>> {
  if (wanted.priced === undefined) return wanted
  const view = await viewSymbol(venue, symbol)
  return wanted.priced((distance) => {
    const offset = parseOffset(distance, 1)
    return priceOnGrid(resolvePrice({ base: { kind: 'anchor', anchor: 'last' }, offset }, view), view.market, 'nearest')
  })
}

/** A price with a digit less or more differs by a factor of about 10. Farther numbers are meant, as in `last > 1`. */
const SLIP_FACTOR = 20

/** Warns of a price of a condition that lost or doubled a digit: it is never reached, or true at once. */
export async function warnOfFarPrices(
  { out }: Pick<CommandContext, 'out'>,
  venue: VenueView,
  symbol: string,
  { root, series }: Condition,
): Promise<void> {
  const prices = pricesIn(root, series)
  if (prices.length === 0) return
  const { market, ticker } = await viewSymbol(venue, symbol, 'known')
  const { last } = ticker
  for (const price of prices) {
    const far = farFrom({ market, ticker }, price)
    const isSlip = price * SLIP_FACTOR > Number(last) && price < Number(last) * SLIP_FACTOR
    if (far !== undefined && isSlip) out.warn(`${showPrice(String(price), market)} is ${far}`)
  }
}

/** The numbers that are compared with a price. */
function pricesIn(node: BooleanNode, series: Condition['series']): readonly number[] {
  switch (node.kind) {
    case 'not':
      return pricesIn(node.of, series)
    case 'and':
    case 'or':
      return [...pricesIn(node.left, series), ...pricesIn(node.right, series)]
    case 'compare':
    case 'crosses': {
      const price = numberAgainst(node, (side) => isPrice(side, series))
      return price === undefined ? [] : [price]
    }
  }
}

function isPrice(node: NumberNode, series: Condition['series']): boolean {
  if (isPriceOfNow(node)) return true
  const compared = node.kind === 'series' ? series[node.series] : undefined
  return compared !== undefined && compared.indicator === undefined && compared.field !== 'volume'
}

/** A slip is seen by the person who has just typed it, not when it is time. */
async function warnOfSlip(
  { ports, signal, out, accountName: account }: CommandContext<Need>,
  line: string,
  symbol: string,
): Promise<void> {
  const care = { signal: AbortSignal.any([signal, AbortSignal.timeout(INFORM_MS)]) }
  const slip = slipIn(await ports.preview({ command: line, source: 'exec', account, symbol }, care))
  if (slip !== undefined && !care.signal.aborted) out.warn(`a run now would be refused: ${slip}`)
}

interface FirstLook {
  readonly symbol: string
  readonly condition: string
  readonly checked: Condition
  readonly bars: TaskReadings['bars']
}

/** What of a condition is known now. @throws {ExchangeError} */
export async function lookOnce(
  { venue }: Pick<TradingAccount, 'venue'>,
  { symbol, condition, checked, bars }: FirstLook,
  now: number,
): Promise<ConditionSight> {
  const { market, ticker, position } = await viewSymbol(venue, symbol, 'known')
  const readings = { bars, ...(await readValuesOnce(venue, market, readsOf(checked))) }
  const facts = { now, market, ticker, isPositionKnown: true, readings, ...defined({ position }) }
  return lookNow(condition, facts)
}

/** Whether the venue has what a condition compares. @param askedAt for the bars that it returns, ms since the epoch @throws {CommandError} `bad-argument` @throws {ExchangeError} */
export async function requireJudgeable(
  venue: VenueView,
  symbol: string,
  { needs, reads, series, frames, ticks }: Condition,
  askedAt = 0,
): Promise<TaskReadings['bars']> {
  const { settle } = await findMarket(venue, symbol)
  if (ticks.includes('equity') && settle === undefined) {
    throw new CommandError('bad-argument', 'a spot account has no single equity figure', {
      hint: 'compare another value',
    })
  }
  const found: Partial<Record<CandleInterval, { bars: readonly Candle[]; askedAt: number }>> = {}
  if (frames.length === 0) return found
  if (venue.fetchCandles === undefined) {
    throw new CommandError('bad-argument', `${venue.id} has no bars to judge`, { hint: 'compare last, bid or ask' })
  }
  const usesVolume = series.some(({ field, indicator }) => field === 'volume' || indicator?.name === 'vwap')
  for (const frame of Object.keys(needs) as CandleInterval[]) {
    const needed = needs[frame] ?? 0
    const bars = await venue.fetchCandles?.(symbol, frame, (reads[frame] ?? needed) + 1)
    if (bars !== undefined) found[frame] = { bars, askedAt }
    const closed = Math.max(0, (bars?.length ?? 0) - 1)
    if (closed < needed) {
      throw new CommandError('bad-argument', `it needs ${needed} bars of ${frame}, and ${venue.id} has ${closed}`, {
        hint: `ask for fewer bars, or wait ${Math.ceil(((needed - closed) * CANDLE_MS[frame]) / 3_600_000)} h`,
      })
    }
    if (usesVolume && bars?.some(({ volume }) => volume === undefined) === true) {
      throw new CommandError('bad-argument', `${venue.id} reports no volume of its bars`, { hint: 'compare prices' })
    }
  }
  return found
}

interface WantedTimes {
  readonly schedule: Schedule
  readonly lateMs?: number
  readonly line: string
}

/** @throws {LanguageError} */
function readTimes(args: readonly Argument[], timed: TimedVerb, lookup: CommandLookup): WantedTimes {
  const { rest, line } = takeLine(args, lookup, timed)
  const { rest: times, value: late } = takeOption(rest, '--late', 'how late it may be')
  const words = requireWords(times)
  const lateMs = late === undefined ? undefined : parseLongDuration(late, rest[0]?.column ?? 1)
  return { schedule: timed.parse(words, columnBehind(times)), line, ...defined({ lateMs }) }
}

async function beginTimes(
  context: CommandContext<Need>,
  args: readonly Argument[],
  wanted: WantedTimes,
  lookup: CommandLookup,
): Promise<void> {
  const { out, accountName, clock } = context
  const { schedule, line, lateMs } = wanted
  const next = nextTime(schedule, clock.now())
  if (next === undefined) {
    throw new CommandError('bad-argument', `${describeSchedule(schedule)} has passed`, { hint: 'type a later time' })
  }
  const { venue } = await context.account()
  const { symbol } = await findMarket(venue, symbolOfLine(line, lookup) ?? context.symbol)
  const params: EveryParams = { schedule, line, ...defined({ lateMs }) }
  const kind = schedule.kind === 'once' ? 'at' : 'every'
  const id = await startTask(context, { kind, symbol, params }, args)
  const short = shortId(id)
  out.success(
    `${kind} ${short}: runs ${line} ${kind === 'at' ? `at ${clockOf(next)}` : `${describeSchedule(schedule)}, next at ${clockOf(next)}`} (\`tasks cancel ${short}\`)`,
    { type: 'schedule', id, account: accountName, symbol, schedule: describeSchedule(schedule), next, line },
  )
  await warnOfSlip(context, line, symbol)
}

/** The symbol that a line names, where no command of it takes the focus. An alias is read when it runs. */
function symbolOfLine(line: string, lookup: CommandLookup): string | undefined {
  const chain = parseChain(line)
  const question = { table: lookup, aliases: {} }
  if (!callsIn(chain).every(({ name }) => lookup.has(name)) || takesFocus(chain, question)) return undefined
  const [only, ...others] = symbolsNamedIn(chain, question)
  return others.length === 0 ? only : undefined
}

/** Whether what `alert` was given is more than one price to be reached. */
export function isWholeCondition(args: readonly Argument[]): boolean {
  return args.some(({ kind, ...argument }) => {
    if (kind !== 'word') return false
    const { text } = argument as Word
    return CONDITION_WORDS.has(text.toLowerCase()) || /^[a-z.]+[([]/i.test(text)
  })
}

const CONDITION_WORDS = new Set(
  ['each', 'and', 'or', 'not', 'crosses', 'live', 'for', ...TICK_VALUES].filter((word) => word !== 'last'),
)
