// All that the panels show, as one value: (state, event) → state. Snapshots replace what was there; they stay, marked as no longer
// live, when the connection goes.
import { defined } from '../../base/defined.ts'
import type { Unread } from '../../client/client.ts'
import type { ConnectionState } from '../../client/connection-state.ts'
import type { LoopbackAccess } from '../../client/loopback-permission.ts'
import { linesOf } from '../../client/remote-run.ts'
import { printable } from '../../language/printable.ts'
import type { ProposalRow } from '../../protocol/desk-frames.ts'
import type {
  AccountRow,
  CopierStateRow,
  CrossTradeConfig,
  Frame,
  HookRow,
  Portfolio,
  ServerFrame,
  TaskRow,
} from '../../protocol/frames.ts'

// --- what this tab shows and runs on: the account and symbol that a person chose in it, or the operator's focus

type Focus = Omit<Frame<'state:focus'>, 't'>

/** The scope of commands of this tab, where a person chose it here; otherwise the focus of the operator. */
export interface Chosen {
  readonly account?: string | undefined
  readonly symbol?: string | undefined
}

/** As the tab's address names it, or else what its session kept. @param kept as it was read: it may be anything */
export function chosenAtStart(search: string, kept: unknown): Chosen {
  const named = new URLSearchParams(search).get('account') ?? ''
  const { account, symbol } = typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {}
  return defined({
    account: [named, account].find((each): each is string => typeof each === 'string' && ACCOUNT_NAME.test(each)),
    symbol: typeof symbol === 'string' && symbol.length <= MAX_SYMBOL ? symbol || undefined : undefined,
  })
}

const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,32}$/
/** In characters. */
const MAX_SYMBOL = 64

type Market = Pick<
  Frame<'state:market'>,
  'account' | 'symbol' | 'market' | 'ticker' | 'day' | 'staleSince' | 'problem' | 'unlisted'
>

/** Answers to subscriptions besides the focus. */
export interface ScopeNews {
  readonly tabPortfolio?: Portfolio | undefined
  readonly market?: Frame<'state:market'> | undefined
}

interface ScopeFacts {
  readonly focus: Focus | undefined
  readonly portfolio: Portfolio | undefined
  readonly chosen: Chosen
  readonly tabPortfolio: Portfolio | undefined
  readonly market: Market | undefined
}

/** The focus as hookline says it; an older hookline says it with its portfolio only. */
export function focusOf({ focus, portfolio }: Pick<ScopeFacts, 'focus' | 'portfolio'>): Focus | undefined {
  return focus ?? portfolio
}

/** The account and symbol that commands of this tab run on; undefined: the focus is not known yet. */
export function scopeOf(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen'>,
): { readonly account: string; readonly symbol: string } | undefined {
  const focus = focusOf(state)
  const account = state.chosen.account ?? focus?.account
  const symbol = state.chosen.symbol ?? focus?.symbol
  return account && symbol ? { account, symbol } : undefined
}

/** The figures of the account that commands of this tab run on; undefined: hookline sends none, or those of another. */
export function shownPortfolio(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen' | 'tabPortfolio'>,
): Portfolio | undefined {
  return portfolioOf(state, scopeOf(state)?.account)
}

/** @param account undefined: of any */
export function portfolioOf(
  { portfolio, tabPortfolio }: Pick<ScopeFacts, 'portfolio' | 'tabPortfolio'>,
  account: string | undefined,
): Portfolio | undefined {
  const known = [portfolio, tabPortfolio].filter((each) => each !== undefined)
  return known.find((each) => account === undefined || each.account === account)
}

/** `halted`, `reducing` or a later word; undefined: nothing holds its orders up. */
export function guardOf({ flags, focus }: Pick<ConsoleState, 'flags' | 'focus'>, account: string | undefined) {
  const row = flags?.accounts?.find((each) => each.account === account)
  return row === undefined && focus?.account === account ? flags?.guard : row?.guard
}

/** What stops the orders of an account, as one text: what was refused under it may be sent under another. */
export function stopsKey(state: Pick<ConsoleState, 'flags' | 'focus'>, account: string | undefined): string {
  const { panic, remoteExec, accountSync } = state.flags ?? {}
  return [panic && 'panic', guardOf(state, account), remoteExec, accountSync].join(' ')
}

