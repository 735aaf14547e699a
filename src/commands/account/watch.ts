// `watch`: the account on one screen, drawn anew as it changes. Its keys write the lines that a person would type, and run none by themselves.
import type { Key } from 'node:readline'
import { defined } from '../../base/defined.ts'
import type { VenueView } from '../../exchange/exchange.ts'
import type { Market, Ticker } from '../../exchange/market.ts'
import type { PositionDetailRow } from '../../protocol/rows.ts'
import type { RunSummary } from '../../runs/run.ts'
import { scrubTask } from '../../stores/tasks.ts'
import type { FullView, ScreenSize, ViewHost } from '../../terminal/full-screen.ts'
import type { Clock } from '../../trading/clock.ts'
import { keepTimeZone } from '../../trading/figures.ts'
import { type JournalHistory, NO_HISTORY } from '../../trading/history/journal-history.ts'
import { findMarket } from '../../trading/market-view.ts'
import { currenciesOf, settleBalance } from '../../trading/portfolio.ts'
import type { CommandContext, SingleCommand } from '../kit/command.ts'
import type { WatchData } from '../kit/data.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { guardWords } from '../kit/lines.ts'
import { refuseMoreThan, takeFlag } from '../kit/read-arguments.ts'
import { isUnderWay } from '../tasks/task-words.ts'
import { detailOf } from './positions.ts'
import {
  type Board,
  boardText,
  isStale,
  lineOf,
  type NewsLine,
  renderBoard,
  rowsOf,
  type Seen,
  type Tone,
} from './watch-board.ts'

type Need = 'orderHistory' | 'terminal' | 'connect' | 'focus' | 'guards' | 'tasks' | 'runArchive'

export const watch: SingleCommand<Need> = {
  name: 'watch',
  aliases: ['top'],
  group: 'account',
  usage: '[--once] [--json]',
  summary: 'a live screen: positions with their stops, orders, tasks and runs',
  where: 'trusted',
  showsAccounts: true,
  rows: 'own',
  immediate: true,
  examples: [
    { line: 'watch', meaning: 'until q; keys write `close`, `cancel` and `stop breakeven`, and y or Enter runs them' },
    { line: 'watch --once', meaning: 'the screen as it is now, also without a terminal' },
  ],
  details: [
    'keys   up and down (k, j) choose a position or an order',
    '       c writes `close`, b `stop breakeven`, x `cancel`: y or Enter runs the line, any other key cancels',
    '       f writes `nuke --yes`, which a typed yes runs; q, Esc and Ctrl-C leave',
    '       `hookline watch` in another shell only looks',
  ],
  complete: () => ['--once', '--json'],
  async run(context, args) {
    const json = takeFlag(args, '--json')
    const once = takeFlag(json.rest, '--once')
    refuseMoreThan(0, once.rest, '`watch` shows every position; `price` shows one symbol')
    const reader = new BoardReader(context)
    if (once.given || json.given) {
      const board = await reader.once()
      const data = dataOf(board)
      return context.out.print(json.given ? JSON.stringify(data, undefined, 1) : boardText(board), data)
    }
    const { terminal } = context.ports
    if (terminal?.show === undefined) {
      throw new CommandError('no-terminal', '`watch` needs a terminal', {
        hint: '`watch --once` prints the screen as it is now, also with --json',
      })
    }
    await terminal.show(new WatchView(reader, context.clock), context.signal)
  },
}

function dataOf(board: Board): WatchData {
  const { account, symbol, words, now, seen, problem, tasks, runs } = board
  return {
    type: 'watch',
    account,
    symbol,
    guards: words,
    at: now,
    isStale: isStale(board),
    ...defined({ problem, ticker: seen?.ticker, balance: seen?.balance }),
    positions: seen?.held ?? [],
    orders: seen?.orders ?? [],
    unsettled: seen?.unsettled ?? 0,
    tasks: tasks.map(scrubTask),
    runs,
  }
}

// What the screen shows is read here: a paper account each second, a live one after news of it, and at least every ten seconds.

