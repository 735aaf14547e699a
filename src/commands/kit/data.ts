// What commands answer to programs (`--json`, behaviour 35): one shape for each kind of answer. docs/json.md shows an example of each;
// test/commands/json-data.sim.test.ts holds both to what commands give.

import type { PlannedCopy } from '../../cross-trade/engine-port.ts'
import type { UnreadRow } from '../../exchange/exchange.ts'
import type { CandleInterval, Market, MarketKind, MarketSummary, OrderBook, Ticker } from '../../exchange/market.ts'
import type { Balance, Order, OrderChange, Position, Side, Trade } from '../../exchange/order.ts'
import type { Would } from '../../exchange/simulated.ts'
import type { FactResult } from '../../exchanges/contract/prove.ts'
import type { AlertMessage } from '../../language/alert.ts'
import type { NoticeKind } from '../../notices/notice.ts'
import type { Preview } from '../../protocol/preview.ts'
import type { CopierStateRow, HookRow, PositionDetailRow, TaskRow } from '../../protocol/rows.ts'
import type { HookCounts, OutputKind, RunSummary } from '../../runs/run.ts'
import type { Grant } from '../../stores/client-grants.ts'
import type { Switches } from '../../stores/config.ts'
import type { LimitName } from '../../stores/guards.ts'
import type { Hook } from '../../stores/hooks.ts'
import type { ChannelType } from '../../stores/notices.ts'
import type { Proposal } from '../../stores/proposals.ts'
import type { TaskLine } from '../../tasks/task-port.ts'
import type { Gap } from '../../trading/history/executions.ts'
import type { RunOrder } from '../../trading/history/journal-history.ts'
import type { Noted } from '../../trading/history/notes.ts'
import type { Grouping, PnlGroup } from '../../trading/history/pnl-groups.ts'
import type { RoundTrip } from '../../trading/history/round-trips.ts'
import type { Drawdown, TradeGroup, TradeStats } from '../../trading/history/trade-stats.ts'
import type { BracketedOrder } from '../../trading/order-desk.ts'
import type { ChangedOrder, EndOutcome, OrderEvent } from '../../trading/order-event.ts'

/** Money, prices and amounts are decimal strings; times are ms since the epoch. Fields may be added, never renamed. */
export type CommandData =
  | ({ readonly type: 'ticker' } & Ticker & Partial<Omit<MarketSummary, 'symbol'>>)
  | ({ readonly type: 'book' } & OrderBook)
  | { readonly type: 'markets'; readonly markets: readonly Market[] }
  | { readonly type: 'balances'; readonly account: string; readonly balances: readonly Balance[] }
  | { readonly type: 'positions'; readonly account: string; readonly positions: readonly PositionDetailRow[] }
  | {
      readonly type: 'orders'
      readonly account: string
      /** `stop` and `takeProfit`: what is placed at the fill, with its profit or loss from the price of the entry. */
      readonly orders: readonly BracketedOrder[]
      /** Sent, and no definite answer yet. */
      readonly unsettled: readonly UnsettledData[]
      readonly unsettledChanges: readonly UnsettledChangeData[]
      /** Listed by the venue and not readable: no order of `orders`. Absent: none. */
      readonly unread?: readonly UnreadRow[]
    }
  | OrderData
  | {
      readonly type: 'fills'
      readonly account: string
      readonly fills: readonly FillData[]
      readonly gaps: readonly Gap[]
    }
  | {
      readonly type: 'trades'
      readonly account: string
      readonly trades: readonly TripData[]
      readonly gaps: readonly Gap[]
    }
  | {
      readonly type: 'order-history'
      readonly account: string
      readonly orders: readonly PastOrderData[]
      readonly gaps: readonly Gap[]
    }
  | ({ readonly type: 'pnl' } & PnlData)
  | ({ readonly type: 'session' } & SessionData)
  | {
      readonly type: 'tax'
      readonly account: string
      readonly year: number
      /** Absent: UTC. */
      readonly zone?: string
      /** Oldest first. */
      readonly rows: readonly TaxRowData[]
      readonly gaps: readonly Gap[]
    }
  | { readonly type: 'canceled'; readonly account: string; readonly orders: readonly Order[] }
  | { readonly type: 'amended'; readonly account: string; readonly order: Order }
  | SlicedData
  | ({ readonly type: 'margin'; readonly account: string; readonly symbol: string } & MarginData)
  | { readonly type: 'exchanges'; readonly exchanges: readonly ExchangeData[] }
  | { readonly type: 'accounts'; readonly accounts: readonly AccountData[] }
  | AccountCheckData
  | AccountProofData
  | AllBalancesData
  | VaultData
  | { readonly type: 'hooks'; readonly hooks: readonly HookData[] }
  | ShownHookData
  | HookLogData
  | { readonly type: 'proposals'; readonly proposals: readonly ProposalData[] }
  | { readonly type: 'clients'; readonly clients: readonly ClientData[]; readonly pending: readonly PendingData[] }
  | {
      readonly type: 'variables'
      /** The operator's. */
      readonly variables: Readonly<Record<string, string>>
      /** Those that hooks and pages have for themselves: `hook:<id>`, `page:<client id>`. */
      readonly owned?: readonly { readonly owner: string; readonly name: string; readonly value: string }[]
    }
  | { readonly type: 'aliases'; readonly aliases: Readonly<Record<string, string>> }
  | { readonly type: 'runs'; readonly runs: readonly RunSummary[] }
  | RunData
  | TasksData
  | ReplayData
  | HookReplayData
  | ListenerData
  | SwitchesData
  | StatusData
  | WatchData
  | WouldData
  | PreviewData
  | GuardsData
  | CrossTradeData
  | NoticesData
  | SignInData
  | LoginCodeData
  | ErrorData

