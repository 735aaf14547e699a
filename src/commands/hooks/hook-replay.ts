// `hook replay`: what a trigger would have done on candles of the past. It reads; nothing is sent, and no account is touched (behaviour 53).
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import { CANDLE_MS, type CandleInterval } from '../../exchange/market.ts'
import { START_BALANCE } from '../../exchanges/paper/paper-controls.ts'
import { requireRegistrable } from '../../hooks/registration.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, renderCsv, shown } from '../../language/printable.ts'
import { parseMoment } from '../../language/time.ts'
import type { Hook } from '../../stores/hooks.ts'
import { StoreError } from '../../stores/store-error.ts'
import {
  showAmount,
  showAverageAlone,
  showDuration,
  showGain,
  showMoment,
  showPrice,
  showSum,
  showZonedTime,
} from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import { parseTrigger } from '../../triggers/trigger.ts'
import { isoTime } from '../history/show-list.ts'
import type { CommandContext, CommandForm, CompletionContext, Output } from '../kit/command.ts'
import type { HookReplayData, ReplayFire, ReplayResult } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { type Column, renderTable } from '../kit/lines.ts'
import type { CandleChoice, CommandPorts, PageReplay, ReplayProgress, ReplayRequest } from '../kit/ports.ts'
import { insideArgument, missing, readText, refuseMoreThan, takeFlag, takeOption } from '../kit/read-arguments.ts'
import type { CommandLookup } from '../kit/resolve.ts'
import { interrupted } from '../kit/running.ts'
import { requireNoSlots, symbolOf, takeWhen } from './hook-trigger.ts'

type Need = 'hooks' | 'accounts' | 'aliases' | 'variables' | 'focus' | 'connect' | 'replay'
type Context = CommandContext<Need>

export function replayForm(
  lookup: CommandLookup,
  complete: (context: CompletionContext) => readonly string[],
): CommandForm<Need> {
  return {
    name: 'replay',
    usage: `<name | id | prefix> --since 90d | --candles <file.csv> [--gaps]
--when "<condition | every … | at …>" "<command>" --since 90d | --candles <file.csv> [--gaps]
  [--frame 1m] [--balance $10000] [--account <name>] [--csv | --json]`,
    summary: 'try a hook with a condition on candles of the past; nothing is sent',
    where: 'trusted',
    rows: 'own',
    takesWide: true,
    underPanic: true,
    examples: [
      { line: 'hook replay dip --since 90d', meaning: "the last 90 days, by candles of the account's venue" },
      {
        line: 'hook replay dip --candles examples/candles/chop.csv',
        meaning: 'time, open, high, low, close, volume: line by line',
      },
      {
        line: 'hook replay --when "rsi(14, 1m) crosses above 35" "buy $1000 BTCUSDT stop -0.5% tp 1%" --candles examples/candles/chop.csv',
        meaning: 'without a hook',
      },
      {
        line: 'hook replay dip --since 7d --frame 1m',
        meaning: 'checks stops and targets every minute: slower, more accurate',
      },
    ],
    details: [
      'A file has lines of time, open, high, low, close, volume (with commas), the oldest first; the header and the volume may be left out. Times are ISO (UTC where',
      'no zone is named) or seconds or ms since 1970. Lines that are not later than the one before, negative prices and, without --gaps, missing',
      'candles are refused with their number.',
      'The hook keeps its limits, and the account those of `guards`; its pause, --dry and the switches do not count.',
    ],
    complete: (completion) =>
      completion.words.at(-1) === '--account'
        ? completion.accounts
        : completion.words.at(-1) === '--frame'
          ? FRAMES
          : completion.words.length === 0
            ? [...complete(completion), '--when']
            : OPTIONS,
    async run(context, args) {
      const wanted = await readWanted(context, args, lookup)
      const { request, form, hook } = wanted
      const result = await context.ports.replay(request, {
        signal: context.signal,
        onProgress: progressLines(context, form),
      })
      const { when, hook: of } = request
      const data: HookReplayData = { type: 'hook-replay', ...defined({ hook }), when, command: of.command, ...result }
      if (form === 'json') context.out.print(JSON.stringify(data, undefined, 1), data)
      else if (form === 'csv') context.out.print(csvOf(result), data)
      else print(context, data)
      if (result.ended === 'stopped') throw interrupted()
    },
  }
}