const TICK_MS = 1_000
const LIVE_MS = 10_000
const RUNS_MS = 3_000
const MAX_RUNS = 6
const MAX_READ_RUNS = 50
const MAX_NEWS = 50
/** A venue that takes longer does not answer. */
const ANSWER_MS = 10_000

interface Place {
  readonly account: string
  readonly symbol: string
}

interface Followed {
  readonly place: Place
  readonly venue: VenueView
  readonly stop: () => void
}

interface Held extends Pick<Seen, 'positions' | 'orders'> {
  readonly account: string
  readonly markets: readonly Market[]
}

class BoardReader {
  readonly #context: CommandContext<Need>
  #seen: Seen | undefined
  /** Of which `#seen` is. */
  #place: Place
  #problem: string | undefined
  #looking: { readonly place: Place; readonly since: number } | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #hasNews = false
  #journal: { readonly key: string; readonly journal: JournalHistory } | undefined
  #followed: Followed | undefined
  #runs: readonly RunSummary[] = []
  #runsAt = Number.NEGATIVE_INFINITY
  #news: readonly NewsLine[] = []
  #bug: unknown
  #changed: () => void = () => {}

  constructor(context: CommandContext<Need>) {
    this.#context = context
    this.#place = this.#wanted()
  }

  /** Reads until it is ended. @param changed called when `board()` is another */
  start(changed: () => void): () => void {
    const ending = new AbortController()
    this.#changed = changed
    void this.#goOn(ending.signal)
    return () => {
      ending.abort()
      this.#changed = () => {}
      this.#unfollow()
    }
  }