/** A hook with how it is fired. */
interface ShownHookData extends HookData {
  readonly type: 'hook'
  readonly url: string
  readonly token: string
  readonly lastDay?: HookCounts
  /** What to paste into an alert that fills the slots of the command: one of the two. */
  readonly alert?: AlertMessage
}

/** One execution. `by` is absent where hookline did not order it, or did not write it down. */
export interface FillData extends Trade, Noted {
  /** What it realised before fees, in `pnlCurrency`; absent where that is not known. */
  readonly pnl?: string
  readonly pnlCurrency?: string
  /** `repl`, `hook:dip`. */
  readonly by?: string
  readonly runId?: string
}

/** From flat to flat. */
export interface TripData extends Omit<RoundTrip, 'by' | 'entryTags' | 'parts'>, Noted {
  readonly by?: string
}

/** An order with what came of it; `open`: it rests. */
export interface PastOrderData
  extends Omit<RunOrder, 'state' | 'clientOrderId'>,
    Pick<Order, 'clientOrderId' | 'reduceOnly' | 'takeProfitPrice'>,
    Noted {
  readonly state: RunOrder['state'] | 'open'
  /** It protects a position: as its stop or its take-profit. */
  readonly role?: 'stop' | 'take'
  readonly by?: string
  readonly runId?: string
  /** The task that ordered it. */
  readonly taskId?: string
}

interface PnlData {
  readonly by: Grouping
  readonly accounts: readonly string[]
  /** ms since the epoch; absent: as far back as is known, up to now. */
  readonly since?: number
  readonly until?: number
  readonly groups: readonly PnlGroup[]
  readonly total: Omit<PnlGroup, 'key'>
  readonly gaps: readonly (Gap & { readonly account?: string })[]
}

/** A fill or a funding payment. What is not known is absent. */
export interface TaxRowData extends Noted {
  /** ms since the epoch. */
  readonly at: number
  /** In the zone that was asked for. */
  readonly day: string
  readonly account: string
  readonly exchange: string
  /** Of a paper or demo account. */
  readonly practice: boolean
  readonly kind: 'fill' | 'funding'
  readonly symbol: string
  readonly market?: MarketKind
  readonly side?: 'buy' | 'sell'
  readonly amount?: string
  /** Of `amount`: a currency. */
  readonly unit?: string
  readonly price?: string
  /** In `quote`. */
  readonly value?: string
  readonly quote?: string
  readonly fee?: string
  readonly feeCurrency?: string
  /** Before fees, in `currency`. */
  readonly realized?: string
  /** Got; negative: paid. In `currency`. */
  readonly funding?: string
  readonly currency?: string
  readonly orderId?: string
  readonly id: string
  readonly by?: string
  readonly cause?: string
}