const FRAMES = Object.keys(CANDLE_MS) as CandleInterval[]
const OPTIONS = ['--since', '--candles', '--gaps', '--frame', '--balance', '--account', '--when', '--csv', '--json']

interface Wanted {
  readonly request: ReplayRequest
  readonly form: 'table' | 'csv' | 'json'
  /** The name of one that is stored. */
  readonly hook: string | undefined
}

async function readWanted(context: Context, args: readonly Argument[], lookup: CommandLookup): Promise<Wanted> {
  const { rest: withoutWhen, when: typed } = takeWhen(args)
  const { rest: withoutAccount, value: named } = takeOption(withoutWhen, '--account', "the account's name")
  const { rest: withoutSince, value: since } = takeOption(withoutAccount, '--since', 'the time')
  const { rest: withoutFile, value: path } = takeOption(withoutSince, '--candles', 'the file')
  const { rest: withoutFrame, value: frame } = takeOption(withoutFile, '--frame', 'the frame')
  const { rest: withoutBalance, value: balance } = takeOption(withoutFrame, '--balance', 'the balance')
  const { rest: withoutGaps, given: mayHaveGaps } = takeFlag(withoutBalance, '--gaps')
  const { rest: withoutCsv, given: isCsv } = takeFlag(withoutGaps, '--csv')
  const { rest, given: isJson } = takeFlag(withoutCsv, '--json')
  if (isCsv && isJson) throw new LanguageError('bad-argument', '`--csv` and `--json` exclude each other', 1)
  const { ports } = context
  const [first] = rest
  if (first === undefined)
    throw missing(rest, typed === undefined ? "the hook's name or id" : 'a hook, or a command in quotes,')
  const behind = rest[1]
  const isFile = behind?.kind === 'word' && /[./]/.test(behind.text) && path === undefined
  refuseMoreThan(1, rest, isFile ? `type --candles ${behind.text}` : undefined)
  const hook = storedHook(context, first, typed !== undefined)
  const account = named ?? hook?.account ?? context.accountName
  const of = hook ?? (await lineAsHook(context, first, lookup, account))
  const trigger = readTrigger(typed, hook)
  if ((since === undefined) === (path === undefined)) {
    const hint = 'type --since 90d for candles of the venue, or --candles file.csv'
    throw new LanguageError('missing-argument', 'a replay takes candles from one place', 1, hint)
  }
  if (path !== undefined && frame !== undefined) {
    throw new LanguageError('bad-argument', 'a file has its own frame', 1, 'remove --frame')
  }
  const request = await requestOf(ports, lookup, {
    hook: of,
    trigger,
    account,
    balance: readBalance(balance),
    candles:
      path === undefined
        ? {
            since: parseMoment(since ?? '', 1, context.clock.now()),
            ...defined({ frame: frame === undefined ? undefined : readFrame(frame) }),
          }
        : { path, mayHaveGaps },
  })
  return { request, form: isCsv ? 'csv' : isJson ? 'json' : 'table', hook: hook?.name }
}

interface Tried extends Pick<ReplayRequest, 'hook' | 'balance'> {
  readonly trigger: { readonly text: string; readonly symbol?: string }
  readonly account: string
  readonly candles:
    | { readonly path: string; readonly mayHaveGaps: boolean }
    | { readonly since: number; readonly frame?: CandleInterval }
}

type TriedPorts = Pick<CommandPorts, 'accounts' | 'aliases' | 'variables' | 'focus' | 'connect'>

