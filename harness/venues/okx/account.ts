// One account on the stand-in, in net mode: what it holds, what rests, what it has done. Positions are contracts with a sign.
import { Decimal } from 'decimal.js'
import type { Net } from '../held.ts'
import { INSTRUMENTS, type Instrument, maintenanceOf, worthOf } from './instruments.ts'

export type Side = 'buy' | 'sell'
export type OrderKind = 'market' | 'limit' | 'post_only' | 'ioc' | 'fok'
export type OrderState = 'live' | 'partially_filled' | 'filled' | 'canceled'
export type AlgoKind = 'conditional' | 'oco' | 'trigger'
export type AlgoState = 'live' | 'effective' | 'canceled' | 'order_failed'

/** What an account may hear of. */
export type Channel = 'orders' | 'orders-algo' | 'account' | 'positions' | 'fills'

/** What is attached to an order, for when it has filled. */
export interface Attached {
  readonly attachAlgoClOrdId: string
  readonly tpTriggerPx: string
  readonly tpOrdPx: string
  readonly slTriggerPx: string
  readonly slOrdPx: string
}

export interface Wish {
  readonly instrument: Instrument
  readonly clOrdId: string
  readonly side: Side
  readonly kind: OrderKind
  readonly size: Decimal
  /** Zero for market orders. */
  readonly price: Decimal
  readonly reduceOnly: boolean
  readonly marginMode: string
  readonly attached: readonly Attached[]
}

export interface VenueOrder extends Omit<Wish, 'size' | 'price'> {
  readonly id: string
  readonly algo?: AlgoOrder
  readonly time: number
  size: Decimal
  price: Decimal
  filled: Decimal
  /** Contracts times price. */
  cost: Decimal
  fee: Decimal
  pnl: Decimal
  state: OrderState
  /** Why the venue ended it; empty where it did not. */
  cancelSource: string
  updateTime: number
}

export interface Leg {
  readonly trigger: Decimal
  /** -1: at the market. */
  readonly price: string
}

export interface AlgoOrder {
  readonly id: string
  readonly clientId: string
  readonly kind: AlgoKind
  readonly instrument: Instrument
  readonly side: Side
  readonly reduceOnly: boolean
  readonly marginMode: string
  readonly time: number
  size: Decimal
  stop?: Leg
  profit?: Leg
  /** Of the kind `trigger`: whichever way the price has to go. */
  plain?: Leg & { readonly isAbove: boolean }
  state: AlgoState
  updateTime: number
  triggerTime: number
  firedBy: '' | 'sl' | 'tp'
  failCode: string
  child?: VenueOrder
}

export interface Fill {
  readonly id: string
  readonly order: VenueOrder
  readonly price: Decimal
  readonly size: Decimal
  readonly fee: Decimal
  readonly pnl: Decimal
  readonly isMaker: boolean
  readonly time: number
}

/** Its amount is in contracts. */
export interface Held extends Net {
  realized: Decimal
  time: number
  mode: string
}

export interface AccountOptions {
  readonly key: string
  readonly secret: string
  readonly passphrase: string
  /** In USDT; default 10 000. */
  readonly wallet?: string
  /** As `account/config` says it. Default `read_only,trade`. */
  readonly perm?: string
  /** The key's list of addresses, as `account/config` says it. Default: one; empty: none. */
  readonly addresses?: string
  readonly isHedged?: boolean
  /** The address on the key's list is another one. */
  readonly isFromElsewhere?: boolean
  /** May hear the channel of fills. */
  readonly isVip?: boolean
}

const ZERO = new Decimal(0)
const DEFAULT_LEVERAGE = 20

export function isOpen({ state }: VenueOrder): boolean {
  return state === 'live' || state === 'partially_filled'
}

export class Account {
  readonly key: string
  readonly secret: string
  readonly passphrase: string
  isFromElsewhere: boolean
  readonly isVip: boolean
  readonly orders = new Map<string, VenueOrder>()
  readonly algos = new Map<string, AlgoOrder>()
  readonly fills: Fill[] = []
  readonly leverage = new Map<string, number>()
  perm: string
  readonly addresses: string
  isHedged: boolean
  isRevoked = false
  wallet: Decimal
  /** Where its events go. */
  tell: (channel: Channel, row: Readonly<Record<string, unknown>>) => void = () => {}
  readonly #positions = new Map<string, Held>()

  constructor(options: AccountOptions) {
    this.key = options.key
    this.secret = options.secret
    this.passphrase = options.passphrase
    this.wallet = new Decimal(options.wallet ?? '10000')
    this.perm = options.perm ?? 'read_only,trade'
    this.addresses = options.addresses ?? '127.0.0.1'
    this.isHedged = options.isHedged ?? false
    this.isFromElsewhere = options.isFromElsewhere ?? false
    this.isVip = options.isVip ?? false
  }

  get mayTrade(): boolean {
    return this.perm.split(',').includes('trade')
  }

  held({ id }: Instrument): Held {
    const known = this.#positions.get(id)
    if (known !== undefined) return known
    const fresh = { amount: ZERO, entry: ZERO, realized: ZERO, time: 0, mode: 'cross' }
    this.#positions.set(id, fresh)
    return fresh
  }

  leverageOf({ id }: Instrument): number {
    return this.leverage.get(id) ?? DEFAULT_LEVERAGE
  }

  openOrders(instId?: string): VenueOrder[] {
    return [...this.orders.values()].filter(
      (order) => isOpen(order) && (instId === undefined || order.instrument.id === instId),
    )
  }

  openAlgos(instId?: string): AlgoOrder[] {
    return [...this.algos.values()].filter(
      ({ state, instrument }) => state === 'live' && (instId === undefined || instrument.id === instId),
    )
  }

  /** Open ones first: several that ended may have had the same name. */
  orderNamed(clOrdId: string): VenueOrder | undefined {
    const named = [...this.orders.values()].filter((order) => order.clOrdId === clOrdId)
    return named.find(isOpen) ?? named.at(-1)
  }

  algoNamed(clientId: string): AlgoOrder | undefined {
    return [...this.algos.values()].filter((algo) => algo.clientId === clientId).at(-1)
  }

  /** How much a reduce-only order of this side may still take off. */
  reducible(instrument: Instrument, side: Side): Decimal {
    const { amount } = this.held(instrument)
    return (side === 'sell' ? amount.gt(0) : amount.lt(0)) ? amount.abs() : ZERO
  }
}

export interface Margins {
  readonly unrealized: Decimal
  readonly positions: Decimal
  readonly orders: Decimal
  readonly maintenance: Decimal
  readonly available: Decimal
}

export function marginsOf(account: Account, lastOf: (instId: string) => Decimal): Margins {
  let [unrealized, positions, orders, maintenance] = [ZERO, ZERO, ZERO, ZERO]
  for (const instrument of INSTRUMENTS) {
    const { amount: contracts, entry } = account.held(instrument)
    if (contracts.isZero()) continue
    const value = worthOf(contracts, lastOf(instrument.id), instrument)
    unrealized = unrealized.plus(value.minus(worthOf(contracts, entry, instrument)))
    positions = positions.plus(value.abs().div(account.leverageOf(instrument)))
    maintenance = maintenance.plus(maintenanceOf(value))
  }
  for (const { instrument, reduceOnly, size, filled, price } of account.openOrders()) {
    if (reduceOnly) continue
    orders = orders.plus(worthOf(size.minus(filled), price, instrument).div(account.leverageOf(instrument)))
  }
  const available = Decimal.max(0, account.wallet.plus(unrealized).minus(positions).minus(orders))
  return { unrealized, positions, orders, maintenance, available }
}
