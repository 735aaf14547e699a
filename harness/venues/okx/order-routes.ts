import { type Account, type AlgoOrder, isOpen, type VenueOrder } from './account.ts'
import { Refusal, refuse, reject } from './refusal.ts'
import type { AskedByAccount, Route } from './routes.ts'
import { algoRow, fillRow, orderRow, type Row } from './rows.ts'
import {
  checkLegs,
  type Fields,
  instrumentIn,
  readAlgo,
  readLegPrice,
  readPrice,
  readSize,
  readWish,
  textIn,
} from './wishes.ts'

type Signed = Exclude<Route, { security: 'none' }>

const read = (run: Signed['run']): Signed => ({ security: 'read', run })
const trade = (run: Signed['run']): Signed => ({ security: 'trade', run })

export const ORDER_ROUTES: Readonly<Record<string, Signed>> = {
  'POST /api/v5/trade/order': trade((asked) => [placed(asked, asked.fields)]),
  'POST /api/v5/trade/batch-orders': trade((asked) => asked.list.map((fields) => placed(asked, fields))),
  'POST /api/v5/trade/cancel-order': trade((asked) => [canceled(asked, asked.fields)]),
  'POST /api/v5/trade/cancel-batch-orders': trade((asked) => asked.list.map((fields) => canceled(asked, fields))),
  'POST /api/v5/trade/amend-order': trade((asked) => [amended(asked)]),
  'POST /api/v5/trade/order-algo': trade((asked) => [algoPlaced(asked)]),
  'POST /api/v5/trade/cancel-algos': trade((asked) => asked.list.map((fields) => algoCanceled(asked, fields))),
  'POST /api/v5/trade/amend-algos': trade((asked) => [algoAmended(asked)]),
  'GET /api/v5/trade/order': read(orderDetails),
  'GET /api/v5/trade/orders-pending': read((asked) => page(asked, asked.account.openOrders().map(orderOf(asked)))),
  'GET /api/v5/trade/orders-history': read((asked) => {
    if (textIn(asked.fields, 'instType') === undefined) throw refuse.missing('instType')
    const ended = [...asked.account.orders.values()].filter((order) => !isOpen(order))
    return page(asked, ended.map(orderOf(asked)))
  }),
  'GET /api/v5/trade/order-algo': read((asked) => [algoRow(asked.account, algoIn(asked, refuse.notFound))]),
  'GET /api/v5/trade/orders-algo-pending': read((asked) => algoPage(asked, asked.account.openAlgos())),
  'GET /api/v5/trade/orders-algo-history': read((asked) => {
    const state = textIn(asked.fields, 'state')
    if (state === undefined && textIn(asked.fields, 'algoId') === undefined) throw refuse.missing('state')
    const ended = [...asked.account.algos.values()].filter((algo) => algo.state !== 'live')
    return algoPage(
      asked,
      ended.filter((algo) => (state ?? algo.state) === algo.state),
    )
  }),
  'GET /api/v5/trade/fills': read(fills),
  'GET /api/v5/trade/fills-history': read(fills),
}

const PAGE = 100

/** What came of one order, in a row of its own. */
function result(ids: Row, work: () => Row): Row {
  try {
    return { ...ids, tag: '', ...work(), sCode: '0', sMsg: '' }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...ids, tag: '', sCode: error.code, sMsg: error.message }
  }
}

function placed({ account, engine }: AskedByAccount, fields: Fields): Row {
  return result({ ordId: '', clOrdId: textIn(fields, 'clOrdId') ?? '' }, () => {
    const order = engine.submit(account, readWish(account, fields))
    return { ordId: order.id, ts: String(order.time) }
  })
}

function canceled({ account, engine, now }: AskedByAccount, fields: Fields): Row {
  return result(orderIds(fields), () => {
    const order = orderIn(account, fields, reject.notOpen)
    engine.cancel(account, order)
    return { ordId: order.id, clOrdId: order.clOrdId, ts: String(now) }
  })
}

function amended({ account, engine, fields, now }: AskedByAccount): Row {
  const reqId = textIn(fields, 'reqId') ?? ''
  return result({ ...orderIds(fields), reqId }, () => {
    const order = orderIn(account, fields, reject.notChangeable)
    const { instrument } = order
    const [hasSize, hasPrice] = [textIn(fields, 'newSz') !== undefined, textIn(fields, 'newPx') !== undefined]
    if (!hasSize && !hasPrice) throw reject.parameter('newSz')
    const size = hasSize ? readSize(fields, 'newSz', instrument) : order.size
    const price = hasPrice ? readPrice(fields, 'newPx', instrument) : order.price
    engine.amend(account, order, size, price, reqId)
    return { ordId: order.id, clOrdId: order.clOrdId, ts: String(now) }
  })
}

function algoPlaced({ account, engine, fields }: AskedByAccount): Row {
  return result({ algoId: '', clOrdId: '', algoClOrdId: textIn(fields, 'algoClOrdId') ?? '' }, () => {
    const wish = readAlgo(account, fields, engine.last(textIn(fields, 'instId') ?? ''))
    return { algoId: engine.submitAlgo(account, wish).id }
  })
}

