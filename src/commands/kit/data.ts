// What commands answer to programs (`--json`, behaviour 35): one shape for each kind of answer. docs/json.md shows an example of each;
// test/commands/json-data.sim.test.ts holds both to what commands give.

import type { UnreadRow } from '../../exchange/exchange.ts'
import type { Market, MarketKind, Ticker } from '../../exchange/market.ts'
import type { Balance, Order, OrderChange, Position, Trade } from '../../exchange/order.ts'
import type { FactResult } from '../../exchanges/contract/prove.ts'
import type { AlertMessage } from '../../language/alert.ts'
import type { HookCounts, OutputKind, RunSummary } from '../../runs/run.ts'
import type { Switches } from '../../stores/config.ts'
import type { Gap } from '../../trading/history/executions.ts'
import type { RunOrder } from '../../trading/history/journal-history.ts'
import type { Grouping, PnlGroup } from '../../trading/history/pnl-groups.ts'
import type { RoundTrip } from '../../trading/history/round-trips.ts'
import type { ChangedOrder, EndOutcome } from '../../trading/order-event.ts'
import type { CrossTradeData } from './cross-trade-data.ts'
import type { GuardsData, WouldData } from './guard-data.ts'
import type { HookData } from './hook-data.ts'
import type { HookLogData } from './hook-log-data.ts'
import type { NoticesData } from './notice-data.ts'
import type { PreviewData } from './preview-data.ts'
import type { ReplayData } from './replay-data.ts'
import type { LoginCodeData, SignInData } from './sign-in-data.ts'
import type { SlicedData } from './sliced-data.ts'
import type { StatusData } from './status-data.ts'
import type { TasksData } from './task-data.ts'

/** Money, prices and amounts are decimal strings; times are ms since the epoch. Fields may be added, never renamed. */
export type CommandData =
  | ({ readonly type: 'ticker' } & Ticker)
  | { readonly type: 'markets'; readonly markets: readonly Market[] }
  | { readonly type: 'balances'; readonly account: string; readonly balances: readonly Balance[] }
  | { readonly type: 'positions'; readonly account: string; readonly positions: readonly Position[] }
  | {
      readonly type: 'orders'
      readonly account: string
      readonly orders: readonly Order[]
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
  | ListenerData
  | SwitchesData
  | StatusData
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
export interface FillData extends Trade {
  /** What it realised before fees, in `pnlCurrency`; absent where that is not known. */
  readonly pnl?: string
  readonly pnlCurrency?: string
  /** `repl`, `hook:dip`. */
  readonly by?: string
  readonly runId?: string
}

/** From flat to flat. */
export interface TripData extends Omit<RoundTrip, 'by'> {
  readonly by?: string
}

/** An order with what came of it; `open`: it rests. */
export interface PastOrderData extends Omit<RunOrder, 'state' | 'clientOrderId'> {
  readonly clientOrderId?: string
  readonly state: RunOrder['state'] | 'open'
  readonly reduceOnly: boolean
  readonly takeProfitPrice?: string
  /** It protects a position: as its stop or its take-profit. */
  readonly role?: 'stop' | 'take'
  readonly by?: string
  readonly runId?: string
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

interface UnsettledData {
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly amount: string
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
  readonly toldWithinS?: { readonly streams: number; readonly asked: number; readonly isOfKnownSymbols?: true }
}

interface PendingData {
  readonly clientId: string
  readonly label: string
  readonly origin: string
}

interface ClientData extends PendingData {
  readonly approvedAt: number
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