/** What an account holds and what rests on it, as one text: another after each fill, and the same whatever prices do. */
export function holdingsKey(portfolio: Portfolio | undefined): string {
  const { positions = [], orders = [] } = portfolio ?? {}
  return [
    ...positions.map(({ symbol, side, amount, entryPrice }) => `${symbol} ${side} ${amount} ${entryPrice}`),
    ...orders.map(({ id, amount, price, triggerPrice }) => `${id} ${amount} ${price} ${triggerPrice}`),
  ].join('\n')
}

/** The last price of the symbol of this tab; undefined: hookline sends none. */
export function shownPrice(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen' | 'tabPortfolio' | 'market'>,
): { readonly last: string; readonly isStale: boolean } | undefined {
  const scope = scopeOf(state)
  const { market } = state
  if (market?.ticker && market.symbol === scope?.symbol && market.account === scope.account)
    return { last: market.ticker.last, isStale: market.staleSince !== undefined }
  const portfolio = shownPortfolio(state)
  return portfolio && portfolio.symbol === scope?.symbol ? { last: portfolio.last, isStale: false } : undefined
}

interface Trouble {
  readonly account: string
  /** Its exchange sends no prices: figures may be old. */
  readonly isStale: boolean
  /** ms since the epoch, where it is known. */
  readonly since?: number | undefined
  readonly problem?: string | undefined
}

/** What is wrong with the prices of the account of this tab; undefined: nothing. */
export function troubleOf(state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen' | 'market'>): Trouble | undefined {
  const account = scopeOf(state)?.account
  if (account === undefined) return undefined
  const market = state.market?.account === account ? state.market : undefined
  const focus = state.focus?.account === account ? state.focus : undefined
  const problem = focus?.problem ?? (market?.unlisted ? undefined : market?.problem)
  const isStale = focus?.stale === true || market?.staleSince !== undefined
  return isStale || problem !== undefined ? { account, isStale, since: market?.staleSince, problem } : undefined
}

/** Figures of this tab's account may be old: of prices, and of what it holds. */
export function isOldHere(state: Parameters<typeof troubleOf>[0] & Parameters<typeof isFresh>[0]): boolean {
  return !isFresh(state, 'state:portfolio') || troubleOf(state) !== undefined
}

function withScopeNews<S extends Pick<ScopeFacts, 'market' | 'tabPortfolio'>>(state: S, news: ScopeNews): S {
  const { market, ...others } = news
  if (!('market' in news)) return { ...state, ...others }
  const known = market && state.market?.symbol === market.symbol && state.market.account === market.account
  const { account, symbol, ticker, day, staleSince, problem, unlisted, market: steps } = market ?? {}
  if (account === undefined || symbol === undefined) return { ...state, market: undefined }
  const kept = known ? state.market : undefined
  return {
    ...state,
    market: {
      account,
      symbol,
      ...defined({
        ticker: ticker ?? kept?.ticker,
        day: day ?? kept?.day,
        market: steps ?? kept?.market,
        staleSince,
        problem,
        unlisted,
      }),
    },
  }
}

type Flags = Omit<Frame<'state:flags'>, 't'>

/** The guard that refuses orders of the account of this tab; older hooklines send it for the account in focus only. */
export function heldUp(
  state: Pick<ScopeFacts, 'focus' | 'portfolio' | 'chosen'> & { readonly flags: Flags | undefined },
): Pick<Flags, 'guard' | 'simulated'> {
  const { flags, focus } = state
  const account = scopeOf(state)?.account
  if (flags === undefined) return {}
  return account === undefined || focus === undefined || account === focus.account
    ? flags
    : (flags.accounts?.find((each) => each.account === account) ?? {})
}

export interface OutputLine {
  readonly kind: Frame<'cmd:output'>['kind']
  readonly text: string
}