/** @throws {CommandError} @throws {ExchangeError} the market cannot be asked for */
async function requestOf(
  ports: TriedPorts,
  lookup: CommandLookup,
  { hook, trigger, account, balance, candles }: Tried,
): Promise<ReplayRequest> {
  requireNoSlots(hook.command)
  const row = ports.accounts.find(account)
  if (row === undefined) {
    throw new CommandError('unknown-account', `no account ${printable(account, 40)} found`, {
      hint: '`account` lists them',
    })
  }
  const { venue } = await ports.connect(account)
  const traded = await findMarket(venue, symbolOf(ports, lookup, hook.command))
  const market = trigger.symbol === undefined ? traded : await findMarket(venue, trigger.symbol)
  requireSame(market.symbol, traded.symbol)
  const choice: CandleChoice = 'path' in candles ? { from: 'file', ...candles } : { from: 'venue', venue, ...candles }
  return { when: trigger.text, hook, account: row, market, candles: choice, balance }
}

// As a page asks for it.

const DAY_MS = 86_400_000

interface PagePorts extends TriedPorts, Pick<CommandPorts, 'replay'> {
  readonly hooks: Pick<CommandPorts['hooks'], 'list'>
}

/** @throws as `ReplayHook` */
export async function replayForPage(
  ports: PagePorts,
  lookup: CommandLookup,
  { hookId, days, maxCandles }: PageReplay,
  now: number,
  signal: AbortSignal,
): Promise<HookReplayData> {
  const hook = ports.hooks.list().find(({ id }) => id === hookId)
  if (hook === undefined) throw new CommandError('unknown-hook', 'there is no such hook')
  const trigger = readTrigger(undefined, hook)
  const frame = frameFor(trigger.text, days, maxCandles)
  const since = now - days * DAY_MS
  const account = hook.account ?? ports.focus.account()
  const candles = { since, frame }
  const request = await requestOf(ports, lookup, { hook, trigger, account, balance: START_BALANCE, candles })
  const result = await ports.replay(request, { signal, onProgress: () => {} })
  return { type: 'hook-replay', hook: hook.name, when: request.when, command: hook.command, ...result }
}

/** The shortest bars of the condition; of prices and times the shortest of which there are not too many. */
function frameFor(when: string, days: number, maxCandles: number): CandleInterval {
  const trigger = parseTrigger(when)
  const most = trigger.kind === 'condition' ? trigger.condition.frames[0] : undefined
  const fits = FRAMES.find((frame) => (days * DAY_MS) / CANDLE_MS[frame] <= maxCandles) ?? '1d'
  if (most === undefined || CANDLE_MS[most] >= CANDLE_MS[fits]) return most ?? fits
  const longest = Math.floor((maxCandles * CANDLE_MS[most]) / DAY_MS)
  throw new CommandError(
    'bad-argument',
    `${days} days of ${most} are more than ${maxCandles.toLocaleString('en-US')} candles`,
    {
      hint: `choose ${longest} days or fewer, or use \`hook replay\` in the terminal`,
    },
  )
}

/** With `--when`, any other text is a command. */
function storedHook({ ports }: Context, first: Argument, hasWhen: boolean): Hook | undefined {
  try {
    return ports.hooks.resolve(readText(first))
  } catch (error) {
    if (!hasWhen || !(error instanceof StoreError)) throw error
    return undefined
  }
}

async function lineAsHook(
  { ports }: Context,
  first: Argument,
  lookup: CommandLookup,
  account: string,
): Promise<ReplayRequest['hook']> {
  const command = readText(first)
  await requireRegistrable(ports, lookup, { command, account }).catch((error: unknown) => {
    throw error instanceof LanguageError ? insideArgument(error, first) : error
  })
  return { name: 'replay', command }
}