/** The closed trades of a span. */
interface SessionData {
  readonly account: string
  /** ms since the epoch. `until` absent: up to now. */
  readonly since?: number
  readonly until?: number
  /** Trades that are open now. */
  readonly open: number
  readonly total: TradeStats
  /** By who opened the trade: `repl`, `hook:dip`, or `other`. */
  readonly byHook: readonly TradeGroup[]
  readonly bySymbol: readonly TradeGroup[]
  /** A trade with several tags is in the group of each. */
  readonly byTag: readonly TradeGroup[]
  /** Absent: not known, or not of the whole account. */
  readonly maxDrawdown?: Drawdown
  readonly gaps: readonly Gap[]
}

/** What the venue says of it. */
interface MarginData {
  readonly leverage?: string
  readonly marginMode?: 'cross' | 'isolated'
  readonly maxLeverage?: string
}

/** One run, with what it printed and ordered as far as that was kept. */
interface RunData extends RunSummary {
  readonly type: 'run'
  /** Of a line with several, in the order in which they ended; the first hundred. */
  readonly steps: readonly {
    readonly afterMs: number
    readonly tookMs: number
    readonly success: boolean
    readonly text: string
  }[]
  readonly output: readonly { readonly afterMs: number; readonly kind: OutputKind; readonly text: string }[]
  /** Lines beyond what is kept of one run. */
  readonly leftOut: number
  readonly orders: readonly RunOrder[]
}

