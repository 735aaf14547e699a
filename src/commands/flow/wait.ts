// A pause inside a chain, at most ten minutes.

import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import type { Argument, Word } from '../../language/chain.ts'
import { type Comparator, parseWait, type WaitIntent } from '../../language/condition.ts'
import { NO_SYMBOL, symbolsOf } from '../../language/focus-taken.ts'
import { LanguageError } from '../../language/language-error.ts'
import { MAX_SLEEP_MS, parseDuration } from '../../language/time.ts'
import { AccountFeed, type SymbolSight } from '../../tasks/account-feed.ts'
import type { ReadingsWatch } from '../../tasks/bar-feed.ts'
import { evaluatorOf, type JudgedFacts, judgeAll, readsOf } from '../../tasks/judging.ts'
import { TaskWakes } from '../../tasks/task-wakes.ts'
import { showDuration } from '../../trading/figures.ts'
import { findMarket, viewSymbol } from '../../trading/market-view.ts'
import { resolvePrice } from '../../trading/pricing.ts'
import { noPosition } from '../../trading/trading-error.ts'
import { type Watched, watchAnyPosition, watchFill } from '../../trading/wait-conditions.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { missing, readText, refuseMoreThan } from '../kit/read-arguments.ts'
import { interrupted, pause, untilAborted } from '../kit/running.ts'
import {
  isWholeCondition,
  readCondition,
  requireJudgeable,
  type WantedCondition,
  warnOfFarPrices,
} from '../tasks/when.ts'

export const sleep: SingleCommand = {
  name: 'sleep',
  group: 'flow',
  usage: '<duration>',
  summary: 'wait a while before the next step: 250ms, 5s, 2m, at most 10m',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'sleep 5s; echo done', meaning: 'prints done after five seconds' },
    { line: 'sleep 250ms', meaning: 'a quarter of a second' },
  ],
  check: durationOf,
  durations: (args) => args.slice(0, 1).filter(isWord),
  run: (context, args) => pause(context, durationOf(args)),
}

function isWord(argument: Argument): argument is Word {
  return argument.kind === 'word'
}

/** `5s` alone, and `timeout=1m`. */
function durationIn({ kind, text, column }: Word, isFirst: boolean): readonly Word[] {
  const [, name = ''] = /^((?:timeout|for)=)/i.exec(text) ?? []
  if (name === '' && !isFirst) return []
  return [{ kind, text: text.slice(name.length), column: column + name.length }]
}

function durationOf(args: readonly Argument[]): number {
  const [duration] = args
  if (duration === undefined) throw missing(args, 'the duration')
  refuseMoreThan(1, args)
  return parseDuration(readText(duration), duration.column, { maxMs: MAX_SLEEP_MS })
}

// `wait`: holds a chain until something is so. Told by the exchange's events, not by asking again and again.

const DAY_MS = 24 * 60 * 60_000

