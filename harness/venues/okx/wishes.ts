// What an order says, read and held to the instrument's rules, with the codes that OKX answers.
import { Decimal } from 'decimal.js'
import type { Account, AlgoKind, AlgoOrder, Attached, Leg, OrderKind, Side, Wish } from './account.ts'
import { type Instrument, instrumentOf } from './instruments.ts'
import { reject } from './refusal.ts'

export type Fields = Readonly<Record<string, unknown>>

const NUMBER = /^\d{1,15}(\.\d{1,20})?$/
const CLIENT_ID = /^[A-Za-z0-9]{1,32}$/
const KINDS: readonly string[] = ['market', 'limit', 'post_only', 'ioc', 'fok'] satisfies OrderKind[]
const ALGO_KINDS: readonly string[] = ['conditional', 'oco', 'trigger'] satisfies AlgoKind[]
/** In place of a price: at the market. */
const AT_MARKET = '-1'

/** Numbers may come as numbers. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

/** @throws {Refusal} */
export function instrumentIn(fields: Fields): Instrument {
  const instrument = instrumentOf(textIn(fields, 'instId'))
  if (instrument === undefined) throw reject.instrument()
  return instrument
}

/** @throws {Refusal} */
export function readWish(account: Account, fields: Fields): Wish {
  const common = readCommon(account, fields)
  const { instrument } = common
  const kind = textIn(fields, 'ordType') ?? ''
  if (!KINDS.includes(kind)) throw reject.parameter('ordType')
  const isMarket = kind === 'market'
  return {
    ...common,
    clOrdId: readClientId(fields, 'clOrdId'),
    kind: kind as OrderKind,
    price: isMarket ? new Decimal(0) : readPrice(fields, 'px', instrument),
    attached: readAttached(fields, instrument),
  }
}

export type AlgoWish = Omit<AlgoOrder, 'id' | 'time' | 'state' | 'updateTime' | 'triggerTime' | 'firedBy' | 'failCode'>

/** @throws {Refusal} */
export function readAlgo(account: Account, fields: Fields, last: Decimal): AlgoWish {
  const kind = textIn(fields, 'ordType') ?? ''
  if (!ALGO_KINDS.includes(kind)) throw reject.parameter('ordType')
  const { instrument, ...common } = readCommon(account, fields)
  const clientId = readClientId(fields, 'algoClOrdId')
  const wish = { ...common, instrument, clientId, kind: kind as AlgoKind }
  if (kind === 'trigger') {
    const trigger = readPrice(fields, 'triggerPx', instrument)
    return {
      ...wish,
      plain: { trigger, price: readLegPrice(fields, 'orderPx', instrument), isAbove: trigger.gt(last) },
    }
  }
  const [stop, profit] = [readLeg(fields, 'sl', instrument), readLeg(fields, 'tp', instrument)]
  if (stop === undefined && profit === undefined) throw reject.parameter('slTriggerPx')
  if (kind === 'oco' && (stop === undefined || profit === undefined)) throw reject.parameter('tpTriggerPx')
  checkLegs(wish.side, stop, profit, last)
  return { ...wish, ...(stop && { stop }), ...(profit && { profit }) }
}

/** What is not reached yet is what may wait. @throws {Refusal} */
export function checkLegs(side: Side, stop: Leg | undefined, profit: Leg | undefined, last: Decimal): void {
  if (side === 'sell') {
    if (stop?.trigger.gte(last)) throw reject.stopAbove()
    if (profit?.trigger.lte(last)) throw reject.profitBelow()
  } else {
    if (stop?.trigger.lte(last)) throw reject.stopBelow()
    if (profit?.trigger.gte(last)) throw reject.profitAbove()
  }
}

/** What is attached is held to the price of its order; to last where that has none. @throws {Refusal} */
export function checkAttached({ side, price, attached }: Wish, last: Decimal): void {
  for (const { slTriggerPx, tpTriggerPx } of attached) {
    const leg = (trigger: string): Leg | undefined =>
      trigger === '' ? undefined : { trigger: new Decimal(trigger), price: AT_MARKET }
    const [stop, profit] = [leg(slTriggerPx), leg(tpTriggerPx)]
    if (price.isZero() || side === 'sell') {
      checkLegs(side === 'buy' ? 'sell' : 'buy', stop, profit, price.isZero() ? last : price)
      continue
    }
    if (profit?.trigger.lte(price)) throw reject.profitBelowOrder()
    if (stop?.trigger.gte(price)) throw reject.stopAboveOrder()
  }
}

export function readSize(fields: Fields, name: string, { lot }: Instrument): Decimal {
  const text = textIn(fields, name)
  if (text === undefined || !NUMBER.test(text)) throw reject.parameter(name)
  const size = new Decimal(text)
  if (size.lte(0)) throw reject.parameter(name)
  if (size.lt(lot)) throw reject.tooSmall()
  if (!size.mod(lot).isZero()) throw reject.lot()
  return size
}

export function readPrice(fields: Fields, name: string, { tick }: Instrument): Decimal {
  const text = textIn(fields, name)
  if (text === undefined || !NUMBER.test(text)) throw reject.parameter(name)
  const price = new Decimal(text)
  if (price.lte(0) || !price.mod(tick).isZero()) throw reject.parameter(name)
  return price
}

export function readLegPrice(fields: Fields, name: string, instrument: Instrument): string {
  return textIn(fields, name) === AT_MARKET ? AT_MARKET : readPrice(fields, name, instrument).toFixed()
}

function readCommon(account: Account, fields: Fields) {
  const instrument = instrumentIn(fields)
  const [side, marginMode, posSide = 'net'] = [
    textIn(fields, 'side'),
    textIn(fields, 'tdMode') ?? '',
    textIn(fields, 'posSide'),
  ]
  if (marginMode !== 'cross' && marginMode !== 'isolated') throw reject.parameter('tdMode')
  if ((posSide === 'net') === account.isHedged) throw reject.parameter('posSide')
  if (side !== 'buy' && side !== 'sell') throw reject.parameter('side')
  const size = readSize(fields, 'sz', instrument)
  return { instrument, side: side as Side, marginMode, size, reduceOnly: textIn(fields, 'reduceOnly') === 'true' }
}

function readClientId(fields: Fields, name: string): string {
  const id = textIn(fields, name) ?? ''
  if (id !== '' && !CLIENT_ID.test(id)) throw reject.parameter(name)
  return id
}

function readLeg(fields: Fields, name: 'sl' | 'tp', instrument: Instrument): Leg | undefined {
  if (textIn(fields, `${name}TriggerPx`) === undefined) return undefined
  const trigger = readPrice(fields, `${name}TriggerPx`, instrument)
  return { trigger, price: readLegPrice(fields, `${name}OrdPx`, instrument) }
}

function readAttached(fields: Fields, instrument: Instrument): readonly Attached[] {
  const { attachAlgoOrds: rows = [] } = fields
  if (!Array.isArray(rows)) throw reject.parameter('attachAlgoOrds')
  return rows.map((row: Fields) => {
    const [stop, profit] = [readLeg(row, 'sl', instrument), readLeg(row, 'tp', instrument)]
    if (stop === undefined && profit === undefined) throw reject.parameter('attachAlgoOrds')
    return {
      attachAlgoClOrdId: readClientId(row, 'attachAlgoClOrdId'),
      slTriggerPx: stop?.trigger.toFixed() ?? '',
      slOrdPx: stop?.price ?? '',
      tpTriggerPx: profit?.trigger.toFixed() ?? '',
      tpOrdPx: profit?.price ?? '',
    }
  })
}