function readTrigger(
  typed: Argument | undefined,
  hook: Hook | undefined,
): { readonly text: string; readonly symbol?: string } {
  if (typed === undefined && hook?.when !== undefined)
    return defined({ text: hook.when.text, symbol: hook.when.symbol }) as { text: string }
  if (typed === undefined) {
    throw new CommandError('bad-argument', `hook ${printable(hook?.name ?? '', 64)} has no condition`, {
      hint: 'type one: --when "close(1h) > ema(50)"; `hook edit` keeps it with the hook',
    })
  }
  const column = typed.kind === 'string' ? typed.column + 1 : typed.column
  const trigger = parseTrigger(readText(typed), column)
  if (trigger.kind === 'schedule') return { text: readText(typed).trim() }
  return { text: trigger.text, ...defined({ symbol: trigger.symbol }) }
}

/** @throws {CommandError} the command trades another symbol than the one that is judged */
function requireSame(judged: string, traded: string): void {
  if (traded === judged) return
  throw new CommandError('not-supported', `the condition judges ${judged}, and the command trades ${traded}`, {
    hint: 'judge and trade one symbol in a replay',
  })
}

function readFrame(text: string): CandleInterval {
  if (text in CANDLE_MS) return text as CandleInterval
  throw new LanguageError('bad-argument', `${shown(text)} is not a frame`, 1, `type one of ${FRAMES.join(' ')}`)
}

function readBalance(text: string | undefined): string {
  if (text === undefined) return START_BALANCE
  const figure = text.replace(/^\$/, '')
  if (/^\d{1,12}(\.\d{1,8})?$/.test(figure) && Number(figure) > 0) return new Decimal(figure).toFixed()
  throw new LanguageError('bad-argument', `${shown(text)} is not a balance`, 1, 'type one such as $10000')
}

// Progress.

const FIRST_PROGRESS_MS = 1_000
const PROGRESS_EVERY_MS = 5_000

/** After a second, and then each five: how far it is, and how long it still takes. */
function progressLines({ clock, out }: Context, form: Wanted['form']): (progress: ReplayProgress) => void {
  const startedAt = clock.now()
  let next = startedAt + FIRST_PROGRESS_MS
  return ({ done, bars, at }) => {
    const now = clock.now()
    if (now < next || form !== 'table') return
    next = now + PROGRESS_EVERY_MS
    const left = done > 0 ? `, about ${showDuration(((now - startedAt) / done) * (1 - done))} left` : ''
    out.info(`${Math.floor(done * 100)}%: ${bars.toLocaleString('en-US')} candles, to ${showMoment(at)}${left}`)
  }
}

// The report.

const SHOWN_FIRES = 20
const SHOWN_TASKS = 5
const CURVE_ROWS = 6
const WIDEST_CURVE = 100

function print({ out, tableWidth }: Context, data: HookReplayData): void {
  const { symbol, frame, bars, from, to, when, command, fires } = data
  const what = data.hook === undefined ? 'a line' : `hook ${printable(data.hook, 64)}`
  out.print(`${what} on ${symbol}, ${bars.toLocaleString('en-US')} candles of ${frame}`, data)
  out.print(`from  ${showZonedTime(from)} to ${showMoment(to)}`)
  out.print(`when  ${printable(when, 300)}`)
  out.print(`runs  ${printable(command, 300)}`)
  if (tableWidth !== undefined && fires.length > 0) out.print(curveOf(data, tableWidth))
  out.print(renderTable([{ title: '' }, { title: '' }], figuresOf(data)))
  if (fires.length > 0) out.print(firesOf(data, tableWidth))
  printUnknown(out, data)
}

function printUnknown(out: Output, { notes, unknown, ended, to }: HookReplayData): void {
  for (const note of notes) out.warn(printable(note, 300))
  out.print(['assumptions:', ...unknown.map((each) => `  ${each}`)].join('\n'))
  if (ended === 'stopped') out.warn(`stopped: the results until ${showMoment(to)}`)
  if (ended === 'too-many-fires') out.warn(`it ends here, at ${showMoment(to)}: a replay has at most 10,000 fires`)
  out.info('nothing was sent; past results do not predict future results')
}