/** What became of an order: the command's own, or one that an earlier process left. */
export interface OrderData {
  readonly type: 'order'
  readonly event:
    | 'filled'
    | 'sent'
    | 'rests'
    | 'filled-later'
    | 'filled-meanwhile'
    | 'ended'
    | 'elsewhere'
    | 'placed-elsewhere'
    | 'changed-elsewhere'
    | 'unknown'
    | 'settled'
    | 'unsettled'
    | 'change-unknown'
    | 'change-settled'
    | 'protected'
    | 'withdrawn'
    | 'still-rests'
    | 'stop-passed'
    | 'stop-waits'
    | 'offset'
    | 'stop-failed'
    | 'left'
  readonly account: string
  readonly symbol?: string
  readonly clientOrderId?: string
  readonly order?: Order
  /** Of `filled` and `filled-later`; empty where the venue has not told them yet. */
  readonly trades?: readonly Trade[]
  /** Of `placed-elsewhere`. */
  readonly orders?: readonly Order[]
  /** Of `changed-elsewhere`: as each was, and as it is. */
  readonly changes?: readonly ChangedOrder[]
  /** Of `change-unknown` and `change-settled`: the venue's id of the order, where it is known. */
  readonly orderId?: string
  readonly isChanged?: boolean
  /** Of `ended`: why the venue ended it, where it says so. */
  readonly reason?: string
  /** Of `ended`: what is made of the end of a protective order. */
  readonly outcome?: EndOutcome
  readonly triggerPrice?: string
  readonly takeProfitPrice?: string
  /** Of `offset`: what has filled, and what of it is not a part of the position that it reduced. */
  readonly filled?: string
  readonly opened?: string
  /** Of `unknown`, `change-unknown` and `stop-failed`. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** A step failed. `code` is stable, `message` is for people. */
export interface ErrorData {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly hint?: string
}

interface UnsettledData extends Pick<Order, 'symbol' | 'side' | 'amount'> {
  readonly sentAt: number
}

/** A change of a resting order, sent, and no definite answer yet. */
interface UnsettledChangeData {
  readonly symbol: string
  readonly orderId?: string
  readonly change: OrderChange
  readonly sentAt: number
}

interface AccountData {
  readonly name: string
  readonly exchange: string
  readonly kind?: string
  readonly demo?: boolean
  readonly hasCredentials: boolean
  /** Where they are: `vault`, `environment`, `file`, `keychain`, `plain text`, `none`. */
  readonly keys: string
  readonly inFocus: boolean
  readonly createdAt: number
}

/** What the keys of an account are good for; what the venue does not say is absent. */
interface AccountCheckData {
  readonly type: 'account-check'
  readonly account: string
  readonly exchange: string
  readonly latencyMs: number
  readonly clockDifferenceMs?: number
  /** How many the account holds something of. */
  readonly currencies: number
  readonly mayTrade?: boolean
  readonly mayWithdraw?: boolean
  readonly positionMode?: 'one-way' | 'hedge'
  readonly remarks: readonly string[]
}

/** What the contract found on a demo account. */
interface AccountProofData {
  readonly type: 'account-proof'
  readonly account: string
  readonly exchange: string
  readonly symbol: string
  /** Whether all facts were looked at. */
  readonly isWhole: boolean
  readonly facts: readonly FactResult[]
  /** The report and the recording. */
  readonly files: readonly string[]
  /** What could not be taken back. */
  readonly left?: string
}

interface AllBalancesData {
  readonly type: 'all-balances'
  /** `error`: it could not be asked. */
  readonly accounts: readonly {
    readonly account: string
    readonly balances: readonly Balance[]
    readonly error?: { readonly code: string; readonly message: string }
  }[]
  /** Of accounts that answered. `practice`: of paper and demo accounts. */
  readonly totals: readonly (Balance & { readonly practice: boolean })[]
}

interface VaultData {
  readonly type: 'vault'
  readonly state: 'absent' | 'locked' | 'unlocked'
  /** When it locks by itself; absent: it does not. */
  readonly locksAt?: number
  /** Whose keys it keeps. */
  readonly accounts: readonly string[]
  /** Whose keys are plain text in accounts.json. */
  readonly plain: readonly string[]
}

interface ExchangeData {
  readonly id: string
  readonly name: string
  /** The first is the default of `account add`. */
  readonly kinds: readonly MarketKind[]
  readonly demo: boolean
  /** What an account there proves itself with, by ccxt's names. */
  readonly credentials: readonly string[]
  readonly proof: string
  /** Of single changes to what is known of the exchange, how many make a test fail. */
  readonly score?: { readonly killed: number; readonly of: number }
  /** Where an entry takes its stop with it. */
  readonly attached?: readonly MarketKind[]
  /** Within how many seconds what is done on the exchange's own page is shown, with its streams and without. */
  readonly reportedWithinS?: { readonly streams: number; readonly asked: number; readonly isOfKnownSymbols?: true }
}

interface PendingData {
  readonly clientId: string
  readonly label: string
  readonly origin: string
}

/** A proposal as it is now, with what it would order as it was shown last. */
export type ProposalData = Omit<Proposal, 'claim' | 'approver'>

interface ClientData extends PendingData {
  readonly approvedAt: number
  /** Absent: it may do what a client without one may. */
  readonly grant?: Grant
  /** Open sessions; absent where this process has no listener. */
  readonly connected?: number
}

/** The kill switches, as config.json means them now. */
export interface SwitchesData extends Switches {
  readonly type: 'switches'
}

interface ListenerData {
  readonly type: 'listener'
  readonly state: string
  readonly address: string
  readonly pid: number
  readonly holderPid?: number
  readonly sockets: number
  readonly remoteExec: boolean
  readonly accountSync: boolean
}

// What became of an order, for programs: the events of trading without their classes.

export function orderData(event: OrderEvent, account: string): OrderData {
  const base = { type: 'order', event: event.type, account } as const
  switch (event.type) {
    case 'filled':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: event.trades }
    case 'filled-later':
      return { ...base, symbol: event.order.symbol, order: event.order, trades: [event.trade] }
    case 'sent':
    case 'rests':
    case 'filled-meanwhile':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'ended':
      return {
        ...base,
        symbol: event.order.symbol,
        order: event.order,
        ...known({ reason: event.reason, outcome: event.outcome }),
      }
    case 'elsewhere': {
      const { order, trades, reason } = event
      return { ...base, trades, ...known({ symbol: order?.symbol ?? trades[0]?.symbol, order, reason }) }
    }
    case 'placed-elsewhere':
      return { ...base, ...known({ symbol: oneSymbol(event.orders) }), orders: event.orders }
    case 'changed-elsewhere':
      return {
        ...base,
        ...known({ symbol: oneSymbol(event.changes.map(({ order }) => order)) }),
        changes: event.changes,
      }
    case 'unknown':
    case 'unsettled':
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, error: errorOf(event.error) }
    case 'settled':
      return { ...base, symbol: event.symbol, clientOrderId: event.clientOrderId, ...known({ order: event.order }) }
    case 'change-unknown':
      return { ...base, symbol: event.symbol, error: errorOf(event.error), ...known({ orderId: event.ref.id }) }
    case 'change-settled': {
      const { symbol, isChanged, ref, order } = event
      return { ...base, symbol, isChanged, ...known({ orderId: ref.id, order }) }
    }
    case 'protected':
      return { ...base, symbol: event.stop.symbol, order: event.stop }
    case 'withdrawn':
    case 'still-rests':
      return { ...base, symbol: event.order.symbol, order: event.order }
    case 'stop-passed':
      return { ...base, symbol: event.symbol, triggerPrice: event.triggerPrice }
    case 'stop-waits': {
      const { symbol, triggerPrice, takeProfitPrice } = event
      return { ...base, symbol, ...known({ triggerPrice, takeProfitPrice }) }
    }
    case 'offset':
      return { ...base, symbol: event.symbol, filled: event.filled, opened: event.opened }
    case 'stop-failed':
      return { ...base, error: errorOf(event.error) }
    case 'left':
      return { ...base, symbol: event.symbol }
  }
}