/** Of one run, in one sentence: hookline's own where it sends one. */
export interface Outcome {
  readonly isDone: boolean
  /** Not done: a limit of the hook that it fired skips it. */
  readonly isSkipped?: true
  readonly text: string
  /** The first line that it warned of: it is done, and something is to be looked after. */
  readonly warning?: string | undefined
}

/** @param command for a run of which hookline sends no outcome @param printed its first two lines at least, and the first warning; one alone is its outcome */
export function outcomeOfRun(
  {
    success,
    outcome,
    error,
    warned,
    unbegun,
  }: Pick<Frame<'cmd:done'>, 'success' | 'outcome' | 'error' | 'warned' | 'unbegun'>,
  command: string,
  printed: readonly OutputLine[] = [],
): Outcome {
  const [only, second] = printed
  const shown =
    success && second === undefined && only !== undefined && !/[\r\n]/.test(only.text) ? only.text : undefined
  const text = outcome ?? error ?? shown ?? `${success ? 'done' : 'failed'}: ${command}`
  const warning = printed.find(({ kind }) => kind === 'warn')?.text ?? (warned === true ? text : undefined)
  return { isDone: success, text, ...(unbegun === 'skipped' ? { isSkipped: true } : {}), ...defined({ warning }) }
}

export function toneOfOutcome({ isDone, isSkipped, warning }: Outcome): 'success' | 'warn' | 'error' {
  if (!isDone) return isSkipped ? 'warn' : 'error'
  return warning === undefined ? 'success' : 'warn'
}

/** The warning, where the sentence has had no room for all of it. */
export function restOfOutcome({ text, warning }: Outcome): string | undefined {
  return warning === undefined || text.includes(warning) ? undefined : warning
}

/** For a place that cuts the end: the warning apart from what was done. */
export function warningApart(outcome: Outcome): { readonly text: string; readonly more: string | undefined } {
  const { text, warning } = outcome
  const end = `; warning: ${warning?.split(/[\r\n]/)[0]}`
  if (warning === undefined || !text.endsWith(end)) return { text, more: restOfOutcome(outcome) }
  return { text: text.slice(0, -end.length), more: warning }
}

/** The run that ended last. */
interface LastOutcome extends Outcome {
  readonly at: number
  /** The hook whose fire it was; absent: a line of this page. */
  readonly hookId?: string | undefined
  /** The line of this page, and the account that it ran on. */
  readonly command?: string | undefined
  readonly account?: string | undefined
  /** What held up its account or its hook since then: once one of these has ended, the sentence is out of date. */
  readonly holds?: readonly string[] | undefined
}

/** @param kept of this tab, as it was read: it may be anything */
export function keptOutcome(kept: unknown): LastOutcome | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined
  const { isDone, text, at, hookId, warning, command, account, holds } = kept as Record<string, unknown>
  if (typeof isDone !== 'boolean' || typeof text !== 'string' || typeof at !== 'number') return undefined
  const words = { hookId, warning, command, account }
  const others = Object.entries(words).filter(([, word]) => typeof word === 'string')
  const held = Array.isArray(holds) ? { holds: holds.filter((each) => typeof each === 'string') } : {}
  return { isDone, text, at, ...Object.fromEntries(others), ...held }
}

/** Characters of an id that stand for it in a line. */
const SHORT_ID = 8

type HoldFacts = Pick<ConsoleState, 'flags' | 'focus' | 'portfolio' | 'hooks'>

/** Panic, the guards of the accounts, and the paused hooks that an outcome may speak of. */
function holdsOn(outcome: LastOutcome, state: HoldFacts): readonly string[] {
  const { flags, hooks = [] } = state
  const hook = hooks.find(({ id }) => id === outcome.hookId)
  const focused = focusOf(state)?.account
  const words = outcome.command?.split(/[^\w-]+/) ?? []
  const own = outcome.account ?? (hook && (hook.account ?? focused))
  const isNamed = ({ id, name }: HookRow) =>
    words.some((word) => word === name || (word.length >= SHORT_ID && id.startsWith(word)))
  const inFocus = focused === undefined || flags?.guard === undefined ? [] : [{ account: focused, guard: flags.guard }]
  const guards = flags?.accounts ?? inFocus
  return [
    ...(flags?.panic === undefined ? [] : ['panic']),
    ...guards
      .filter(({ account, guard }) => guard !== undefined && (account === own || words.includes(account)))
      .map(({ account, guard }) => `account ${account} ${guard}`),
    ...hooks
      .filter((each) => each.paused !== undefined && (each === hook || isNamed(each)))
      .map(({ id }) => `hook ${id}`),
  ]
}