export const wait: SingleCommand = {
  name: 'wait',
  group: 'flow',
  usage: [
    '<duration>',
    '[SYMBOL] <any condition of `when`> [for=<duration>] [timeout=<duration>]',
    'price [SYMBOL] <comparison> <price> [for=<duration>] [timeout=<duration>]',
    'position|long|short|flat [SYMBOL] [for=<duration>] [timeout=<duration>]',
    'anyposition [timeout=<duration>]',
    'fill [order id | SYMBOL,…] [timeout=<duration>]',
    'time <HHMM>',
  ].join('\n'),
  summary: 'pause the line until a price, a position, a fill or a time; the prompt stays free',
  where: 'anywhere',
  underPanic: true,
  examples: [
    { line: 'wait price > +1%; buy $250', meaning: 'buys the breakout; `>` compares the ask, `<` the bid' },
    { line: 'wait price < -1% for=5s timeout=10m', meaning: 'one percent lower, and not just for a moment' },
    { line: 'wait fill p17; stop at -2%', meaning: 'protects once the order has filled' },
    { line: 'wait flat; echo flat', meaning: 'continues once the position is closed' },
    { line: 'wait time 1430', meaning: 'until 14:30 UTC' },
    {
      line: 'wait rsi(14, 1m) < 80 and last > 60000 timeout=10m; buy $250',
      meaning: 'any `when` condition: continues at once if it is true',
    },
  ],
  complete: ({ words, symbols }) => (words.length === 0 ? SUBJECTS : words.length === 1 ? symbols : OPTIONS),
  check: readWait,
  durations: (args) => args.filter(isWord).flatMap((word, index) => durationIn(word, index === 0)),
  symbolUse(args) {
    const read = readWait(args)
    if ('wanted' in read) return symbolsOf(read.wanted)
    const { condition } = read
    const hasSymbol = condition.kind === 'price' || (condition.kind === 'position' && condition.any !== true)
    return hasSymbol ? symbolsOf(condition) : NO_SYMBOL
  },
  async run(context, args) {
    const intent = readWait(args)
    context.by.onWait?.()
    if ('wanted' in intent) return untilTrue(context, intent)
    const { condition } = intent
    if (condition.kind === 'delay') return pause(context, condition.ms)
    if (condition.kind === 'time') return untilTimeOfDay(context, condition, intent.timeoutMs)
    const { venue } = await context.account()
    if (condition.kind === 'fill') return untilHeld(context, venue, watchFill(venue, condition, context.symbol), intent)
    if (condition.kind === 'position' && condition.any === true) {
      return untilHeld(context, venue, watchAnyPosition(venue), intent)
    }
    const isOffset = condition.kind === 'price' && condition.value.offset !== undefined
    await untilTrue(context, { ...intent, isOffset, wanted: await asWanted(venue, condition, context.symbol) })
  },
}

/** Offsets in a price count from the market as it is now. @throws {TradingError} @throws {ExchangeError} */
async function asWanted(
  venue: VenueView,
  condition: Extract<WaitIntent['condition'], { kind: 'price' | 'position' }>,
  focus: string,
): Promise<WantedCondition> {
  const { symbol } = await findMarket(venue, condition.symbol ?? focus)
  const text = condition.kind === 'price' ? await comparisonOf(venue, condition, symbol) : positionOf(condition)
  return { symbol, condition: text, checked: evaluatorOf(text).condition, isEach: false }
}

async function comparisonOf(
  venue: VenueView,
  { anchor, comparator, value }: Extract<WaitIntent['condition'], { kind: 'price' }>,
  symbol: string,
): Promise<string> {
  if (anchor === 'pnl') return `pnl ${comparator} ${value.base.kind === 'absolute' ? value.base.price : 0}`
  const price = resolvePrice(value, await viewSymbol(venue, symbol))
  return `${anchor === 'auto' ? sideOf(comparator) : anchor} ${comparator} ${price.toFixed()}`
}

/** Upward, what one would pay; downward, what one would get. */
function sideOf(comparator: Comparator): 'ask' | 'bid' | 'last' {
  if (comparator.startsWith('>')) return 'ask'
  return comparator.startsWith('<') ? 'bid' : 'last'
}

function positionOf({ side, closed }: Extract<WaitIntent['condition'], { kind: 'position' }>): string {
  if (closed === true) return 'position == 0'
  return `position ${side === undefined ? '!=' : side === 'long' ? '>' : '<'} 0`
}

interface WholeCondition {
  readonly wanted: WantedCondition
  readonly timeoutMs?: number
  /** `for=`, where the condition has no `for` of its own. */
  readonly holdMs?: number
  /** The price was typed as a distance, which says how far it is. */
  readonly isOffset?: boolean
}

/** A form of `wait`, else a condition as of `when`, with its errors. @throws {LanguageError} */
function readWait(args: readonly Argument[]): WaitIntent | WholeCondition {
  try {
    return parseWait(args)
  } catch (error) {
    if (!(error instanceof LanguageError) || isOwnForm(args)) throw error
    return readWhole(args)
  }
}

