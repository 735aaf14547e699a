import type { Engine } from './engine.ts'
import { INSTRUMENTS, type Instrument, instrumentOf, instrumentRow } from './instruments.ts'
import { refuse } from './refusal.ts'
import type { Asked, Route } from './routes.ts'
import type { Row } from './rows.ts'
import { textIn } from './wishes.ts'

const FUNDING_MS = 8 * 60 * 60_000
const DEPTH = 400

type Public = Extract<Route, { security: 'none' }>

const open = (run: Public['run']): Public => ({ security: 'none', run })

export const MARKET_ROUTES: Readonly<Record<string, Public>> = {
  'GET /api/v5/public/time': open(({ now }) => [{ ts: String(now) }]),
  'GET /api/v5/public/instruments': open(instruments),
  'GET /api/v5/public/funding-rate': open((asked) => [fundingRow(named(asked), asked.now)]),
  'GET /api/v5/public/mark-price': open((asked) => wanted(asked).map((each) => markRow(asked, each))),
  'GET /api/v5/market/ticker': open((asked) => [tickerRow(asked.engine, named(asked), asked.now)]),
  'GET /api/v5/market/tickers': open((asked) =>
    wanted(asked).map((instrument) => tickerRow(asked.engine, instrument, asked.now)),
  ),
  'GET /api/v5/market/books': open((asked) => {
    const depth = Number(textIn(asked.fields, 'sz') ?? 1)
    return [bookRow(asked.engine, named(asked), Math.min(depth, DEPTH), asked.now)]
  }),
  'GET /api/v5/system/status': open(() => []),
}

function instruments({ fields }: Asked): readonly Row[] {
  const type = textIn(fields, 'instType')
  if (type === undefined) throw refuse.missing('instType')
  const id = textIn(fields, 'instId')
  if (type !== 'SWAP') return []
  return INSTRUMENTS.filter((each) => id === undefined || each.id === id).map(instrumentRow)
}

function named({ fields }: Asked): Instrument {
  const instrument = instrumentOf(textIn(fields, 'instId'))
  if (instrument === undefined) throw refuse.instrument()
  return instrument
}

function wanted(asked: Asked): readonly Instrument[] {
  if (textIn(asked.fields, 'instType') !== 'SWAP') return []
  return textIn(asked.fields, 'instId') === undefined ? INSTRUMENTS : [named(asked)]
}

export function tickerRow(engine: Engine, instrument: Instrument, now: number): Row {
  const { bids, asks } = engine.book(instrument)
  const last = engine.last(instrument.id).toFixed()
  const [[bidPx, bidSz] = [], [askPx, askSz] = []] = [bids[0], asks[0]]
  return {
    instType: 'SWAP',
    instId: instrument.id,
    last,
    lastSz: '1',
    askPx: askPx?.toFixed() ?? '',
    askSz: askSz?.toFixed() ?? '',
    bidPx: bidPx?.toFixed() ?? '',
    bidSz: bidSz?.toFixed() ?? '',
    open24h: instrument.startPrice,
    high24h: last,
    low24h: instrument.startPrice,
    volCcy24h: '1000',
    vol24h: '100000',
    ts: String(now),
    sodUtc0: last,
    sodUtc8: last,
  }
}

export function bookRow(engine: Engine, instrument: Instrument, depth: number, now: number): Row {
  const { bids, asks } = engine.book(instrument)
  const rows = (levels: typeof bids) =>
    levels.slice(0, depth).map(([price, size]) => [price.toFixed(), size.toFixed(), '0', '1'])
  return { asks: rows(asks), bids: rows(bids), ts: String(now) }
}

function fundingRow({ id }: Instrument, now: number): Row {
  const next = Math.ceil(now / FUNDING_MS) * FUNDING_MS
  return {
    instType: 'SWAP',
    instId: id,
    method: 'current_period',
    formulaType: 'noRate',
    fundingRate: '0.0001',
    nextFundingRate: '',
    fundingTime: String(next),
    nextFundingTime: String(next + FUNDING_MS),
    ts: String(now),
    minFundingRate: '-0.00375',
    maxFundingRate: '0.00375',
    settState: 'settled',
    settFundingRate: '0.0001',
    premium: '0',
    interestRate: '0.0001',
    impactValue: '',
    prevFundingTime: String(next - FUNDING_MS),
  }
}

function markRow({ engine, now }: Asked, { id }: Instrument): Row {
  return { instType: 'SWAP', instId: id, markPx: engine.last(id).toFixed(), ts: String(now) }
}
