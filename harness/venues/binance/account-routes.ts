import { Decimal } from 'decimal.js'
import { marginsOf } from './account.ts'
import { amountText } from './events.ts'
import { refuse } from './refusal.ts'
import type { AskedByAccount, Route } from './routes.ts'
import { type Listed, leverageBracketRow, MAKER_FEE, maintenanceOf, SYMBOLS, TAKER_FEE } from './symbols.ts'
import { listedIn } from './wishes.ts'

type Keyed = Extract<Route, { security: 'key' | 'signed' }>

const signed = (run: Keyed['run']): Keyed => ({ security: 'signed', run })
const keyed = (run: Keyed['run']): Keyed => ({ security: 'key', run })

export const ACCOUNT_ROUTES: Readonly<Record<string, Keyed>> = {
  'GET /fapi/v2/account': signed((asked) => accountRow(asked, true)),
  'GET /fapi/v3/account': signed((asked) => accountRow(asked, false)),
  'GET /fapi/v2/balance': signed(balances),
  'GET /fapi/v3/balance': signed(balances),
  'GET /fapi/v2/positionRisk': signed((asked) =>
    wantedSymbols(asked).map((listed) => positionRow(asked, listed, true)),
  ),
  'GET /fapi/v3/positionRisk': signed((asked) => held(asked).map((listed) => positionRow(asked, listed, false))),
  'GET /fapi/v1/leverageBracket': signed((asked) => wantedSymbols(asked).map(leverageBracketRow)),
  'GET /fapi/v1/symbolConfig': signed((asked) => wantedSymbols(asked).map((listed) => configRow(asked, listed))),
  'GET /fapi/v1/accountConfig': signed(({ account }) => ({
    feeTier: 0,
    canTrade: account.mayTrade,
    canDeposit: true,
    canWithdraw: true,
    dualSidePosition: account.isHedged,
    updateTime: 0,
    multiAssetsMargin: false,
    tradeGroupId: -1,
  })),
  'GET /fapi/v1/commissionRate': signed((asked) => ({
    symbol: listedIn(asked.params).symbol,
    makerCommissionRate: MAKER_FEE,
    takerCommissionRate: TAKER_FEE,
  })),
  'GET /fapi/v1/multiAssetsMargin': signed(() => ({ multiAssetsMargin: false })),
  'POST /fapi/v1/leverage': signed(setLeverage),
  'POST /fapi/v1/marginType': signed(setMarginType),
  'GET /fapi/v1/positionSide/dual': signed(({ account }) => ({ dualSidePosition: account.isHedged })),
  'POST /fapi/v1/positionSide/dual': signed(setPositionSide),
  'GET /fapi/v1/income': signed(income),
  'POST /fapi/v1/listenKey': keyed(({ account, streams }) => ({ listenKey: streams.openKey(account) })),
  'PUT /fapi/v1/listenKey': keyed(({ account, streams }) => {
    if (!streams.keepKey(account)) throw refuse.listenKey()
    return { listenKey: streams.openKey(account) }
  }),
  'DELETE /fapi/v1/listenKey': keyed(({ account, streams }) => {
    streams.dropKey(account)
    return {}
  }),
  'GET /sapi/v1/account/apiRestrictions': signed(restrictions),
  'GET /sapi/v1/account/apiTradingStatus': signed(() => ({ data: { isLocked: false, plannedRecoverTime: 0 } })),
}

function wantedSymbols({ params }: AskedByAccount): readonly Listed[] {
  return params.symbol === undefined ? SYMBOLS : [listedIn(params)]
}

/** The newer answers leave out what is not held. */
function held(asked: AskedByAccount): readonly Listed[] {
  return wantedSymbols(asked).filter(({ symbol }) => !asked.account.held(symbol).amount.isZero())
}

