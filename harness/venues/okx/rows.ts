// What the venue says of orders, fills and what is held, in its documented shapes.
import type { Decimal } from 'decimal.js'
import { type Account, type AlgoOrder, type Fill, type Leg, marginsOf, type VenueOrder } from './account.ts'
import { type Instrument, maintenanceOf, worthOf } from './instruments.ts'

export type Row = Readonly<Record<string, unknown>>

const text = (value: Decimal): string => (value.isZero() ? '0' : value.toFixed())
const orEmpty = (value: Decimal): string => (value.isZero() ? '' : value.toFixed())

function sourceOf(algo: AlgoOrder | undefined): string {
  if (algo === undefined) return ''
  return algo.kind === 'trigger' ? '6' : '7'
}

export function orderRow(account: Account, order: VenueOrder): Row {
  const { instrument, algo } = order
  return {
    instType: 'SWAP',
    instId: instrument.id,
    ccy: '',
    ordId: order.id,
    clOrdId: order.clOrdId,
    tag: '',
    px: orEmpty(order.price),
    sz: text(order.size),
    pnl: text(order.pnl),
    ordType: order.kind,
    side: order.side,
    posSide: 'net',
    tdMode: order.marginMode,
    accFillSz: text(order.filled),
    tgtCcy: '',
    avgPx: order.filled.isZero() ? '' : order.cost.div(order.filled).toFixed(),
    state: order.state,
    lever: String(account.leverageOf(instrument)),
    attachAlgoClOrdId: '',
    attachAlgoOrds: order.attached,
    algoId: algo?.id ?? '',
    algoClOrdId: algo?.clientId ?? '',
    feeCcy: 'USDT',
    fee: text(order.fee.neg()),
    rebate: '0',
    rebateCcy: 'USDT',
    source: sourceOf(algo),
    category: 'normal',
    reduceOnly: String(order.reduceOnly),
    isTpLimit: 'false',
    cancelSource: order.cancelSource,
    cancelSourceReason: '',
    quickMgnType: '',
    stpId: '',
    stpMode: 'cancel_maker',
    linkedAlgoOrd: { algoId: '' },
    tpTriggerPx: '',
    tpOrdPx: '',
    tpTriggerPxType: '',
    slTriggerPx: '',
    slOrdPx: '',
    slTriggerPxType: '',

    fillPx: '',
    fillSz: '0',
    fillTime: '',
    tradeId: '',
    uTime: String(order.updateTime),
    cTime: String(order.time),
  }
}

export interface Change {
  readonly fill?: Fill
  readonly amended?: { readonly reqId: string }
}

/** As the channel of orders says it: with the fill that is told, if it is one, or with the change that was asked for. */
export function orderNews(account: Account, order: VenueOrder, { fill, amended }: Change): Row {
  const answer = { amendResult: amended === undefined ? '' : '0', reqId: amended?.reqId ?? '' }
  const none = { code: '0', msg: '', ...answer, execType: '', fillFee: '0', fillFeeCcy: '', fillPnl: '0' }
  const row = { ...orderRow(account, order), ...none, fillNotionalUsd: '', notionalUsd: '' }
  if (fill === undefined) return row
  return {
    ...row,
    fillPx: text(fill.price),
    fillSz: text(fill.size),
    fillTime: String(fill.time),
    tradeId: fill.id,

    execType: fill.isMaker ? 'M' : 'T',
    fillFee: text(fill.fee.neg()),
    fillFeeCcy: 'USDT',
    fillPnl: text(fill.pnl),
  }
}

export function algoRow(account: Account, algo: AlgoOrder): Row {
  const { instrument, child, plain } = algo
  const isFired = algo.state === 'effective'
  return {
    instType: 'SWAP',
    instId: instrument.id,
    ordId: child?.id ?? '0',
    ordIdList: child === undefined ? [] : [child.id],
    ccy: '',
    clOrdId: '',
    algoId: algo.id,
    algoClOrdId: algo.clientId,
    sz: text(algo.size),
    ordType: algo.kind,
    side: algo.side,
    posSide: 'net',
    tdMode: algo.marginMode,
    tgtCcy: '',
    state: algo.state,
    closeFraction: '',
    lever: String(account.leverageOf(instrument)),
    ...leg('sl', algo.stop),
    ...leg('tp', algo.profit),

    triggerPx: plain?.trigger.toFixed() ?? '',
    triggerPxType: plain === undefined ? '' : 'last',
    ordPx: plain?.price ?? '',
    actualSz: isFired ? text(algo.size) : '0',
    actualPx: isFired ? text(child?.price ?? algo.size.times(0)) : '',

    actualSide: algo.firedBy,
    triggerTime: algo.triggerTime === 0 ? '' : String(algo.triggerTime),
    last: '',
    tag: '',

    pxVar: '',
    pxSpread: '',
    szLimit: '',
    pxLimit: '',
    timeInterval: '',
    failCode: algo.failCode,
    reduceOnly: String(algo.reduceOnly),
    quickMgnType: '',
    activePx: '',
    moveTriggerPx: '',
    callbackRatio: '',
    callbackSpread: '',
    amendPxOnTriggerType: '0',
    attachAlgoOrds: [],
    isTradeBorrowMode: '',
    cTime: String(algo.time),
    uTime: String(algo.updateTime),
  }
}