/** The last outcome goes with the state that it was told under. */
function withHolds<S extends HoldFacts & Pick<ConsoleState, 'lastOutcome'>>(state: S): S {
  const { lastOutcome, flags, hooks } = state
  if (lastOutcome === undefined) return state
  const before = lastOutcome.holds ?? []
  const isKnown = (hold: string) => (hold.startsWith('hook ') ? hooks : flags) !== undefined
  const unknown = before.filter((hold) => !isKnown(hold))
  const now = holdsOn(lastOutcome, state)
  if (before.some((hold) => isKnown(hold) && !now.includes(hold))) return { ...state, lastOutcome: undefined }
  const holds = [...new Set([...unknown, ...now])]
  if (holds.join('\n') === before.join('\n')) return state
  return { ...state, lastOutcome: { ...lastOutcome, holds } }
}

/** The last outcome; undefined while it speaks of what holds up another account than the shown one. */
export function shownOutcome(
  state: Pick<ConsoleState, 'lastOutcome' | 'focus' | 'portfolio' | 'chosen'>,
): LastOutcome | undefined {
  const { lastOutcome } = state
  const shown = scopeOf(state)?.account
  const held = lastOutcome?.holds?.flatMap((hold) => /^account (\S+)/.exec(hold)?.[1] ?? []) ?? []
  return held.length === 0 || shown === undefined || held.includes(shown) ? lastOutcome : undefined
}

/** One fire of a hook, as far as this page has seen it. */
export interface HookRun {
  readonly runId: string
  /** Unknown where hookline is too old to send it. */
  readonly hookId: string | undefined
  /** When its first frame came. */
  readonly at: number
  /** undefined: it runs. */
  readonly result: Pick<Frame<'cmd:done'>, 'success' | 'error' | 'unbegun' | 'warned'> | undefined
}

export interface CrossTrade {
  readonly running: boolean
  readonly pid?: number
  readonly startedAt?: number
  readonly configs: readonly CrossTradeConfig[]
  /** While the engine runs; older hooklines do not send it. */
  readonly copiers?: readonly CopierStateRow[]
  /** Rows of which something copies only after a yes at the terminal; older hooklines do not send it. */
  readonly waiting?: readonly { readonly configId: string; readonly what: readonly string[] }[]
  /** How many pages say that they lead cross-trading themselves. */
  readonly leading?: number
}

/** undefined: nothing has come yet. */
interface Snapshots {
  /** The account and symbol that commands without their own use. */
  readonly focus: Focus | undefined
  readonly flags: Flags | undefined
  /** Of the account and symbol in focus. */
  readonly portfolio: Portfolio | undefined
  /** As it came: it may come before the focus that it is of. */
  readonly latestPortfolio: Portfolio | undefined
  /** Of the account that this tab chose, where the terminal has another one in focus. */
  readonly tabPortfolio: Portfolio | undefined
  /** The market that this tab shows, merged from its frames; fields that a frame omits have not changed. */
  readonly market: Market | undefined
  readonly accounts: readonly AccountRow[] | undefined
  readonly hooks: readonly HookRow[] | undefined
  readonly tasks: readonly TaskRow[] | undefined
  readonly crossTrade: CrossTrade | undefined
  /** Lines that clients propose, oldest first. */
  readonly proposals: readonly ProposalRow[] | undefined
}