function accountRow(asked: AskedByAccount, isOld: boolean): unknown {
  const { account, engine } = asked
  const { unrealized, positions, orders, maintenance, available } = marginsOf(account, engine.last)
  const wallet = account.wallet.toFixed(8)
  const margin = {
    initialMargin: positions.plus(orders).toFixed(8),
    maintMargin: maintenance.toFixed(8),
    marginBalance: account.wallet.plus(unrealized).toFixed(8),
    positionInitialMargin: positions.toFixed(8),
    openOrderInitialMargin: orders.toFixed(8),
  }
  const totals = Object.entries(margin).map(([name, value]) => [
    `total${name[0]?.toUpperCase()}${name.slice(1)}`,
    value,
  ])
  const cross = { crossWalletBalance: wallet, crossUnPnl: unrealized.toFixed(8) }
  const free = { availableBalance: available.toFixed(8), maxWithdrawAmount: available.toFixed(8) }
  const asset = { walletBalance: wallet, unrealizedProfit: unrealized.toFixed(8), ...margin, ...cross, ...free }
  const empty = Object.fromEntries(Object.keys(asset).map((name) => [name, '0.00000000']))
  const listed = isOld ? SYMBOLS : held(asked)
  return {
    ...(isOld ? { feeTier: 0, canTrade: account.mayTrade, canDeposit: true, canWithdraw: true, updateTime: 0 } : {}),
    totalWalletBalance: wallet,
    totalUnrealizedProfit: unrealized.toFixed(8),
    ...Object.fromEntries(totals),
    totalCrossWalletBalance: wallet,
    totalCrossUnPnl: unrealized.toFixed(8),
    ...free,
    // What was never touched has no time of an update.
    assets: [
      { asset: 'USDT', ...asset, marginAvailable: true, updateTime: asked.now },
      { asset: 'BNB', ...empty, marginAvailable: true, updateTime: 0 },
    ],
    positions: listed.map((each) => positionRow(asked, each, isOld)),
  }
}

function balances({ account, engine, now }: AskedByAccount): unknown {
  const { unrealized, available } = marginsOf(account, engine.last)
  const wallet = account.wallet.toFixed(8)
  const free = { availableBalance: available.toFixed(8), maxWithdrawAmount: available.toFixed(8) }
  const sums = { balance: wallet, crossWalletBalance: wallet, crossUnPnl: unrealized.toFixed(8), ...free }
  return [{ accountAlias: 'SgsR', asset: 'USDT', ...sums, marginAvailable: true, updateTime: now }]
}

function positionRow({ account, engine }: AskedByAccount, listed: Listed, isOld: boolean): unknown {
  const { amount, entry, updateTime } = account.held(listed.symbol)
  const mark = engine.last(listed.symbol)
  const notional = amount.times(mark)
  const leverage = account.leverageOf(listed)
  const margin = notional.abs().div(leverage).toFixed(8)
  const isIsolated = account.isolated.has(listed.symbol)
  const common = {
    symbol: listed.symbol,
    positionSide: 'BOTH',
    positionAmt: amountText(amount, listed),
    entryPrice: entry.toFixed(8),
    breakEvenPrice: entry.toFixed(8),
    markPrice: mark.toFixed(8),
    unRealizedProfit: notional.minus(amount.times(entry)).toFixed(8),
    liquidationPrice: liquidationPrice(account.wallet, amount, entry),
    isolatedMargin: isIsolated ? margin : '0',
    notional: notional.toFixed(8),
    isolatedWallet: isIsolated ? margin : '0',
    updateTime,
  }
  const marginType = isIsolated ? 'isolated' : 'cross'
  if (isOld)
    return { ...common, leverage: String(leverage), maxNotionalValue: '50000000', marginType, isolated: isIsolated }
  const margins = {
    initialMargin: margin,
    maintMargin: maintenanceOf(notional).toFixed(8),
    positionInitialMargin: margin,
  }
  return {
    ...common,
    marginAsset: 'USDT',
    ...margins,
    openOrderInitialMargin: '0',
    adl: 1,
    bidNotional: '0',
    askNotional: '0',
  }
}