function curveOf({ equity, currency }: ReplayResult, width: number): string {
  const values = equity.map(([, value]) => Number(value))
  const labels = [Math.max(...values), Math.min(...values)].map((value) => showSum(value.toFixed(2), currency))
  const margin = Math.max(...labels.map((label) => label.length)) + 1
  const rows = brailleCurve(values, Math.max(8, Math.min(WIDEST_CURVE, width - margin)), CURVE_ROWS)
  const [highest = '', lowest = ''] = labels
  return rows
    .map((row, index) => {
      const label = index === 0 ? highest : index === rows.length - 1 ? lowest : ''
      return `${label.padStart(margin - 1)} ${row}`
    })
    .join('\n')
}

function figuresOf(data: HookReplayData): readonly (readonly [string, string])[] {
  const { stats, currency, open, deepestFall: fall, fees, fills, profit, profitPercent } = data
  const sum = (text: string) => showSum(text, currency)
  const { r } = stats
  const trades = r && (r.trades === 1 ? '(1 trade)' : `on average, ${r.worst} to ${r.best}, of ${r.trades} trades`)
  return [
    ['fires', firesInWords(data.fires)],
    ...(data.tasks ?? []).slice(-SHOWN_TASKS).map(({ kind, status, doing = '' }) => {
      const state = status === 'cancelled' ? 'canceled' : status
      return [kind, printable(`${state}${doing === '' ? '' : `: ${doing}`}`, 200)] as const
    }),
    ['fills', `${fills.length.toLocaleString('en-US')}, fees ${sum(fees)}`],
    ['profit', `${sum(profit)} (${profitPercent}%) after fees, from ${sum(data.balance)}`],
    ...(open === undefined ? [] : [['  of it open', openInWords(open, currency)] as const]),
    ['max drawdown', fall === undefined ? 'none' : `${sum(fall.amount)} (${fall.percent}%)`],
    ...(fall === undefined ? [] : [['  from, to', `${showZonedTime(fall.from)}, ${showMoment(fall.to)}`] as const]),
    ['trades', tradesInWords(data)],
    ...(stats.trades === 0 ? [] : [['R', r === undefined ? 'n/a: needs a stop' : `${r.average} ${trades}`] as const]),
    ['in the market', `${data.inMarketPercent}% of the time`],
  ]
}

function openInWords({ pnl, side, amount, entryPrice }: NonNullable<ReplayResult['open']>, currency: string): string {
  return `${showSum(pnl, currency)}, ${side} ${showAmount(amount)} from ${showAverageAlone(entryPrice)} at the end`
}