  /** Asks everything once, and waits for it. @throws {CommandError} @throws {ExchangeError} */
  async once(): Promise<Board> {
    const [seen] = await Promise.all([this.#ask(this.#place), this.#readRuns()])
    this.#seen = seen.seen
    return this.board()
  }

  /** @throws the bug of a read */
  board(): Board {
    if (this.#bug !== undefined) throw this.#bug
    const { ports, clock } = this.#context
    const place = this.#wanted()
    // Of another account or symbol, nothing is known yet.
    const isIt = isSame(place, this.#place)
    return {
      ...place,
      words: guardWords(ports, place.account),
      now: clock.now(),
      isSilent: this.#followed?.venue.stream === 'stale' && isSame(place, this.#followed.place),
      ...(isIt ? defined({ seen: this.#seen, problem: this.#problem }) : {}),
      tasks: ports.tasks.list().filter((task) => isUnderWay(task) && task.account === place.account),
      runs: this.#runs,
      news: this.#news,
    }
  }

  receive(lines: readonly NewsLine[]): void {
    this.#news = [...this.#news, ...lines].slice(-MAX_NEWS)
  }

  /** At the prompt the focus is followed; `exec` may have been given an account and a symbol of its own. */
  #wanted(): Place {
    const { source, ports, accountName, symbol } = this.#context
    if (source === 'exec') return { account: accountName, symbol }
    return { account: ports.focus.account(), symbol: ports.focus.symbol() }
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context
    while (!signal.aborted) {
      this.#tick(signal)
      await clock.delay(TICK_MS, signal)
    }
  }

  #tick(signal: AbortSignal): void {
    const { clock } = this.#context
    const now = clock.now()
    const place = this.#wanted()
    if (!isSame(place, this.#place)) {
      this.#place = place
      this.#seen = undefined
      this.#problem = undefined
      this.#lookedAt = Number.NEGATIVE_INFINITY
      this.#unfollow()
    }
    const isAsked = this.#looking !== undefined && isSame(this.#looking.place, place)
    if (isAsked && this.#looking !== undefined && now - this.#looking.since > ANSWER_MS) {
      this.#problem = 'the venue does not answer'
    }
    if (!isAsked && this.#isDue(now)) void this.#look(place, signal)
    if (now - this.#runsAt >= RUNS_MS) {
      this.#runsAt = now
      this.#readRuns().catch((error: unknown) => this.#fail(error))
    }
    this.#changed()
  }

  /** A live venue bans who asks too often; what happens there is told. */
  #isDue(now: number): boolean {
    return this.#followed?.venue.id === 'paper' || this.#hasNews || now - this.#lookedAt >= LIVE_MS
  }

  async #look(place: Place, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context
    this.#looking = { place, since: clock.now() }
    this.#lookedAt = clock.now()
    this.#hasNews = false
    const looking = this.#looking
    try {
      const { seen, venue } = await this.#ask(place, (first) => {
        if (signal.aborted || !isSame(place, this.#place) || this.#seen !== undefined) return
        this.#seen = first
        this.#changed()
      })
      if (signal.aborted || !isSame(place, this.#place)) return
      this.#seen = seen
      this.#problem = undefined
      this.#follow(venue, place)
    } catch (error) {
      if (signal.aborted || !isSame(place, this.#place)) return
      if (isRefusal(error)) this.#problem = describeRefusal(error)
      else this.#fail(error)
    } finally {
      if (this.#looking === looking) this.#looking = undefined
    }
    this.#changed()
  }

  /** @param onAnswer called with what the venue has answered, before the journals are read: those may be long */
  async #ask(
    { account, symbol }: Place,
    onAnswer?: (seen: Seen) => void,
  ): Promise<{ readonly seen: Seen; readonly venue: VenueView }> {
    const { ports, clock } = this.#context
    const { venue, orders: desk } = await ports.connect(account)
    const unsettled = desk.records.unsettledAnywhere()
    unsettled.catch(() => {})
    const [markets, ticker, balances, positions, orders] = await Promise.all([
      venue.loadMarkets(),
      tickerOf(venue, symbol),
      venue.fetchBalances(),
      venue.fetchPositions(),
      venue.fetchOpenOrders(),
    ])
    const balance = settleBalance(balances, currenciesOf(markets, ticker?.symbol ?? symbol))
    const known = { at: clock.now(), kind: venue.kind, markets, positions, ...defined({ ticker, balance }) }
    const changes = desk.records.unsettledChanges().length
    onAnswer?.({ ...known, held: heldRows({ positions, orders, markets }, NO_HISTORY), orders, unsettled: changes })
    const listed = await desk.records.withBrackets(orders)
    const held = await this.#withRisk({ account, positions, orders: listed, markets })
    return { venue, seen: { ...known, held, orders: listed, unsettled: (await unsettled).length + changes } }
  }

  /** The journal is read again once a position has changed: what was risked is in it. */
  async #withRisk({ account, ...of }: Held): Promise<readonly PositionDetailRow[]> {
    const { positions } = of
    const key = JSON.stringify([account, positions.map(({ symbol, side, amount }) => [symbol, side, amount])])
    if (this.#journal?.key !== key) {
      const journal = positions.length === 0 ? NO_HISTORY : await this.#context.ports.orderHistory(account)
      this.#journal = { key, journal }
    }
    return heldRows(of, this.#journal.journal)
  }

  #follow(venue: VenueView, place: Place): void {
    if (this.#followed?.venue === venue && isSame(this.#followed.place, place)) return
    this.#unfollow()
    const symbol = this.#seen?.ticker?.symbol
    const unsubscribe = venue.subscribe((event) => {
      if (event.type === 'ticker') this.#receivedPrice(event.ticker)
      else if (event.type === 'stream') this.#changed()
      else this.#hasNews = true
    })
    const unwatch = symbol === undefined ? () => {} : venue.watchTicker(symbol)
    this.#followed = {
      venue,
      place,
      stop() {
        unwatch()
        unsubscribe()
      },
    }
  }

  #unfollow(): void {
    this.#followed?.stop()
    this.#followed = undefined
  }

  #receivedPrice(ticker: Ticker): void {
    if (this.#seen?.ticker?.symbol !== ticker.symbol) return
    this.#seen = { ...this.#seen, ticker }
    this.#changed()
  }

  async #readRuns(): Promise<void> {
    const { ports, runId } = this.#context
    const runs = await ports.runArchive.find({ limit: MAX_READ_RUNS })
    this.#runs = runs.filter((run) => run.runId !== runId && isOfInterest(run)).slice(0, MAX_RUNS)
  }

  #fail(error: unknown): void {
    this.#bug = error
    this.#changed()
  }
}

function heldRows(
  { positions, orders, markets }: Omit<Held, 'account'>,
  journal: JournalHistory,
): readonly PositionDetailRow[] {
  return positions.map((position) => {
    const market = markets.find(({ symbol }) => symbol === position.symbol)
    return detailOf(position, { market, markets, orders, journal })
  })
}

/** A line that was typed at the prompt and has ended is known to its operator. */
function isOfInterest({ source, state }: RunSummary): boolean {
  return source !== 'repl' || state === 'running' || state === 'waiting'
}

function isSame(a: Place, b: Place): boolean {
  return a.account === b.account && a.symbol === b.symbol
}

/** A symbol that the venue does not have hides nothing else. */
async function tickerOf(venue: VenueView, symbol: string): Promise<Ticker | undefined> {
  try {
    const market = await findMarket(venue, symbol)
    return await venue.fetchTicker(market.symbol)
  } catch (error) {
    if (isRefusal(error) && (error.code === 'bad-symbol' || error.code === 'unknown-symbol')) return undefined
    throw error
  }
}

// The person in front of it.

type Mode =
  | { readonly kind: 'look' }
  /** A line waits for its key: Enter, or a typed `yes`. */
  | {
      readonly kind: 'line'
      readonly line: string
      readonly account: string
      /** ms since the epoch. */
      readonly writtenAt: number
      readonly typed?: string
    }

/** A key that was on its way as the view or the question came answers nothing. */
const QUIET_MS = 250
/** A command that is typed here by mistake holds letters that are keys: after one that is none, no key writes a line for so long. */
const STRAY_MS = 1_000
const STRAY = 'commands are typed at the prompt: q leaves this view'
const LOOKS_ONLY = 'this view only looks: type the line at the prompt of hookline'
const LOOK_KEYS = '↑↓ row  q leave'
const KEYS = '↑↓ row  c close  b break even  x cancel  f nuke  q leave'

class WatchView implements FullView {
  readonly #reader: BoardReader
  readonly #clock: Pick<Clock, 'now'>
  #host: ViewHost | undefined
  #openedAt = 0
  #chosen: string | undefined
  #chosenAt = 0
  #mode: Mode = { kind: 'look' }
  #remark: NewsLine | undefined
  #strayAt = Number.NEGATIVE_INFINITY

  constructor(reader: BoardReader, clock: Pick<Clock, 'now'>) {
    this.#reader = reader
    this.#clock = clock
  }

  open(host: ViewHost): () => void {
    this.#host = host
    this.#openedAt = this.#clock.now()
    return this.#reader.start(host.redraw)
  }

  // A price, a clock and a key each draw it: all in the zone of the line that opened it.
  readonly draw = keepTimeZone((size: ScreenSize): readonly string[] => this.#draw(size))

  #draw(size: ScreenSize): readonly string[] {
    const board = this.#reader.board()
    this.#keepChosen(board)
    const mode = this.#mode
    if (mode.kind === 'line' && mode.account !== board.account) {
      this.#drop(`the account in focus is ${board.account} now: nothing was sent`)
    }
    const keys = this.#host?.run === undefined ? LOOK_KEYS : KEYS
    const remark = this.#mode.kind === 'line' ? questionOf(this.#mode) : this.#remark
    const coloured = this.#host?.coloured ?? false
    return renderBoard(board, { ...size, coloured, keys, ...defined({ chosen: this.#chosen, remark }) })
  }

  received(lines: readonly string[]): void {
    this.#reader.receive(lines.map(newsOf))
  }

  onKey(text: string | undefined, key: Key): void {
    if (key.ctrl === true && key.name === 'c') return this.#host?.close()
    if (this.#mode.kind === 'line') return this.#onAnswer(this.#mode, text, key)
    this.#remark = undefined
    if (text === 'q' || key.name === 'escape') return this.#host?.close()
    if (key.name === 'up' || text === 'k') return this.#choose(-1)
    if (key.name === 'down' || text === 'j') return this.#choose(1)
    if (text === 'c' || text === 'b' || text === 'x' || text === 'f') this.#write(text)
    else if (text !== undefined && /^[\w/$]$/.test(text)) this.#noteStray()
  }

  /** `n` and `q` in one piece: the line must not be there for the next Enter. */
  onPaste(): void {
    if (this.#mode.kind !== 'line') return
    this.#drop('nothing was sent: several keys came at once')
    this.#strayAt = this.#clock.now()
  }

  #noteStray(): void {
    this.#strayAt = this.#clock.now()
    this.#remark = { text: STRAY, tone: 'dim' }
  }

  #onAnswer(mode: Extract<Mode, { kind: 'line' }>, text: string | undefined, key: Key): void {
    const { line, account, typed } = mode
    const isYes = typed === undefined && /^y$/i.test(text ?? '')
    const isEnter = key.name === 'return' || key.name === 'enter' || isYes
    if (isEnter && this.#clock.now() - mode.writtenAt < QUIET_MS) {
      this.#drop(`nothing was sent: ${isYes ? 'y' : 'Enter'} came too soon after the key`)
    } else if (isEnter && (typed === undefined || typed === 'yes')) {
      this.#mode = { kind: 'look' }
      this.#host?.run?.(line, account)
    } else if (typed !== undefined && key.name === 'backspace') {
      this.#mode = { ...mode, typed: typed.slice(0, -1) }
    } else if (typed !== undefined && text !== undefined && 'yes'.startsWith(`${typed}${text.toLowerCase()}`)) {
      this.#mode = { ...mode, typed: `${typed}${text.toLowerCase()}` }
    } else {
      this.#drop('nothing was sent')
      // An answer, and no letter of a command.
      if (text !== undefined && /^[^\Wn]$/i.test(text)) this.#strayAt = this.#clock.now()
    }
  }

  #drop(text: string): void {
    this.#mode = { kind: 'look' }
    this.#remark = { text, tone: 'dim' }
  }

  #write(key: 'c' | 'b' | 'x' | 'f'): void {
    if (this.#host?.run === undefined) {
      this.#remark = { text: LOOKS_ONLY, tone: 'warn' }
      return
    }
    const now = this.#clock.now()
    if (now - this.#openedAt < QUIET_MS) return
    if (now - this.#strayAt < STRAY_MS) return this.#noteStray()
    const board = this.#reader.board()
    const chosen = rowsOf(board).find((row) => row.key === this.#chosen)
    const written = lineOf(key, chosen)
    if ('why' in written) this.#remark = { text: written.why, tone: 'warn' }
    else {
      const { line, asksYes } = written
      this.#mode = {
        kind: 'line',
        line,
        account: board.account,
        writtenAt: now,
        ...(asksYes === true ? { typed: '' } : {}),
      }
    }
  }

  #choose(step: number): void {
    const rows = rowsOf(this.#reader.board())
    const at = Math.min(Math.max(0, this.#chosenAt + step), rows.length - 1)
    this.#chosen = rows[at]?.key
    this.#chosenAt = Math.max(0, at)
  }

  /** The same row stays chosen while others come and go; when it is gone, the one in its place is. */
  #keepChosen(board: Board): void {
    const rows = rowsOf(board)
    const at = rows.findIndex(({ key }) => key === this.#chosen)
    this.#chosenAt = at === -1 ? Math.max(0, Math.min(this.#chosenAt, rows.length - 1)) : at
    this.#chosen = rows[this.#chosenAt]?.key
  }
}

function questionOf({ line, account, typed }: Extract<Mode, { kind: 'line' }>): NewsLine {
  const where = `${line} (account ${account})`
  if (typed === undefined) return { text: `y or Enter runs: ${where}; any other key cancels`, tone: 'warn' }
  return { text: `type yes and Enter to run: ${where} > ${typed}`, tone: 'warn' }
}

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['31', 'bad'],
  ['32', 'good'],
  ['33', 'warn'],
  ['90', 'dim'],
])
/** The colours that the printer puts around a line, and nothing else can be in one. */
const COLOURS = /\u001b\[(\d+)m/g

function newsOf(line: string): NewsLine {
  const [, colour = ''] = COLOURS.exec(line) ?? []
  COLOURS.lastIndex = 0
  const tone = TONES.get(colour)
  return { text: line.replace(COLOURS, ''), ...defined({ tone }) }
}