export interface ConsoleState extends Snapshots {
  readonly connection: ConnectionState
  /** The result of the last probe of 127.0.0.1; undefined: not known yet. */
  readonly access: LoopbackAccess | undefined
  readonly isProbing: boolean
  /** An attempt has taken so long that the browser may be asking its user. */
  readonly isSlow: boolean
  /** Errors that answer no request, since the last welcome. */
  readonly refusals: readonly string[]
  /** Newest first. */
  readonly hookRuns: readonly HookRun[]
  /** Their last lines, by `runId`: apart, because they change with every line. */
  readonly hookLines: ReadonlyMap<string, readonly OutputLine[]>
  readonly lastOutcome: LastOutcome | undefined
  /** Commands of this page that have not ended. */
  readonly runsUnderWay: number
  readonly chosen: Chosen
  /** Something of hookline has been seen since the page was loaded. */
  readonly hasBeenIn: boolean
  /** When the connection that there was ended; undefined: there is one, or there was none. */
  readonly lostAt: number | undefined
  /** Since when a connected hookline is silent. */
  readonly silentSince: number | undefined
  /** Unreadable parts of the last frame, by its `t`. */
  readonly unread: Readonly<Record<string, UnreadPart>>
}

interface UnreadPart {
  /** Rows that are left out, by what names them. */
  readonly setAside: readonly string[]
  /** All of it: what is shown is of an earlier frame. */
  readonly isWhole: boolean
  readonly at: number
}

export type ConsoleEvent =
  | { readonly type: 'connection'; readonly connection: ConnectionState; readonly at?: number }
  | { readonly type: 'choose'; readonly chosen: Chosen }
  | { readonly type: 'scope-news'; readonly news: ScopeNews }
  | { readonly type: 'probing' }
  | { readonly type: 'probed'; readonly access: LoopbackAccess | undefined }
  | { readonly type: 'slow' }
  | { readonly type: 'frame'; readonly frame: ServerFrame; readonly at: number }
  | { readonly type: 'silence'; readonly since: number | undefined }
  | { readonly type: 'unread'; readonly unread: Unread; readonly at: number }
  | {
      readonly type: 'outcome'
      readonly outcome: Outcome
      readonly at: number
      readonly command?: string
      readonly account?: string | undefined
    }
  | { readonly type: 'run-started' }
  | { readonly type: 'run-ended' }

const NO_ACCOUNTS = {
  tabPortfolio: undefined,
  accounts: undefined,
  portfolio: undefined,
  latestPortfolio: undefined,
  proposals: undefined,
}

const NO_SNAPSHOTS: Snapshots = {
  latestPortfolio: undefined,
  tabPortfolio: undefined,
  market: undefined,
  focus: undefined,
  flags: undefined,
  portfolio: undefined,
  accounts: undefined,
  hooks: undefined,
  tasks: undefined,
  crossTrade: undefined,
  proposals: undefined,
}

export const INITIAL: ConsoleState = {
  ...NO_SNAPSHOTS,
  connection: { name: 'idle' },
  access: undefined,
  isProbing: false,
  isSlow: false,
  refusals: [],
  hookRuns: [],
  hookLines: new Map(),
  lastOutcome: undefined,
  runsUnderWay: 0,
  chosen: {},
  hasBeenIn: false,
  lostAt: undefined,
  silentSince: undefined,
  unread: {},
}

/** At each welcome: an older hookline than the last one may not send these at all. */
const BEFORE_FRAMES = {
  access: undefined,
  refusals: [],
  focus: undefined,
  flags: undefined,
  proposals: undefined,
  unread: {},
} as const

const MAX_HOOK_RUNS = 20
const MAX_LINES = 200
const MAX_REFUSALS = 5

export function reduce(state: ConsoleState, event: ConsoleEvent): ConsoleState {
  switch (event.type) {
    case 'connection':
      return withConnection(state, event.connection, event.at)
    case 'scope-news':
      return withScopeNews(state, event.news)
    case 'choose':
      return { ...state, chosen: { ...state.chosen, ...event.chosen } }
    case 'probing':
      return { ...state, isProbing: true, isSlow: false }
    case 'probed':
      // A query may have begun before the welcome.
      return { ...state, isProbing: false, access: isAnother(state.connection) ? undefined : event.access }
    case 'slow':
      return { ...state, isSlow: true }
    case 'silence':
      return { ...state, silentSince: event.since }
    case 'unread':
      return { ...state, unread: { ...state.unread, [event.unread.t]: partOf(event.unread, event.at) } }
    case 'outcome':
      return withHolds({
        ...state,
        lastOutcome: { ...event.outcome, at: event.at, ...defined({ command: event.command, account: event.account }) },
      })
    case 'run-started':
      return { ...state, runsUnderWay: state.runsUnderWay + 1 }
    case 'run-ended':
      return { ...state, runsUnderWay: state.runsUnderWay - 1 }
    case 'frame':
      return withFrame(readWhole(state, event.frame), event.frame, event.at)
  }
}