function firesInWords(fires: readonly ReplayFire[]): string {
  const counts = new Map<string, number>()
  for (const { run } of fires) {
    const state =
      run === undefined ? 'without a candle after it' : run.state === 'running' ? 'still running' : run.state
    counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  const parts = [...counts].map(([state, count]) => `${count.toLocaleString('en-US')} ${state}`)
  return parts.length === 0 ? 'none' : `${fires.length.toLocaleString('en-US')}: ${parts.join(', ')}`
}

function tradesInWords({ stats, open, currency }: ReplayResult): string {
  const { trades, won, lost, even, winRate } = stats
  if (trades === 0 && open !== undefined) {
    return `none closed: ${open.side} ${showAmount(open.amount)} is open, ${showSum(open.pnl, currency)} unrealized`
  }
  if (trades === 0) return 'no round trips'
  const level = even === 0 ? '' : `, ${even} even`
  return `${trades} closed: ${won} won, ${lost} lost${level}${winRate === undefined ? '' : `; win rate ${winRate}%`}`
}

function firesOf({ fires, fills, currency }: ReplayResult, width: number | undefined): string {
  const columns: readonly Column[] = [
    { title: 'fired', isTime: true },
    { title: 'price', align: 'point' },
    { title: 'run' },
    { title: 'result', least: 24 },
    { title: 'before fees', align: 'point', rank: 5 },
  ]
  const pnlOf = new Map<string, Decimal>()
  for (const { run, pnl = '0' } of fills)
    if (run !== undefined) pnlOf.set(run, (pnlOf.get(run) ?? new Decimal(0)).plus(pnl))
  const cells = fires
    .slice(-SHOWN_FIRES)
    .map(({ at, price, run }) => [
      showZonedTime(at),
      showPrice(price),
      run?.state ?? 'no candle',
      printable(run?.error ?? broughtFirst(run?.outcome), 200),
      resultOf(pnlOf.get(run?.id ?? ''), currency),
    ])
  const older = fires.length - cells.length
  const more =
    older === 0 ? '' : `\n${older.toLocaleString('en-US')} older fires are left out: \`--csv\` and \`--json\` have all`
  return `${renderTable(columns, cells, width)}${more}`
}

/** Its first order: the stop behind it is in `--csv` and `--json`. */
function broughtFirst(outcome = ''): string {
  return outcome.split('; ')[0] ?? ''
}

/** Nothing of it has closed yet. */
function resultOf(pnl: Decimal | undefined, currency: string): string {
  return pnl === undefined || pnl.isZero() ? '' : showGain(pnl.toFixed(), (sum) => showSum(sum, currency))
}

const CSV_COLUMNS = ['kind', 'time', 'price', 'side', 'amount', 'fee', 'pnl', 'run', 'state', 'text']

/** Fires and fills in one list, in the order of time. */
function csvOf({ fires, fills }: ReplayResult): string {
  const rows = [
    ...fires.map(({ at, price, run }) => ({
      at,
      cells: [
        'fire',
        isoTime(at) ?? '',
        price,
        '',
        '',
        '',
        '',
        run?.id ?? '',
        run?.state ?? '',
        run?.error ?? run?.outcome ?? '',
      ],
    })),
    ...fills.map(({ at, price, side, amount, fee = '', pnl = '', run = '' }) => ({
      at,
      cells: ['fill', isoTime(at) ?? '', price, side, amount, fee, pnl, run, '', ''],
    })),
  ].sort((a, b) => a.at - b.at)
  return renderCsv(
    CSV_COLUMNS,
    rows.map(({ cells }) => cells),
  )
}

// A curve in rows of braille: each cell is two dots wide and four high.

/** The dot of each row of a cell, of the left column and the right one. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const
const EMPTY = 0x2800

/**
 * @param values at least one, at equal distances
 * @param width in cells @param height in rows
 * @returns the rows, the highest first; of values that are all the same, a line in the middle
 */
function brailleCurve(values: readonly number[], width: number, height: number): readonly string[] {
  const [columns, dots] = [2 * width, 4 * height]
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const rowOf = (value: number) =>
    most === least ? Math.floor(dots / 2) : Math.round(((most - value) / (most - least)) * (dots - 1))
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(EMPTY))
  let before: number | undefined
  for (let column = 0; column < columns; column += 1) {
    const at = columns === 1 ? 0 : Math.round((column / (columns - 1)) * (values.length - 1))
    const row = rowOf(values[at] ?? 0)
    // From the dot before to this one, so that a step is a line.
    const [from, to] = before === undefined ? [row, row] : [Math.min(before, row), Math.max(before, row)]
    for (let dot = from; dot <= to; dot += 1) mark(cells, column, dot)
    before = row
  }
  return cells.map((row) => String.fromCodePoint(...row))
}

function mark(cells: readonly number[][], column: number, dot: number): void {
  const row = cells[Math.floor(dot / 4)]
  const bit = DOTS[dot % 4]?.[column % 2] ?? 0
  const cell = Math.floor(column / 2)
  if (row !== undefined) row[cell] = (row[cell] ?? EMPTY) | bit
}