const OWN_SUBJECTS = /^(price|long|short|flat|anyposition|fill|time)$/i

/** Whether it is a form that only `wait` has, or one word, which may be a slip in one. */
function isOwnForm(args: readonly Argument[]): boolean {
  const rest = args.filter((argument) => !isOption(argument))
  const [first, second] = rest
  if (first === undefined) return true
  if (!isWord(first)) return false
  if (/^(until|till|for)$/i.test(first.text)) return true
  if (isWholeCondition(rest)) return false
  if (second === undefined) return !/[<>=!(]/.test(first.text)
  return OWN_SUBJECTS.test(first.text) || (/^[\d.]/.test(first.text) && isWord(second) && /^\w/.test(second.text))
}

function isOption(argument: Argument): boolean {
  return isWord(argument) && /^(timeout|for)=/i.test(argument.text)
}

function readWhole(args: readonly Argument[]): WholeCondition {
  const [first] = args
  if (first !== undefined && isWord(first) && first.text.toLowerCase() === 'each') {
    throw new LanguageError(
      'bad-condition',
      '`wait` waits once',
      first.column,
      'remove each; `when each` acts again and again',
    )
  }
  // As in `for 5s` behind the condition, with what that may not follow.
  const held = args.filter((argument) => isWord(argument) && /^for=/i.test(argument.text)).filter(isWord)
  const behind = held.flatMap(({ text, column }): Word[] => [
    { kind: 'word', text: 'for', column },
    { kind: 'word', text: text.slice('for='.length), column: column + 'for='.length },
  ])
  const wanted = readCondition([...args.filter((argument) => !isOption(argument)), ...behind])
  const [timeout, again] = args
    .filter((argument) => isWord(argument) && /^timeout=/i.test(argument.text))
    .filter(isWord)
  if (again !== undefined) {
    throw new LanguageError('unexpected-argument', '`timeout=` is given twice', again.column, 'keep one of them')
  }
  const at = 'timeout='.length
  return {
    wanted,
    ...defined({ timeoutMs: timeout && parseDuration(timeout.text.slice(at), timeout.column + at) }),
  }
}

/**
 * Until a condition of bars, indicators, prices or the position is true; what is true already passes at once.
 * @throws {CommandError} `timeout`, `interrupted`, `bad-argument` @throws {ExchangeError}
 */
async function untilTrue(context: CommandContext, whole: WholeCondition): Promise<void> {
  const { wanted, timeoutMs, holdMs, isOffset = false } = whole
  const { clock } = context
  const account = await context.account()
  const { condition, checked } = wanted
  const market = await findMarket(account.venue, wanted.symbol ?? context.symbol)
  await requireJudgeable(account.venue, market.symbol, checked)
  if (!isOffset) await warnOfFarPrices(context, account.venue, market.symbol, checked)
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  const hold = createHold(context, { holdMs: holdMs ?? checked.holdMs ?? 0, signal, end: () => ended.abort() })
  const needsPosition =
    checked.frames.length === 0 && checked.ticks.length > 0 && checked.ticks.every((name) => name === 'pnl')
  let failure: unknown
  const feed = new AccountFeed(account, { clock, wakes: new TaskWakes(clock), problem: () => {} })
  const evaluator = evaluatorOf(condition)
  const memory = evaluator.initial()
  let sight: SymbolSight | undefined
  let bars: ReadingsWatch | undefined
  const look = () => {
    if (bars === undefined || signal.aborted) return
    const facts: JudgedFacts = {
      now: clock.now(),
      market,
      isPositionKnown: sight?.isPositionKnown() ?? false,
      readings: bars.readings(),
      ...defined({ ticker: sight?.ticker(), position: sight?.position() }),
    }
    if (needsPosition && facts.isPositionKnown && facts.position === undefined) {
      failure = noPosition(market.symbol)
      return ended.abort()
    }
    judgeAll(evaluator, memory, facts, { isResumed: false })
    // What may be stale is not known, and breaks what has to hold without a break.
    hold(memory.was === true)
  }
  try {
    const judgesPrices = checked.ticks.length > 0 || checked.isLive
    if (judgesPrices) {
      sight = await feed.watch(market.symbol, { ticker: look, position: look, order: () => {}, trade: () => {} })
    }
    bars = await feed.bars.watch(market, readsOf(checked), look)
    look()
    if (!signal.aborted) await untilAborted(context, signal, timeoutMs)
  } finally {
    bars?.end()
    sight?.end()
    feed.close()
  }
  const isTrue = ended.signal.aborted
  ended.abort()
  if (failure !== undefined) throw failure
  if (!isTrue) throw context.signal.aborted ? interrupted() : timedOut(timeoutMs ?? 0)
}

const SUBJECTS = [
  'price',
  'pnl',
  'position',
  'long',
  'short',
  'flat',
  'fill',
  'time',
  'last',
  'bid',
  'ask',
  'anyposition',
]
const OPTIONS = ['timeout=', 'for=']

/** The next time it is this late in UTC, today or tomorrow. */
async function untilTimeOfDay(
  context: CommandContext,
  time: { readonly hour: number; readonly minute: number },
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const intoDay = context.clock.now() % DAY_MS
  const ms = ((time.hour * 60 + time.minute) * 60_000 - intoDay + DAY_MS) % DAY_MS
  await pause(context, Math.min(ms, timeoutMs))
  if (timeoutMs < ms) throw timedOut(timeoutMs)
}

/**
 * Until the condition holds, for `holdMs` on end where given.
 * @throws {CommandError} `timeout`, `interrupted`; and what the condition throws
 */
async function untilHeld(
  context: CommandContext,
  venue: VenueView,
  watched: Watched,
  { timeoutMs, holdMs = 0 }: WaitIntent,
): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  const hold = createHold(context, { holdMs, signal, end: () => ended.abort() })
  let failure: { readonly reason: unknown } | undefined
  let looking: Promise<void> = Promise.resolve()
  // One look after another, in the order of the events: none is skipped, and a late answer overtakes no newer one.
  const look = (holds: () => boolean | Promise<boolean> | undefined) => {
    looking = looking
      .then(async () => hold(await holds()))
      .catch((reason: unknown) => {
        failure ??= { reason }
        ended.abort()
      })
  }
  const stops = [
    venue.subscribe((event) => {
      if (event.type !== 'stream') return look(() => watched.holdsAfter(event))
      // What may be stale decides nothing, and breaks what had to hold without a break.
      if (event.state === 'stale') look(() => false)
      else if (watched.holdsAgain !== undefined) look(() => watched.holdsAgain?.())
    }),
  ]
  look(() => watched.holdsNow())
  await untilAborted(context, signal, timeoutMs)
  for (const stop of stops) stop()
  const isHeld = ended.signal.aborted
  ended.abort()
  if (failure !== undefined) throw failure.reason
  if (isHeld) return
  throw context.signal.aborted ? interrupted() : timedOut(timeoutMs ?? 0)
}

/** Takes each answer in turn and calls `end` once it has been true for `holdMs` without a false in between. */
function createHold(
  context: CommandContext,
  { holdMs, signal, end }: { readonly holdMs: number; readonly signal: AbortSignal; readonly end: () => void },
): (holds: boolean | undefined) => void {
  let since: AbortController | undefined
  return (holds) => {
    if (holds === undefined) return
    if (!holds) {
      since?.abort()
      since = undefined
    } else if (holdMs === 0) {
      end()
    } else if (since === undefined) {
      const broken = new AbortController()
      since = broken
      const held = context.clock.delay(holdMs, AbortSignal.any([signal, broken.signal]))
      void held.then(() => signal.aborted || broken.signal.aborted || end())
    }
  }
}

function timedOut(timeoutMs: number): CommandError {
  return new CommandError('timeout', `timed out after ${showDuration(timeoutMs)}`)
}
