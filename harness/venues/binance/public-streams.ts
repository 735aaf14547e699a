// One message of a public stream, by the stream's name: `btcusdt@ticker`.
import { bookAround } from '../order-book.ts'
import type { Engine } from './engine.ts'
import { FUNDING_RATE, levelTexts, nextFunding, quoteOf } from './market-routes.ts'
import { SYMBOLS } from './symbols.ts'

const DEPTH = 20

export function streamMessage(name: string, engine: Engine, updateId: number, now: number): unknown {
  const [lower = '', channel = ''] = name.split('@')
  const listed = SYMBOLS.find(({ symbol }) => symbol.toLowerCase() === lower)
  if (listed === undefined) return undefined
  const { symbol: s } = listed
  const { bid: b, bidAmount: B, ask: a, askAmount: A, last: c } = quoteOf(engine, listed)
  const day = { o: listed.startPrice, h: c, l: listed.startPrice, v: '1000', q: '50000000' }
  if (channel === 'bookTicker') return { e: 'bookTicker', u: updateId, s, b, B, a, A, T: now, E: now }
  if (channel === 'miniTicker') return { e: '24hrMiniTicker', E: now, s, c, ...day }
  if (channel === 'ticker') {
    const trades = { O: now - 86_400_000, C: now, F: 1, L: 1000, n: 1000 }
    return { e: '24hrTicker', E: now, s, p: '0', P: '0', w: listed.startPrice, c, Q: '0.1', ...day, ...trades }
  }
  if (channel === 'markPrice') {
    return { e: 'markPriceUpdate', E: now, s, p: c, i: c, P: c, r: FUNDING_RATE, T: nextFunding(now) }
  }
  if (channel.startsWith('depth')) {
    const { bids, asks } = bookAround(engine.last(s), listed, engine.isThin)
    const sides = { b: bids.slice(0, DEPTH), a: asks.slice(0, DEPTH) }
    const rows = {
      b: sides.b.map((level) => levelTexts(level, listed)),
      a: sides.a.map((level) => levelTexts(level, listed)),
    }
    return { e: 'depthUpdate', E: now, T: now, s, U: updateId - 1, u: updateId, pu: updateId - 1, ...rows }
  }
  return undefined
}