/** As if this position were the only one: where what is left is what must be left. */
function liquidationPrice(wallet: Decimal, amount: Decimal, entry: Decimal): string {
  if (amount.isZero()) return '0'
  const rate = maintenanceOf(new Decimal(1))
  const sign = amount.isPositive() ? 1 : -1
  const price = amount
    .times(entry)
    .minus(wallet)
    .div(amount.times(new Decimal(1).minus(rate.times(sign))))
  return price.lte(0) ? '0' : price.toFixed(8)
}

function configRow({ account }: AskedByAccount, listed: Listed): unknown {
  const marginType = account.isolated.has(listed.symbol) ? 'ISOLATED' : 'CROSSED'
  const row = { symbol: listed.symbol, marginType, isAutoAddMargin: false }
  return { ...row, leverage: account.leverageOf(listed), maxNotionalValue: '50000000' }
}

function setLeverage({ account, engine, params }: AskedByAccount): unknown {
  const listed = listedIn(params)
  const { leverage = '' } = params
  if (!/^\d{1,3}$/.test(leverage)) throw refuse.missing('leverage')
  if (Number(leverage) < 1 || Number(leverage) > listed.maxLeverage) throw refuse.leverage(leverage)
  const before = account.leverageOf(listed)
  account.setLeverage(listed, Number(leverage))
  const { positions, orders, unrealized } = marginsOf(account, engine.last)
  if (positions.plus(orders).gt(account.wallet.plus(unrealized))) {
    account.setLeverage(listed, before)
    throw refuse.leverageTooSmall()
  }
  return { symbol: listed.symbol, leverage: Number(leverage), maxNotionalValue: '50000000' }
}

function setMarginType({ account, params }: AskedByAccount): unknown {
  const { symbol } = listedIn(params)
  const wantsIsolated = params.marginType === 'ISOLATED'
  if (!wantsIsolated && params.marginType !== 'CROSSED') throw refuse.missing('marginType')
  if (account.isolated.has(symbol) === wantsIsolated) throw refuse.marginTypeSame()
  if (account.openOrders(symbol).length > 0 || !account.held(symbol).amount.isZero()) throw refuse.marginTypeHeld()
  if (wantsIsolated) account.isolated.add(symbol)
  else account.isolated.delete(symbol)
  return { code: 200, msg: 'success' }
}

function setPositionSide({ account, params }: AskedByAccount): unknown {
  const isHedged = params.dualSidePosition === 'true'
  if (account.isHedged === isHedged) throw refuse.positionSideSame()
  account.isHedged = isHedged
  return { code: 200, msg: 'success' }
}

function income({ account, params }: AskedByAccount): unknown {
  const rows = account.fills.flatMap(({ id, order, fee, realized, time }) => {
    const row = { symbol: order.listed.symbol, asset: 'USDT', time, info: '', tranId: id, tradeId: String(id) }
    const rest = realized.isZero() ? [] : [{ ...row, incomeType: 'REALIZED_PNL', income: realized.toFixed(8) }]
    return [{ ...row, incomeType: 'COMMISSION', income: fee.neg().toFixed(8) }, ...rest]
  })
  const { symbol, incomeType, startTime = '0' } = params
  const isWanted = (row: (typeof rows)[number]) =>
    (symbol ?? row.symbol) === row.symbol && (incomeType ?? row.incomeType) === row.incomeType
  return rows.filter((row) => isWanted(row) && row.time >= Number(startTime))
}

function restrictions({ account, now }: AskedByAccount): unknown {
  return {
    ipRestrict: account.isAddressBound,
    createTime: now,
    enableReading: true,
    enableSpotAndMarginTrading: account.mayTrade,
    enableWithdrawals: account.mayWithdraw,
    enableInternalTransfer: false,
    enableMargin: false,
    enableFutures: account.mayTrade,
    permitsUniversalTransfer: false,
    enableVanillaOptions: false,
    enableFixApiTrade: false,
    enablePortfolioMarginTrading: false,
  }
}
