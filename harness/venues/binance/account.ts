// One account on the stand-in: what it holds, what rests, what it has done. Amounts of positions carry a sign.
import { Decimal } from 'decimal.js'
import { type Listed, maintenanceOf, SYMBOLS } from './symbols.ts'

export type Side = 'BUY' | 'SELL'
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTX'
export type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED'
export type AlgoStatus = 'NEW' | 'CANCELED' | 'TRIGGERING' | 'TRIGGERED' | 'FINISHED' | 'REJECTED' | 'EXPIRED'
export type AlgoType = 'STOP' | 'STOP_MARKET' | 'TAKE_PROFIT' | 'TAKE_PROFIT_MARKET'

/** What an order says when it is sent. */
export interface Wish {
  readonly listed: Listed
  readonly clientId: string
  readonly side: Side
  readonly amount: Decimal
  /** Zero for market orders. */
  readonly price: Decimal
  readonly timeInForce: TimeInForce
  readonly reduceOnly: boolean
}

export interface VenueOrder extends Omit<Wish, 'amount' | 'price'> {
  readonly id: number
  readonly type: 'MARKET' | 'LIMIT' | 'LIQUIDATION'
  /** What it was before it was triggered. */
  readonly originalType: VenueOrder['type'] | AlgoType
  readonly algo?: AlgoOrder
  readonly time: number
  amount: Decimal
  price: Decimal
  filled: Decimal
  cost: Decimal
  status: OrderStatus
  updateTime: number
}

export interface AlgoOrder extends Wish {
  readonly id: number
  readonly type: AlgoType
  readonly trigger: Decimal
  readonly closePosition: boolean
  readonly time: number
  status: AlgoStatus
  updateTime: number
  triggerTime: number
  child?: VenueOrder
}

export interface Fill {
  readonly id: number
  readonly order: VenueOrder
  readonly price: Decimal
  readonly amount: Decimal
  readonly fee: Decimal
  readonly realized: Decimal
  readonly isMaker: boolean
  readonly time: number
}

export interface Held {
  amount: Decimal
  entry: Decimal
  updateTime: number
}

export interface AccountOptions {
  readonly key: string
  readonly secret: string
  /** In USDT; default 10 000. */
  readonly wallet?: string
  readonly mayWithdraw?: boolean
  readonly mayTrade?: boolean
  readonly isAddressBound?: boolean
  readonly isHedged?: boolean
}

const ZERO = new Decimal(0)
const DEFAULT_LEVERAGE = 20

export function isOpen({ status }: VenueOrder): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED'
}

export class Account {
  readonly key: string
  readonly secret: string
  readonly orders = new Map<number, VenueOrder>()
  readonly algos = new Map<number, AlgoOrder>()
  readonly fills: Fill[] = []
  readonly isolated = new Set<string>()
  mayTrade: boolean
  readonly isAddressBound: boolean
  mayWithdraw: boolean
  isHedged: boolean
  isRevoked = false
  wallet: Decimal
  /** Where its events go. */
  tell: (event: Readonly<Record<string, unknown>>) => void = () => {}
  readonly #positions = new Map<string, Held>()
  readonly #leverage = new Map<string, number>()

  constructor(options: AccountOptions) {
    this.key = options.key
    this.secret = options.secret
    this.wallet = new Decimal(options.wallet ?? '10000')
    this.mayWithdraw = options.mayWithdraw ?? false
    this.mayTrade = options.mayTrade ?? true
    this.isAddressBound = options.isAddressBound ?? true
    this.isHedged = options.isHedged ?? false
  }

  held(symbol: string): Held {
    const known = this.#positions.get(symbol)
    if (known !== undefined) return known
    const fresh = { amount: ZERO, entry: ZERO, updateTime: 0 }
    this.#positions.set(symbol, fresh)
    return fresh
  }

  leverageOf({ symbol, maxLeverage }: Listed): number {
    return this.#leverage.get(symbol) ?? Math.min(DEFAULT_LEVERAGE, maxLeverage)
  }

  setLeverage({ symbol }: Listed, leverage: number): void {
    this.#leverage.set(symbol, leverage)
  }

  openOrders(symbol?: string): VenueOrder[] {
    return [...this.orders.values()].filter(
      (order) => isOpen(order) && (symbol === undefined || order.listed.symbol === symbol),
    )
  }

  openAlgos(symbol?: string): AlgoOrder[] {
    return [...this.algos.values()].filter(
      ({ status, listed }) => status === 'NEW' && (symbol === undefined || listed.symbol === symbol),
    )
  }

  /** Open ones first: several that ended may have had the same name. */
  orderNamed(clientId: string, symbol: string): VenueOrder | undefined {
    const named = [...this.orders.values()].filter(
      (order) => order.clientId === clientId && order.listed.symbol === symbol,
    )
    return named.find(isOpen) ?? named.at(-1)
  }

  algoNamed(clientId: string): AlgoOrder | undefined {
    const named = [...this.algos.values()].filter((algo) => algo.clientId === clientId)
    return named.find(({ status }) => status === 'NEW') ?? named.at(-1)
  }

  /** How much a reduce-only order of this side may still take off. */
  reducible(symbol: string, side: Side): Decimal {
    const { amount } = this.held(symbol)
    return (side === 'SELL' ? amount.gt(0) : amount.lt(0)) ? amount.abs() : ZERO
  }
}

export interface Margins {
  readonly unrealized: Decimal
  readonly positions: Decimal
  readonly orders: Decimal
  readonly maintenance: Decimal
  readonly available: Decimal
}

/** @param lastOf the last price of a symbol */
export function marginsOf(account: Account, lastOf: (symbol: string) => Decimal): Margins {
  let [unrealized, positions, orders, maintenance] = [ZERO, ZERO, ZERO, ZERO]
  for (const listed of SYMBOLS) {
    const { amount, entry } = account.held(listed.symbol)
    if (amount.isZero()) continue
    const notional = amount.times(lastOf(listed.symbol))
    unrealized = unrealized.plus(notional.minus(amount.times(entry)))
    positions = positions.plus(notional.abs().div(account.leverageOf(listed)))
    maintenance = maintenance.plus(maintenanceOf(notional))
  }
  for (const order of account.openOrders()) {
    if (order.reduceOnly) continue
    const rest = order.amount.minus(order.filled).times(order.price)
    orders = orders.plus(rest.div(account.leverageOf(order.listed)))
  }
  const available = Decimal.max(0, account.wallet.plus(unrealized).minus(positions).minus(orders))
  return { unrealized, positions, orders, maintenance, available }
}