/** undefined where they are of several. */
function oneSymbol(orders: readonly Order[]): string | undefined {
  const [symbol, ...others] = new Set(orders.map((order) => order.symbol))
  return others.length > 0 ? undefined : symbol
}

type Known<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Without the fields that say nothing. */
function known<Fields extends object>(fields: Fields): Known<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<Fields>
}

function errorOf({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): NonNullable<OrderData['error']> {
  return { code, message }
}

// What `cross-trade` says to programs.

/** A row of `cross-trade.json`. */
export interface CrossTradeRowData {
  readonly id: string
  readonly enabled: boolean
  readonly masterAccount: string
  /** Absent: all symbols. */
  readonly masterSymbol?: string
  readonly masterWeight: number
  readonly sync: boolean
  readonly copiers: readonly {
    readonly account: string
    readonly symbol?: string
    readonly weight: number
    readonly mode: string
    readonly slippage?: string
  }[]
  readonly updatedAt: number
  /** Why it cannot be traded as it is. */
  readonly problem?: string
  /** What of it copies only after a yes at the terminal. */
  readonly waits?: readonly string[]
}

export type CrossTradeData =
  | {
      readonly type: 'cross-trade'
      readonly engine: { readonly running: boolean; readonly pid?: number; readonly startedAt?: number }
      /** Labels of pages that say that they lead cross-trading themselves. */
      readonly pages: readonly string[]
      readonly rows: readonly CrossTradeRowData[]
      /** Empty while no engine runs. */
      readonly copiers: readonly CopierStateRow[]
    }
  | {
      readonly type: 'cross-trade-row'
      readonly done: 'added' | 'changed' | 'enabled' | 'disabled' | 'removed'
      readonly row: CrossTradeRowData
    }
  | {
      readonly type: 'cross-trade-plan'
      readonly id: string
      readonly orders: readonly Omit<PlannedCopy, 'configId'>[]
      /** Whether they were sent; then `copiers` is how they are after it. */
      readonly sent: boolean
      readonly copiers: readonly CopierStateRow[]
    }

// What `guards` and simulation answer to programs (`--json`).

/** In simulation: what was worked out and checked, and not sent. `kind` says what. */
export type WouldData = { readonly type: 'would' } & Would

/** What holds for each account. */
interface GuardsData {
  readonly type: 'guards'
  /** Of every account: `active`, `reducing` or `halted`. */
  readonly state: string
  readonly simulated: boolean
  readonly accounts: readonly GuardedAccountData[]
}

export interface GuardedAccountData {
  readonly account: string
  readonly state: string
  readonly since?: number
  readonly by?: string
  readonly simulated: boolean
  /** Those that are on: dollars, percent for `band`, orders for `rate`. */
  readonly limits: { readonly [limit in LimitName]?: string } & { readonly lossWithOpen: boolean }
  /** Since 00:00 UTC, in dollars; `rate` in the last minute. */
  readonly used: { readonly day: string; readonly loss: string; readonly rate: number }
}

// What `hook` says to programs.

export interface HookData
  extends Pick<
    Hook,
    'id' | 'name' | 'command' | 'account' | 'createdAt' | 'parallel' | 'maxAgeMs' | 'limits' | 'paused'
  > {
  readonly dry?: true
  /** What fires it besides a POST. */
  readonly when?: NonNullable<HookRow['when']>
  /** What is left of the limits that count. */
  readonly left?: {
    readonly once?: number
    readonly rate?: number
    readonly perDay?: number
    readonly cooldownMs?: number
  }
}

/** One run of a hook, when it has ended, with what it printed. */
export interface HookLogData {
  readonly type: 'hook-log'
  readonly run: RunSummary
  readonly output: readonly { readonly afterMs: number; readonly kind: OutputKind; readonly text: string }[]
  /** Lines that were not kept. */
  readonly leftOut: number
}

// The channels of notices, for programs. Secrets and paths of addresses are not among it.

export interface NoticesData {
  readonly type: 'notices'
  readonly channels: readonly {
    readonly name: string
    readonly type: ChannelType
    readonly to: string
    /** Absent: all. */
    readonly kinds?: readonly NoticeKind[]
    readonly waiting: number
    readonly sent: number
    readonly failed: number
    readonly leftOut: number
    /** ms since the epoch. */
    readonly lastAt?: number
    readonly lastError?: string
    /** What is written in its chat counts. */
    readonly listens?: true
  }[]
  readonly quiet?: string
}

/** What a line would do; of `hook test` with the hook, and what the alert filled in. */
export interface PreviewData extends Preview {
  readonly type: 'preview'
  readonly hook?: string
  readonly hookId?: string
  readonly command: string
  readonly values?: Readonly<Record<string, string>>
}

// What `paper replay` answers to programs.

/** Candles that are replayed on a paper account. */
export interface ReplayData {
  readonly type: 'replay'
  readonly account: string
  readonly file: string
  readonly symbol: string
  readonly speed: number
  readonly candles: number
  /** How many of them are over. */
  readonly done: number
  readonly startedAt: number
  readonly state: 'running' | 'stopped' | 'ended'
  /** Absent in the line that it begins with, as the next. */
  readonly last?: string
  /** What the account is worth. */
  readonly total?: string
}

// What `hook replay` answers to programs.

export interface ReplayFire {
  /** ms since the epoch. */
  readonly at: number
  /** What was known then: a close, or the open at which a price was judged or a time came. */
  readonly price: string
  /** Absent: there was no candle after it. */
  readonly run?:
    | {
        readonly id: string
        readonly state: 'running' | 'done' | 'failed' | 'skipped'
        readonly outcome?: string
        readonly error?: string
      }
    | undefined
}

interface ReplayFill {
  readonly at: number
  readonly side: Side
  readonly amount: string
  readonly price: string
  readonly fee?: string
  /** What it realised, before fees. */
  readonly pnl?: string
  readonly takerOrMaker?: 'taker' | 'maker'
  /** Of the fire that ordered it. */
  readonly run?: string
}

/** `stopped`: by the operator. Absent where it ran to the last candle. */
export type ReplayEnd = 'stopped' | 'too-many-fires'

/** A task that a run of a replay began, as it is at the end of the candles. */
export interface ReplayTask extends Pick<TaskRow, 'kind' | 'status' | 'startedAt'> {
  /** The run that began it. */
  readonly run: string
  /** What it does, or why it ended. */
  readonly doing?: string
}

export interface ReplayResult {
  readonly account: string
  readonly symbol: string
  /** Of the candles. */
  readonly frame: CandleInterval
  /** From the begin of the first to the end of the last, ms since the epoch. */
  readonly from: number
  readonly to: number
  readonly bars: number
  readonly currency: string
  readonly balance: string
  readonly fires: readonly ReplayFire[]
  readonly fills: readonly ReplayFill[]
  /** Those that its runs began, as they are at the end; absent: none was. */
  readonly tasks?: readonly ReplayTask[]
  /** After fees, with what is open at the last close. */
  readonly profit: string
  readonly profitPercent: string
  /** Before fees. */
  readonly realized: string
  readonly fees: string
  /** What is held at the end. */
  readonly open?: {
    readonly side: Position['side']
    readonly amount: string
    readonly entryPrice: string
    readonly pnl: string
  }
  readonly deepestFall?: Drawdown
  readonly stats: TradeStats
  /** Of the time, that something was held at the close of a candle. */
  readonly inMarketPercent: string
  /** What the account was worth, at most 401 points: time and value. */
  readonly equity: readonly (readonly [at: number, value: string])[]
  readonly ended?: ReplayEnd
  readonly notes: readonly string[]
  /** What candles leave unknown, and what stands for it. */
  readonly unknown: readonly string[]
}

/** What a trigger would have done on the candles of the past; in `fires`, `run` is absent where no candle came after it. */
export interface HookReplayData extends ReplayResult {
  readonly type: 'hook-replay'
  /** Absent: it is not stored. */
  readonly hook?: string
  readonly when: string
  readonly command: string
}

// Who the operator is, for programs. No token is among it.

/** What `whoami`, `login` and `logout` answer. */
export type SignInData =
  | { readonly type: 'sign-in'; readonly signedIn: false }
  | {
      readonly type: 'sign-in'
      /** Whether it still serves: a sign-in that has ended is told with the rest. */
      readonly signedIn: boolean
      readonly issuer: string
      readonly clientId: string
      readonly subject: string
      /** Absent where the issuer has verified none. */
      readonly email?: string
      /** ms since the epoch. */
      readonly signedInAt: number
      /** Until then the token serves as it is. */
      readonly expiresAt: number
      /** Whether it is renewed without a person. */
      readonly isRenewable: boolean
      /** Where the tokens are: `file`, `keychain`, `vault`. */
      readonly keys: string
      /** The issuer renews it no more. */
      readonly endedAt?: number
    }

/** What a person is to type, and where. */
interface LoginCodeData {
  readonly type: 'login-code'
  readonly issuer: string
  readonly userCode: string
  readonly address: string
  readonly addressWithCode?: string
  readonly expiresAt: number
}

// What `scale` and `swarm` answer to programs.

/** One size as several orders: `scale`, `swarm`. */
export interface SlicedData {
  readonly type: 'sliced'
  readonly command: 'scale' | 'swarm'
  readonly account: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** How many orders were asked for. */
  readonly slices: number
  /** Of all of them. */
  readonly amount: string
  /** Of `scale`: at what they fill on average, and what they cost in quote, if all fill. Of `swarm`: of what has filled. */
  readonly average?: string
  readonly value?: string
  /** Those that were placed, as they were then. */
  readonly orders: readonly Order[]
}

/** The listener as commands see it. */
export interface ListenerStatus {
  readonly state: 'listening' | 'disabled' | 'port-taken' | 'failed' | 'starting' | 'stopping' | 'not-started'
  readonly address: string
  readonly pid: number
  /** Who holds the port, for `port-taken`; absent when it does not answer `/health` like a hookline. */
  readonly holderPid?: number
  /** The system's own words, for `failed`. */
  readonly reason?: string
  readonly sockets: number
}

/** The console's server of this user, looked at from outside: by its port. */
export interface ConsoleStatus {
  /** `held`: another program has the port. `off`: none of its addresses may ask. `unknown`: what proves it cannot be read. */
  readonly state: 'served' | 'starting' | 'not-served' | 'held' | 'off' | 'unknown'
  readonly address: string
  /** Whose program has the port, for `held`, where the system says. */
  readonly user?: number
}

/** What `watch --once` answers. */
export interface WatchData {
  readonly type: 'watch'
  readonly account: string
  readonly symbol: string
  /** `panic`, `halted`, `reducing`, `sim`; empty where orders are sent. */
  readonly guards: readonly string[]
  /** ms since the epoch. */
  readonly at: number
  /** The figures are not of now; `problem`: why. */
  readonly isStale: boolean
  readonly problem?: string
  /** Absent where the venue does not have the symbol. */
  readonly ticker?: Ticker
  /** In the currency that the account is counted in. */
  readonly balance?: Balance
  /** Without `risk` and `r`. */
  readonly positions: readonly PositionDetailRow[]
  /** As those of `orders`. */
  readonly orders: readonly BracketedOrder[]
  /** Orders and changes without an answer. */
  readonly unsettled: number
  readonly tasks: readonly TaskRow[]
  readonly runs: readonly RunSummary[]
}

export interface StatusData {
  readonly type: 'status'
  readonly version: string
  readonly account: string
  readonly symbol: string
  /** Absent where the venue does not answer; then `error` has a line about it. */
  readonly last?: string
  /** Present while panic is on; times are ms since the epoch, 0: not known. */
  readonly panic?: { readonly since: number; readonly by: string }
  /** Of the account in use: `active`, `reducing` or `halted`; `simulated`: nothing is sent. */
  readonly guards: {
    readonly state: string
    readonly since?: number
    readonly by?: string
    readonly simulated: boolean
  }
  /** Of this process; `not-started` of one that does not listen, as `exec`. */
  readonly listener: string
  /** The process that listens for this configuration. Absent: none does. */
  readonly listenerPid?: number
  readonly console: ConsoleStatus
  readonly hooks: number
  readonly running: number
  readonly waiting: number
  /** Tasks that run, or wait to be resumed; `driver`: the process that drives them. */
  readonly tasks: {
    readonly running: number
    readonly interrupted: number
    readonly interruptedIds: readonly string[]
    readonly driver?: number
  }
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly message: string }[]
}

