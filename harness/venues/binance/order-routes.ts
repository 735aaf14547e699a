import type { AlgoOrder, Fill, VenueOrder } from './account.ts'
import { algoRow, amountText, orderRow, priceText } from './events.ts'
import { refuse } from './refusal.ts'
import type { AskedByAccount, Route } from './routes.ts'
import { listedIn, readAlgo, readChange, readWish } from './wishes.ts'

type Signed = Extract<Route, { security: 'key' | 'signed' }>

const signed = (run: Signed['run']): Signed => ({ security: 'signed', run })

export const ORDER_ROUTES: Readonly<Record<string, Signed>> = {
  'POST /fapi/v1/order': signed(place),
  'GET /fapi/v1/order': signed((asked) => withTime(orderIn(asked, refuse.notFound))),
  'GET /fapi/v1/openOrder': signed((asked) => withTime(orderIn(asked, refuse.notFound))),
  'PUT /fapi/v1/order': signed(amend),
  'DELETE /fapi/v1/order': signed((asked) =>
    orderRow(asked.engine.cancel(asked.account, orderIn(asked, refuse.notOpen))),
  ),
  'GET /fapi/v1/openOrders': signed(({ account, params }) => account.openOrders(symbolIn(params)).map(withTime)),
  'GET /fapi/v1/allOrders': signed(allOrders),
  'DELETE /fapi/v1/allOpenOrders': signed(cancelAll),
  'POST /fapi/v1/algoOrder': signed(placeAlgo),
  'GET /fapi/v1/algoOrder': signed((asked) => algoRow(algoIn(asked, refuse.notFound))),
  'DELETE /fapi/v1/algoOrder': signed(cancelAlgo),
  'GET /fapi/v1/openAlgoOrders': signed(({ account, params }) => account.openAlgos(symbolIn(params)).map(algoRow)),
  'GET /fapi/v1/allAlgoOrders': signed(({ account, params }) => {
    const { symbol } = listedIn(params)
    return [...account.algos.values()].filter(({ listed }) => listed.symbol === symbol).map(algoRow)
  }),
  // It liquidates no account.
  'GET /fapi/v1/forceOrders': signed(() => []),
  'DELETE /fapi/v1/algoOpenOrders': signed(cancelAllAlgos),
  'GET /fapi/v1/userTrades': signed(userTrades),
}

const DONE = { code: 200, msg: 'The operation of cancel all open order is done.' }
const TRADES = 500
const MOST_TRADES = 1_000

function symbolIn(params: AskedByAccount['params']): string | undefined {
  return params.symbol === undefined ? undefined : listedIn(params).symbol
}

/** Questions tell when it was made, too. */
function withTime(order: VenueOrder): unknown {
  return { ...orderRow(order), time: order.time }
}

function place({ account, engine, params }: AskedByAccount): unknown {
  if (!account.mayTrade) throw refuse.unauthorized()
  const last = engine.last(params.symbol ?? '')
  const { type, ...wish } = readWish(account, params, last)
  const order = engine.submit(account, wish, { type, originalType: type })
  return orderRow(order, params.newOrderRespType !== 'RESULT')
}

function amend(asked: AskedByAccount): unknown {
  const { account, engine, params } = asked
  const order = orderIn(asked, refuse.notFound)
  if (order.type !== 'LIMIT') throw refuse.onlyLimit()
  const { amount, price } = readChange(params, order.listed)
  return orderRow(engine.amend(account, order, amount, price))
}

function orderIn({ account, params }: AskedByAccount, missing: () => Error): VenueOrder {
  const { symbol } = listedIn(params)
  const { orderId, origClientOrderId } = params
  if (orderId === undefined && origClientOrderId === undefined) throw refuse.missing('orderId')
  const found =
    orderId === undefined ? account.orderNamed(origClientOrderId ?? '', symbol) : account.orders.get(Number(orderId))
  if (found === undefined || found.listed.symbol !== symbol) throw missing()
  return found
}

function allOrders({ account, params }: AskedByAccount): unknown {
  const { symbol } = listedIn(params)
  const all = [...account.orders.values()].filter(({ listed }) => listed.symbol === symbol)
  const since = Number(params.startTime ?? 0)
  return all
    .filter(({ time }) => time >= since)
    .slice(-Number(params.limit ?? 500))
    .map(withTime)
}

function cancelAll({ account, engine, params }: AskedByAccount): unknown {
  for (const order of account.openOrders(listedIn(params).symbol)) engine.cancel(account, order)
  return DONE
}

function placeAlgo({ account, engine, params }: AskedByAccount): unknown {
  if (!account.mayTrade) throw refuse.unauthorized()
  return algoRow(engine.submitAlgo(account, readAlgo(account, params)))
}

function algoIn({ account, params }: AskedByAccount, missing: () => Error): AlgoOrder {
  const { algoId, clientAlgoId } = params
  if (algoId === undefined && clientAlgoId === undefined) throw refuse.missing('algoId')
  const found = algoId === undefined ? account.algoNamed(clientAlgoId ?? '') : account.algos.get(Number(algoId))
  if (found === undefined) throw missing()
  return found
}

function cancelAlgo(asked: AskedByAccount): unknown {
  const algo = algoIn(asked, refuse.notOpen)
  asked.engine.endAlgo(asked.account, algo, 'CANCELED')
  return { algoId: algo.id, clientAlgoId: algo.clientId, code: '200', msg: 'success' }
}

function cancelAllAlgos({ account, engine, params }: AskedByAccount): unknown {
  for (const algo of account.openAlgos(listedIn(params).symbol)) engine.endAlgo(account, algo, 'CANCELED')
  return DONE
}

/** From a time or an id on the oldest come first, and no more than the limit; else the newest. */
function userTrades({ account, params }: AskedByAccount): unknown {
  const { symbol } = listedIn(params)
  const limit = Math.min(Number(params.limit ?? TRADES), MOST_TRADES)
  const { startTime, endTime, fromId, orderId } = params
  const wanted = account.fills.filter(
    ({ id, time, order }) =>
      order.listed.symbol === symbol &&
      (orderId === undefined || order.id === Number(orderId)) &&
      (startTime === undefined || time >= Number(startTime)) &&
      (endTime === undefined || time <= Number(endTime)) &&
      (fromId === undefined || id >= Number(fromId)),
  )
  const isFrom = startTime !== undefined || fromId !== undefined
  return (isFrom ? wanted.slice(0, limit) : wanted.slice(-limit)).map(tradeRow)
}

function tradeRow({ id, order, price, amount, fee, realized, isMaker, time }: Fill): unknown {
  const { listed, side } = order
  const money = { commission: fee.toFixed(8), commissionAsset: 'USDT', realizedPnl: realized.toFixed(8) }
  return {
    symbol: listed.symbol,
    id,
    orderId: order.id,
    side,
    price: priceText(price, listed),
    qty: amountText(amount, listed),
    quoteQty: price.times(amount).toFixed(8),
    ...money,
    marginAsset: 'USDT',
    time,
    positionSide: 'BOTH',
    buyer: side === 'BUY',
    maker: isMaker,
  }
}