function partOf({ setAside, error }: Unread, at: number): UnreadPart {
  return { setAside, isWhole: error !== undefined, at }
}

/** A new frame of the same `t` ends the problem of the one before. */
function readWhole(state: ConsoleState, { t }: ServerFrame): ConsoleState {
  if (!Object.hasOwn(state.unread, t)) return state
  return { ...state, unread: Object.fromEntries(Object.entries(state.unread).filter(([part]) => part !== t)) }
}

function withConnection(state: ConsoleState, connection: ConnectionState, at: number | undefined): ConsoleState {
  const isNews = connection.name !== state.connection.name
  const lostAt = state.connection.name === 'welcomed' && isNews ? at : state.lostAt
  const next = { ...state, connection, lostAt, isSlow: isNews ? false : state.isSlow }
  if (connection.name === 'welcomed')
    return isNews ? { ...next, ...BEFORE_FRAMES, hasBeenIn: true, lostAt: undefined } : next
  // Another hookline's figures must never be shown under this one's name, nor figures in a page that was revoked.
  return isAnother(connection) || (connection.name === 'stopped' && connection.reason === 'revoked')
    ? { ...next, ...NO_SNAPSHOTS, hookRuns: [], hookLines: new Map(), lastOutcome: undefined, access: undefined }
    : next
}

function isAnother({ name }: ConnectionState): boolean {
  return name === 'other-listener' || name === 'unproven-listener'
}

function withFrame(state: ConsoleState, frame: ServerFrame, at: number): ConsoleState {
  switch (frame.t) {
    case 'state:portfolio':
      if (frame.id !== undefined) return state
      return { ...state, latestPortfolio: frame, portfolio: ofFocus(frame, state.focus) }
    case 'state:accounts':
      return { ...state, accounts: frame.accounts }
    case 'state:hooks':
      return withHolds({ ...state, hooks: frame.hooks })
    case 'state:tasks':
      return { ...state, tasks: frame.tasks }
    case 'state:cross-trade':
      return { ...state, crossTrade: frame }
    case 'state:proposals':
      return { ...state, proposals: frame.proposals }
    case 'cmd:output':
      return withHookRun(state, frame, at)
    case 'cmd:done':
      return withHolds(withHookRun(state, frame, at))
    case 'error':
      return frame.id === undefined
        ? { ...state, refusals: [...state.refusals, frame.error].slice(-MAX_REFUSALS) }
        : state
    case 'state:focus':
      return { ...state, focus: frame, portfolio: ofFocus(state.latestPortfolio, frame) }
    case 'state:flags':
      // Data that hookline hides are dropped here too.
      return withHolds({ ...state, flags: frame, ...(frame.accountSync ? {} : NO_ACCOUNTS) })
    default:
      return state
  }
}

/** Figures of another account or symbol must never be shown under the name of the one in focus. */
function ofFocus(portfolio: Portfolio | undefined, focus: Focus | undefined): Portfolio | undefined {
  const isOther = focus !== undefined && (portfolio?.account !== focus.account || portfolio.symbol !== focus.symbol)
  return isOther ? undefined : portfolio
}