// What commands about tasks answer to programs.

type TasksData =
  /** `driver`: the pid of the process that drives them, of the list alone; absent: none does. */
  | { readonly type: 'tasks'; readonly tasks: readonly TaskRow[]; readonly driver?: number }
  | TaskData
  | TaskPlanData
  | AlertData
  | WhenData
  | ScheduleData

/** One task, with what it said and what it ordered. */
interface TaskData {
  readonly type: 'task'
  readonly task: TaskRow
  /** Oldest first. */
  readonly history: readonly TaskLine[]
  readonly orders: readonly RunOrder[]
}

/** An alert that was set. */
interface AlertData {
  readonly type: 'alert'
  /** Of its task. */
  readonly id: string
  readonly account: string
  readonly symbol: string
  readonly comparator: '>' | '>=' | '<' | '<='
  readonly price: string
  readonly words?: string
}

/** A condition that is judged from now on. */
interface WhenData {
  readonly type: 'when'
  /** Of its task. */
  readonly id: string
  readonly account: string
  readonly symbol: string
  readonly condition: string
  /** Again and again, not once. */
  readonly isEach: boolean
  /** It is met already: the task waits until it is met anew. Absent: not so, or not known. */
  readonly holds?: true
  /** Absent: it only reports. */
  readonly line?: string
  readonly words?: string
}