function algoCanceled({ account, engine }: AskedByAccount, fields: Fields): Row {
  return result({ algoId: textIn(fields, 'algoId') ?? '', algoClOrdId: textIn(fields, 'algoClOrdId') ?? '' }, () => {
    const algo = algoIn({ account, fields }, reject.notOpen)
    if (algo.instrument.id !== instrumentIn(fields).id) throw reject.notOpen()
    engine.cancelAlgo(account, algo)
    return { algoId: algo.id }
  })
}

function algoAmended({ account, engine, fields }: AskedByAccount): Row {
  const ids = { algoId: textIn(fields, 'algoId') ?? '', algoClOrdId: textIn(fields, 'algoClOrdId') ?? '' }
  return result({ ...ids, reqId: textIn(fields, 'reqId') ?? '' }, () => {
    const algo = algoIn({ account, fields }, reject.notChangeable)
    if (algo.state !== 'live') throw reject.notChangeable()
    changeAlgo(algo, fields, engine)
    engine.tellAlgo(account, algo)
    return { algoId: algo.id }
  })
}

function changeAlgo(algo: AlgoOrder, fields: Fields, { last }: AskedByAccount['engine']): void {
  const { instrument, plain } = algo
  const now = last(instrument.id)
  const leg = (name: string, before: AlgoOrder['stop']) => {
    if (textIn(fields, `new${name}TriggerPx`) === undefined) return before
    const trigger = readPrice(fields, `new${name}TriggerPx`, instrument)
    return { trigger, price: readLegPrice(fields, `new${name}OrdPx`, instrument) }
  }
  const size = textIn(fields, 'newSz') === undefined ? algo.size : readSize(fields, 'newSz', instrument)
  if (plain !== undefined) {
    const next = leg('', plain) ?? plain
    Object.assign(algo, { size, plain: { ...next, isAbove: next.trigger.gt(now) } })
    return
  }
  const [stop, profit] = [leg('Sl', algo.stop), leg('Tp', algo.profit)]
  checkLegs(algo.side, stop, profit, now)
  Object.assign(algo, { size, ...(stop && { stop }), ...(profit && { profit }) })
}

function orderIds(fields: Fields): Row {
  return { ordId: textIn(fields, 'ordId') ?? '', clOrdId: textIn(fields, 'clOrdId') ?? '' }
}

function orderIn(account: Account, fields: Fields, missing: () => Refusal): VenueOrder {
  const instrument = instrumentIn(fields)
  const [id, clOrdId] = [textIn(fields, 'ordId'), textIn(fields, 'clOrdId')]
  if (id === undefined && clOrdId === undefined) throw refuse.parameter('ordId')
  const found = id === undefined ? account.orderNamed(clOrdId ?? '') : account.orders.get(id)
  if (found === undefined || found.instrument !== instrument) throw missing()
  return found
}

function algoIn({ account, fields }: Pick<AskedByAccount, 'account' | 'fields'>, missing: () => Refusal): AlgoOrder {
  const [id, clientId] = [textIn(fields, 'algoId'), textIn(fields, 'algoClOrdId')]
  if (id === undefined && clientId === undefined) throw refuse.parameter('algoId')
  const found = id === undefined ? account.algoNamed(clientId ?? '') : account.algos.get(id)
  if (found === undefined) throw missing()
  return found
}

function orderDetails({ account, fields }: AskedByAccount): readonly Row[] {
  return [orderRow(account, orderIn(account, fields, refuse.notFound))]
}

function orderOf({ account }: AskedByAccount) {
  return (order: VenueOrder): Row => orderRow(account, order)
}

function algoPage(asked: AskedByAccount, algos: readonly AlgoOrder[]): readonly Row[] {
  const kinds = textIn(asked.fields, 'ordType')?.split(',')
  if (kinds === undefined) throw refuse.missing('ordType')
  const { ordType: _, ...fields } = asked.fields
  const rows = algos.filter(({ kind }) => kinds.includes(kind)).map((algo) => algoRow(asked.account, algo))
  return page({ ...asked, fields }, rows, 'algoId')
}

function fills(asked: AskedByAccount): readonly Row[] {
  const rows = asked.account.fills.map((fill) => fillRow(fill))
  const [begin, end] = [Number(textIn(asked.fields, 'begin') ?? 0), Number(textIn(asked.fields, 'end') ?? Infinity)]
  const within = rows.filter(({ ts }) => Number(ts) >= begin && Number(ts) <= end)
  return page(asked, within, 'billId')
}

const FILTERS = ['instType', 'instId', 'instFamily', 'ordId', 'ordType', 'algoId', 'algoClOrdId'] as const

/** Newest first, so many at once, those before `after` or behind `before`. */
function page({ fields }: AskedByAccount, rows: readonly Row[], idName = 'ordId'): readonly Row[] {
  const [after, before] = [textIn(fields, 'after'), textIn(fields, 'before')]
  const limit = Math.min(Number(textIn(fields, 'limit') ?? PAGE), PAGE)
  const idOf = (row: Row) => BigInt(String(row[idName]))
  const isWanted = (row: Row) =>
    FILTERS.every((name) => row[name] === undefined || (textIn(fields, name) ?? row[name]) === row[name])
  const newestFirst = rows.filter(isWanted).sort((left, right) => (idOf(left) < idOf(right) ? 1 : -1))
  const older = after === undefined ? newestFirst : newestFirst.filter((row) => idOf(row) < BigInt(after))
  const between = before === undefined ? older : older.filter((row) => idOf(row) > BigInt(before))
  return between.slice(0, limit)
}
