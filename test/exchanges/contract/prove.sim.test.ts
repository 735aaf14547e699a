// The contract as `account prove` runs it: on one account, one fact after the other, with nothing left over.
import { describe, expect, it } from 'vitest'
import { place } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { contractFacts, type FactResult, proveContract } from '../../../src/exchanges/contract/prove.ts'

const facts = contractFacts()
/** What an account of one's own has as well. */
const HAS: ReadonlySet<string> = new Set(['openAnother', 'listAll'])
const needControl = facts.filter(({ needs }) => needs.some((control) => !HAS.has(control)))

function prove(options: { readonly bend?: (exchange: Exchange) => void; readonly signal?: AbortSignal } = {}) {
  const market = createScriptedMarket()
  const seen: FactResult[] = []
  const open = async () => {
    const exchange = market.openExchange()
    options.bend?.(exchange)
    return exchange
  }
  const result = proveContract({
    open,
    symbol: 'BTCUSDT',
    signal: options.signal ?? new AbortController().signal,
    onFact: (fact) => seen.push(fact),
    delay: (ms) => market.advance(ms),
  })
  return { market, seen, result }
}

describe('the contract on one account', () => {
  it('holds at a venue that keeps it, and says of each fact that needs the market moved that it was skipped', async () => {
    const { market, seen, result } = prove()
    const { facts: results, isWhole, left } = await result
    expect(results.filter(({ verdict }) => verdict === 'fails')).toEqual([])
    expect(results.filter(({ why }) => why?.startsWith('needs '))).toHaveLength(needControl.length)
    expect([isWhole, left, results.length]).toEqual([true, undefined, facts.length])
    expect(seen).toEqual(results)
    const exchange = market.openExchange()
    expect([await exchange.fetchPositions(), await exchange.fetchOpenOrders()]).toEqual([[], []])
  })

  it('fails, with the reason, at a venue that breaks it, and cleans up all the same', async () => {
    const { market, result } = prove({
      bend(exchange) {
        const fetchOrder = exchange.fetchOrder.bind(exchange)
        exchange.fetchOrder = async (ref) => ({ ...(await fetchOrder(ref)), filled: '0' })
      },
    })
    const failed = (await result).facts.filter(({ verdict }) => verdict === 'fails')
    expect(failed.map(({ what }) => what)).toContain('fills at once, for a fee, and opens a position of what it bought')
    for (const { why } of failed) expect(why).toMatch(/./)
    expect(await market.openExchange().fetchPositions()).toEqual([])
  })

  it('begins on an account that has traded before: its old fills are none of the facts', async () => {
    const { market, result } = prove()
    const { filled } = await place(market.exchange, { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' })
    await place(market.exchange, { symbol: 'BTCUSDT', side: 'sell', type: 'market', amount: filled })
    expect((await result).facts.filter(({ verdict }) => verdict === 'fails')).toEqual([])
  })

  it('stops at a position that it cannot close, and names it', async () => {
    const { result } = prove({
      bend(exchange) {
        const createOrder = exchange.createOrder.bind(exchange)
        exchange.createOrder = async (request) =>
          request.reduceOnly === true
            ? { kind: 'refused', error: new ExchangeError('unavailable', 'maintenance') }
            : createOrder(request)
      },
    })
    const { left, isWhole } = await result
    expect(left).toMatch(/^long 0\.\d+ BTCUSDT$/)
    expect(isWhole).toBe(false)
  })

  it('ends when it is told to, after the fact under way', async () => {
    const stop = new AbortController()
    const { seen, result } = prove({ signal: stop.signal })
    stop.abort()
    expect(await result).toMatchObject({ isWhole: false })
    expect(seen.length).toBeLessThan(2)
  })

  it('skips what the limits of the account keep back', async () => {
    const { result } = prove({
      bend(exchange) {
        exchange.createOrder = async () => ({ kind: 'refused', error: new ExchangeError('guarded', 'over the limit') })
      },
    })
    const { facts: results } = await result
    expect(results.filter(({ verdict }) => verdict === 'fails').filter(({ why }) => why === 'over the limit')).toEqual(
      [],
    )
    expect(
      results.filter(({ verdict, why }) => verdict === 'skipped' && why === 'over the limit').length,
    ).toBeGreaterThan(20)
  })
})