/** A line that runs at its times from now on. */
interface ScheduleData {
  readonly type: 'schedule'
  /** Of its task. */
  readonly id: string
  readonly account: string
  readonly symbol: string
  /** In words, with its zone. */
  readonly schedule: string
  /** ms since the epoch. */
  readonly next: number
  readonly line: string
}

// What the commands that begin tasks answer to programs (`--json`).

/** A task that was begun, with its `id`; or, with `--dry`, one that was only worked out. */
export interface TaskPlanData {
  readonly type: 'task-plan'
  readonly id?: string
  readonly account: string
  /** `chase`, `twap`, or a later one. */
  readonly kind: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  /** In the market's amount unit. */
  readonly amount: string
  readonly reduceOnly: boolean
  /** Percent of what was asked for that rounding took away; absent: 1 or less. */
  readonly roundedBy?: string
  /** When it ends at the latest, in ms from its begin. Absent: with its position. */
  readonly lastsMs?: number
  /** Where its first order would rest now. */
  readonly price?: string
  /** As far as it goes with a price. */
  readonly limit?: string
  /** What becomes of the rest when its time is over: `market` or `cancel`. */
  readonly rest?: string
  /** Of a trail: how far its stop is from the best price. */
  readonly distance?: { readonly kind: 'percent' | 'amount'; readonly value: string }
  /** Of a trail: it rests no stop before last has come to this price. */
  readonly after?: string
  /** Of an oco: `price` is its stop, and this is where it takes the profit. */
  readonly takeProfitPrice?: string
  /** As they come when each fills whole. */
  readonly slices?: readonly { readonly afterMs: number; readonly amount: string }[]
  /** Of a dca and a grid: its buys (a dca that sells: its sales), in the order of their prices from the first. */
  readonly parts?: readonly { readonly price: string; readonly amount: string }[]
  /** Of those, where all fill. */
  readonly average?: string
  /** Of a dca and a grid: its worst-case loss, in `currency`, where all fill and the price goes to `at`: its stop, or zero. Absent: there is no end to it. */
  readonly worst?: { readonly pnl: string; readonly currency: string; readonly at: string }
  /** Of a grid: what the least of its steps makes each time, in quote, after fees where these are known. */
  readonly stepProfit?: string
}