function withHookRun(state: ConsoleState, frame: Frame<'cmd:output'> | Frame<'cmd:done'>, at: number): ConsoleState {
  const { id: runId, hookId } = frame
  const known = state.hookRuns.find((run) => run.runId === runId)
  const run = known ?? { runId, hookId, at, result: undefined }
  const next = frame.t === 'cmd:done' ? { ...run, result: resultOf(frame) } : run
  const hookRuns = known ? replaced(state.hookRuns, known, next) : [next, ...state.hookRuns].slice(0, MAX_HOOK_RUNS)
  const lines = frame.t === 'cmd:output' ? linesOf(frame) : []
  const lastOutcome =
    frame.t === 'cmd:done' && frame.unbegun !== 'skipped'
      ? { ...outcomeOfRun(frame, 'a fire', state.hookLines.get(runId)), at, hookId }
      : state.lastOutcome
  return { ...state, hookRuns, lastOutcome, hookLines: withLines(state.hookLines, hookRuns, runId, lines) }
}

/** The same array where nothing changed: who shows runs is not drawn again for their output. */
function replaced(runs: readonly HookRun[], known: HookRun, next: HookRun): readonly HookRun[] {
  return next === known ? runs : runs.map((run) => (run === known ? next : run))
}

function withLines(
  all: ConsoleState['hookLines'],
  runs: readonly HookRun[],
  runId: string,
  lines: readonly OutputLine[],
): ConsoleState['hookLines'] {
  if (lines.length === 0) return all
  const kept = runs.flatMap((run) => {
    const before = all.get(run.runId)
    return before ? [[run.runId, before] as const] : []
  })
  return new Map(kept).set(runId, [...(all.get(runId) ?? []), ...lines].slice(-MAX_LINES))
}

function resultOf({ success, error, unbegun, warned }: Frame<'cmd:done'>): HookRun['result'] {
  return { success, ...defined({ error, unbegun, warned }) }
}

// --- what panels ask ------------------------------------------------------------------------------------------------------------

export function isLive({ connection }: Pick<ConsoleState, 'connection'>): boolean {
  return connection.name === 'welcomed'
}

/** Figures are current: hookline is connected and not silent, and its last frame of that part is valid. */
export function isFresh(
  state: Pick<ConsoleState, 'connection' | 'silentSince' | 'unread'>,
  part?: ServerFrame['t'],
): boolean {
  const isUnread = part !== undefined && Object.hasOwn(state.unread, part) && state.unread[part]?.isWhole === true
  return isLive(state) && state.silentSince === undefined && !isUnread
}

export const ACCOUNTS_HIDDEN =
  'Accounts are off: no page sees balances, positions or orders. `switch on accountSync` in the hookline terminal turns them on.'

/** Why no line of this page runs now; undefined: it does, or hookline is too old to report it. */
export function whyNoCommands(state: Pick<ConsoleState, 'connection' | 'flags'>): string | undefined {
  if (!isLive(state)) return 'This page is not connected to hookline. Nothing is sent.'
  const { flags } = state
  if (flags?.panic !== undefined) return `Panic is on: no page can trade, cancel or close. ${PANIC_ENDS}`
  return flags?.remoteExec === false
    ? 'Remote runs are off: no page can trade, cancel or close, and hooks run nothing. `switch on remoteExec` in the hookline terminal turns them on.'
    : undefined
}

/** What a person can do while panic is on. */
export const PANIC_ENDS = 'In the hookline terminal, `close all` and `cancel all` still run, and `resume` ends panic.'

/** The newest first. */
export function runsOfHook(runs: readonly HookRun[], hookId: string): readonly HookRun[] {
  return runs.filter((run) => run.hookId === hookId)
}

export function hookName(hooks: Snapshots['hooks'], hookId: string | undefined): string | undefined {
  return hookId === undefined ? undefined : hooks?.find(({ id }) => id === hookId)?.name
}

// --- the prompt: the words of hookline's own terminal: `paper [BTCUSDT] > `. The price is in the header,
// where it may move without disturbing what is typed.

const MAX_NAME = 24

type Shown = Pick<ConsoleState, 'connection' | 'focus' | 'portfolio' | 'chosen'>

/** @param scope of one line; default what commands of this tab run on */
export function promptText(state: Shown, scope: { account?: string; symbol?: string } = scopeOf(state) ?? {}): string {
  if (!isLive(state)) return 'not connected > '
  const { account, symbol } = scope
  if (account === undefined || symbol === undefined) return 'hookline > '
  return `${printable(account, MAX_NAME)} [${printable(symbol, MAX_NAME)}] > `
}