function leg(name: 'sl' | 'tp', part: Leg | undefined): Row {
  return {
    [`${name}TriggerPx`]: part?.trigger.toFixed() ?? '',
    [`${name}OrdPx`]: part?.price ?? '',
    [`${name}TriggerPxType`]: part === undefined ? '' : 'last',
  }
}

export function fillRow({ id, order, price, size, fee, pnl, isMaker, time }: Fill): Row {
  return {
    instType: 'SWAP',
    instId: order.instrument.id,
    tradeId: id,
    ordId: order.id,
    clOrdId: order.clOrdId,
    billId: `7${id}`,
    subType: '1',
    tag: '',
    fillPx: text(price),
    fillSz: text(size),
    fillIdxPx: text(price),
    fillPnl: text(pnl),
    fillPxVol: '',
    fillPxUsd: '',
    fillMarkVol: '',
    fillFwdPx: '',
    fillMarkPx: text(price),
    side: order.side,
    posSide: 'net',
    execType: isMaker ? 'M' : 'T',
    feeCcy: 'USDT',
    fee: text(fee.neg()),
    ts: String(time),
    fillTime: String(time),
    feeRate: '',
  }
}

/** As the channel of fills says it. */
export function fillNews({ id, order, price, size, isMaker, time }: Fill): Row {
  return {
    instId: order.instrument.id,
    fillSz: text(size),
    fillPx: text(price),
    side: order.side,
    ts: String(time),
    ordId: order.id,
    clOrdId: order.clOrdId,
    tradeId: id,
    execType: isMaker ? 'M' : 'T',
    count: '1',
  }
}

export function positionRow(account: Account, instrument: Instrument, last: Decimal): Row {
  const { amount: contracts, entry, realized, time, mode } = account.held(instrument)
  const value = worthOf(contracts, last, instrument)
  const leverage = account.leverageOf(instrument)
  const unrealized = value.minus(worthOf(contracts, entry, instrument))
  return {
    instType: 'SWAP',
    instId: instrument.id,
    mgnMode: mode,
    posId: '1',
    posSide: 'net',
    pos: text(contracts),
    posCcy: '',
    availPos: '',
    avgPx: entry.toFixed(),
    markPx: text(last),
    upl: text(unrealized),
    ccy: 'USDT',
    uplRatio: '0',
    lever: String(leverage),
    liqPx: '',
    imr: value.abs().div(leverage).toFixed(),
    margin: '',
    mgnRatio: '',
    mmr: maintenanceOf(value).toFixed(),
    liab: '',
    interest: '',
    tradeId: '',
    adl: '1',
    notionalUsd: value.abs().toFixed(),
    last: text(last),
    realizedPnl: realized.toFixed(),
    pnl: '0',
    fee: '0',
    fundingFee: '0',
    cTime: String(time),
    uTime: String(time),
  }
}

export function balanceRow(account: Account, lastOf: (instId: string) => Decimal, now: number): Row {
  const { unrealized, positions, orders, available } = marginsOf(account, lastOf)
  const equity = account.wallet.plus(unrealized)
  const usdt = {
    ccy: 'USDT',
    eq: equity.toFixed(),
    cashBal: account.wallet.toFixed(),
    uTime: String(now),
    isoEq: '0',
    availEq: available.toFixed(),
    disEq: equity.toFixed(),
    availBal: available.toFixed(),

    frozenBal: positions.plus(orders).toFixed(),
    ordFrozen: orders.toFixed(),
    liab: '',
    upl: unrealized.toFixed(),
    eqUsd: equity.toFixed(),
    imr: positions.plus(orders).toFixed(),
    notionalLever: '0',
    stgyEq: '0',
    isoUpl: '0',
  }
  return { uTime: String(now), totalEq: equity.toFixed(), isoEq: '0', adjEq: '', imr: '', mmr: '', details: [usdt] }
}
