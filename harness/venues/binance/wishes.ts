// What an order says, read and held to the venue's filters, with the codes that Binance answers.
import { Decimal } from 'decimal.js'
import type { Account, AlgoOrder, AlgoType, Side, TimeInForce, Wish } from './account.ts'
import { refuse } from './refusal.ts'
import { type Listed, SYMBOLS } from './symbols.ts'

export type Params = Readonly<Record<string, string>>

const NUMBER = /^\d{1,15}(\.\d{1,20})?$/
const CLIENT_ID = /^[.A-Z:/a-z0-9_-]{1,36}$/
const TIMES: readonly string[] = ['GTC', 'IOC', 'FOK', 'GTX'] satisfies TimeInForce[]
const ALGO_TYPES: readonly string[] = ['STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET'] satisfies AlgoType[]

export function listedIn({ symbol }: Params): Listed {
  if (symbol === undefined || symbol === '') throw refuse.missing('symbol')
  const listed = SYMBOLS.find((each) => each.symbol === symbol)
  if (listed === undefined) throw refuse.symbol()
  return listed
}

/** A market or a limit order. @param last the last price */
export function readWish(
  account: Account,
  params: Params,
  last: Decimal,
): Wish & { readonly type: 'MARKET' | 'LIMIT' } {
  const { type } = params
  if (ALGO_TYPES.includes(type ?? '') || type === 'TRAILING_STOP_MARKET') throw refuse.algoElsewhere()
  if (type !== 'MARKET' && type !== 'LIMIT') throw refuse.orderType()
  const common = readCommon(account, params, 'newClientOrderId')
  const { listed, side, reduceOnly } = common
  const amount = readAmount(params.quantity, listed, type === 'MARKET')
  if (type === 'MARKET') {
    checkNotional(amount.times(last), listed, reduceOnly)
    return { ...common, type, amount, price: new Decimal(0), timeInForce: 'GTC' }
  }
  if (!TIMES.includes(params.timeInForce ?? '')) throw refuse.timeInForce()
  const price = readPrice('price', params.price, listed)
  checkBand(side, price, last)
  checkNotional(amount.times(price), listed, reduceOnly)
  return { ...common, type, amount, price, timeInForce: params.timeInForce as TimeInForce }
}

export type AlgoWish = Omit<AlgoOrder, 'id' | 'time' | 'status' | 'updateTime' | 'triggerTime'>

export function readAlgo(account: Account, params: Params): AlgoWish {
  const { type } = params
  if (params.algoType !== 'CONDITIONAL') throw refuse.missing('algoType')
  if (!ALGO_TYPES.includes(type ?? '')) throw refuse.orderType()
  const common = readCommon(account, params, 'clientAlgoId')
  const { listed, reduceOnly } = common
  const isMarket = type?.endsWith('_MARKET') === true
  const closePosition = params.closePosition === 'true'
  const amount = closePosition ? new Decimal(0) : readAmount(params.quantity, listed, isMarket)
  const trigger = readPrice('triggerPrice', params.triggerPrice, listed)
  const price = isMarket ? new Decimal(0) : readPrice('price', params.price, listed)
  if (!closePosition) checkNotional(amount.times(isMarket ? trigger : price), listed, reduceOnly)
  const timeInForce = (TIMES.includes(params.timeInForce ?? '') ? params.timeInForce : 'GTC') as TimeInForce
  return { ...common, type: type as AlgoType, amount, price, trigger, closePosition, timeInForce }
}

/** What of a resting order is to be: both are wanted, as on Binance. */
export function readChange(params: Params, listed: Listed): { readonly amount: Decimal; readonly price: Decimal } {
  const amount = readAmount(params.quantity, listed, false)
  const price = readPrice('price', params.price, listed)
  checkNotional(amount.times(price), listed, false)
  return { amount, price }
}

let made = 0

function readCommon(account: Account, params: Params, nameOfId: 'newClientOrderId' | 'clientAlgoId') {
  const listed = listedIn(params)
  if (listed.status !== 'TRADING') throw refuse.symbolStatus()
  const { side, positionSide = 'BOTH' } = params
  if (side !== 'BUY' && side !== 'SELL') throw refuse.side()
  if ((positionSide === 'BOTH') === account.isHedged) throw refuse.hedged()
  made += 1
  const clientId = params[nameOfId] ?? `made-${made}`
  if (!CLIENT_ID.test(clientId)) throw refuse.clientId()
  return { listed, side: side as Side, clientId, reduceOnly: params.reduceOnly === 'true' }
}

function readAmount(text: string | undefined, listed: Listed, isMarket: boolean): Decimal {
  if (text === undefined || text === '') throw refuse.missing('quantity')
  if (!NUMBER.test(text)) throw refuse.missing('quantity')
  const amount = new Decimal(text)
  if (amount.lte(0)) throw refuse.tooSmall()
  if (amount.decimalPlaces() > new Decimal(listed.lot).decimalPlaces()) throw refuse.precision()
  if (!amount.mod(listed.lot).isZero()) throw refuse.lot()
  if (amount.gt(isMarket ? listed.marketMaxAmount : listed.maxAmount)) throw refuse.tooLarge()
  return amount
}

function readPrice(name: string, text: string | undefined, listed: Listed): Decimal {
  if (text === undefined || !NUMBER.test(text)) throw refuse.missing(name)
  const price = new Decimal(text)
  if (price.lte(0)) throw refuse.priceTooSmall()
  if (price.decimalPlaces() > new Decimal(listed.tick).decimalPlaces() + 1) throw refuse.precision()
  if (!price.mod(listed.tick).isZero()) throw refuse.tick()
  return price
}

function checkNotional(notional: Decimal, { minNotional }: Listed, reduceOnly: boolean): void {
  if (!reduceOnly && notional.lt(minNotional)) throw refuse.minNotional(minNotional)
}

function checkBand(side: Side, price: Decimal, last: Decimal): void {
  if (side === 'BUY' && price.gt(last.times('1.15'))) throw refuse.priceTooHigh()
  if (side === 'SELL' && price.lt(last.times('0.85'))) throw refuse.priceTooLow()
}
