// One account on the stand-in, in net mode: what it holds, what rests, what it has done. Positions are contracts with a sign.
import { Decimal } from 'decimal.js'
import { INSTRUMENTS, type Instrument, maintenanceOf, valueOf } from './instruments.ts'

export type Side = 'buy' | 'sell'
export type OrderKind = 'market' | 'limit' | 'post_only' | 'ioc' | 'fok'
export type OrderState = 'live' | 'partially_filled' | 'filled' | 'canceled'
export type AlgoKind = 'conditional' | 'oco' | 'trigger'
export type AlgoState = 'live' | 'effective' | 'canceled' | 'order_failed'

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

export interface Held {
  contracts: Decimal
  entry: Decimal
  realized: Decimal
  time: number
}

export interface AccountOptions {
  readonly key: string
  readonly secret: string
  readonly passphrase: string
  /** In USDT; default 10 000. */
  readonly wallet?: string
  /** As `account/config` says it. Default `read_only,trade`. */
  readonly perm?: string
  readonly isHedged?: boolean
  /** The address on the key's list is another one. */
  readonly isFromElsewhere?: boolean
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
  readonly isFromElsewhere: boolean
  readonly orders = new Map<string, VenueOrder>()
  readonly algos = new Map<string, AlgoOrder>()
  readonly fills: Fill[] = []
  readonly leverage = new Map<string, number>()
  perm: string
  isHedged: boolean
  isRevoked = false
  wallet: Decimal
  /** Where its events go. */
  tell: (channel: string, row: Readonly<Record<string, unknown>>) => void = () => {}
  readonly #positions = new Map<string, Held>()

  constructor(options: AccountOptions) {
    this.key = options.key
    this.secret = options.secret
    this.passphrase = options.passphrase
    this.wallet = new Decimal(options.wallet ?? '10000')
    this.perm = options.perm ?? 'read_only,trade'
    this.isHedged = options.isHedged ?? false
    this.isFromElsewhere = options.isFromElsewhere ?? false
  }

  get mayTrade(): boolean {
    return this.perm.split(',').includes('trade')
  }

  held({ id }: Instrument): Held {
    const known = this.#positions.get(id)
    if (known !== undefined) return known
    const fresh = { contracts: ZERO, entry: ZERO, realized: ZERO, time: 0 }
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
    const { contracts } = this.held(instrument)
    return (side === 'sell' ? contracts.gt(0) : contracts.lt(0)) ? contracts.abs() : ZERO
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
    const { contracts, entry } = account.held(instrument)
    if (contracts.isZero()) continue
    const value = valueOf(contracts, lastOf(instrument.id), instrument)
    unrealized = unrealized.plus(value.minus(valueOf(contracts, entry, instrument)))
    positions = positions.plus(value.abs().div(account.leverageOf(instrument)))
    maintenance = maintenance.plus(maintenanceOf(value))
  }
  for (const { instrument, reduceOnly, size, filled, price } of account.openOrders()) {
    if (reduceOnly) continue
    orders = orders.plus(valueOf(size.minus(filled), price, instrument).div(account.leverageOf(instrument)))
  }
  const available = Decimal.max(0, account.wallet.plus(unrealized).minus(positions).minus(orders))
  return { unrealized, positions, orders, maintenance, available }
}
