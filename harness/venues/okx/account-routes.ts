import { marginsOf } from './account.ts'
import { INSTRUMENTS, MAKER_FEE, TAKER_FEE } from './instruments.ts'
import { refuse } from './refusal.ts'
import type { AskedByAccount, Route } from './routes.ts'
import { balanceRow, positionRow, type Row } from './rows.ts'
import { instrumentIn, textIn } from './wishes.ts'

type Signed = Exclude<Route, { security: 'none' }>

const read = (run: Signed['run']): Signed => ({ security: 'read', run })
const trade = (run: Signed['run']): Signed => ({ security: 'trade', run })

export const ACCOUNT_ROUTES: Readonly<Record<string, Signed>> = {
  'GET /api/v5/account/config': read(config),
  'GET /api/v5/account/balance': read(({ account, engine, now }) => [balanceRow(account, engine.last, now)]),
  // Nobody pays funding here.
  'GET /api/v5/account/bills-archive': read(() => []),
  'GET /api/v5/account/positions': read(positions),
  'GET /api/v5/account/leverage-info': read(leverageInfo),
  'GET /api/v5/account/trade-fee': read(({ now }) => [
    { level: 'Lv1', maker: `-${MAKER_FEE}`, taker: `-${TAKER_FEE}`, makerU: '', takerU: '', ts: String(now) },
  ]),
  'POST /api/v5/account/set-leverage': trade(setLeverage),
  'POST /api/v5/account/set-position-mode': trade(setPositionMode),
}

function config({ account }: AskedByAccount): readonly Row[] {
  const posMode = account.isHedged ? 'long_short_mode' : 'net_mode'
  return [
    {
      uid: '44705892343619584',
      mainUid: '44705892343619584',
      acctLv: '2',
      posMode,
      autoLoan: false,
      greeksType: 'PA',
      level: 'Lv1',
      levelTmp: '',
      ctIsoMode: 'automatic',
      mgnIsoMode: 'automatic',
      perm: account.perm,
      ip: account.addresses,
      label: 'stand-in',
      kycLv: '3',
      type: '0',
      roleType: '0',
      enableSpotBorrow: false,
      spotOffsetType: '',
      opAuth: '0',
      acctStpMode: 'cancel_maker',
    },
  ]
}

function positions({ account, engine, fields }: AskedByAccount): readonly Row[] {
  const ids = textIn(fields, 'instId')?.split(',')
  return INSTRUMENTS.filter((each) => !account.held(each).amount.isZero() && (ids?.includes(each.id) ?? true)).map(
    (each) => positionRow(account, each, engine.last(each.id)),
  )
}

function leverageInfo({ account, fields }: AskedByAccount): readonly Row[] {
  const mgnMode = textIn(fields, 'mgnMode')
  if (mgnMode === undefined) throw refuse.missing('mgnMode')
  return (textIn(fields, 'instId') ?? '').split(',').map((instId) => {
    const instrument = instrumentIn({ instId })
    return { instId, mgnMode, posSide: 'net', lever: String(account.leverageOf(instrument)), ccy: '' }
  })
}

function setLeverage({ account, engine, fields }: AskedByAccount): readonly Row[] {
  const instrument = instrumentIn(fields)
  const [lever = '', mgnMode] = [textIn(fields, 'lever'), textIn(fields, 'mgnMode')]
  if (mgnMode !== 'cross' && mgnMode !== 'isolated') throw refuse.parameter('mgnMode')
  if (!/^\d{1,3}$/.test(lever) || Number(lever) < 1) throw refuse.parameter('lever')
  if (Number(lever) > instrument.maxLeverage) throw refuse.leverage()
  const before = account.leverageOf(instrument)
  account.leverage.set(instrument.id, Number(lever))
  const { positions: used, orders, unrealized } = marginsOf(account, engine.last)
  if (used.plus(orders).gt(account.wallet.plus(unrealized))) {
    account.leverage.set(instrument.id, before)
    throw refuse.leverageFunds()
  }
  return [{ lever, mgnMode, instId: instrument.id, posSide: 'net' }]
}

function setPositionMode({ account, fields }: AskedByAccount): readonly Row[] {
  const posMode = textIn(fields, 'posMode')
  if (posMode !== 'long_short_mode' && posMode !== 'net_mode') throw refuse.parameter('posMode')
  account.isHedged = posMode === 'long_short_mode'
  return [{ posMode }]
}
