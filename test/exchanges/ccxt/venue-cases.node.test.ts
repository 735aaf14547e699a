// What leaves for each call on each named venue, and what is made of what comes back.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/base/defined.ts'
import type { Exchange, OrderOutcome } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { findVenue } from '../../../src/exchanges/venues.ts'
import { createCaseWire, sorted, valuesOf } from './case-wire.ts'
import { keysOf, readVenueCases, stepsOf, type VenueCase, type VenueCases } from './venue-cases.ts'

const NOW = 1_700_000_000_000
/** The 13 named venues; binance counts three times. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  binance: ['spot', 'linear', 'inverse'],
  bybit: [],
  okx: [],
  hyperliquid: [],
  bitget: [],
  kucoin: [],
  gate: [],
  kraken: [],
  krakenfutures: [],
  coinbase: [],
  mexc: [],
  deribit: [],
}
const FEWEST = 12

const venues = readVenueCases()

describe('cases', () => {
  it('are there for every named venue', () => {
    expect(venues.map(({ venue }) => venue).sort()).toEqual(Object.keys(NAMED).sort())
  })

  it(`are ${FEWEST} or more for each, and for each kind where kinds are named`, () => {
    const counts = venues.flatMap(({ venue, methods }) => {
      const cases = Object.values(methods).flat()
      const kinds = NAMED[venue] ?? []
      const groups = kinds.length === 0 ? [cases] : kinds.map((kind) => cases.filter((each) => each.kind === kind))
      return groups.map((group, index) => ({ venue, kind: kinds[index], count: group.length }))
    })
    expect(counts.filter(({ count }) => count < FEWEST)).toEqual([])
  })
})

/** How many of a venue, or of one of its kinds, have passed. */
const passed = new Map<string, number>()

for (const venue of venues) {
  describe(venue.venue, () => {
    for (const [call, cases] of Object.entries(venue.methods)) {
      for (const each of cases) {
        it(`${call} on ${each.kind}: ${each.description}`, async () => {
          await checkCase(venue, call, each)
          for (const name of [venue.venue, `${venue.venue} ${each.kind}`]) passed.set(name, (passed.get(name) ?? 0) + 1)
        })
      }
    }
  })
}

describe('of every named venue', () => {
  for (const [venue, kinds] of Object.entries(NAMED)) {
    for (const name of kinds.length === 0 ? [venue] : kinds.map((kind) => `${venue} ${kind}`)) {
      it(`${FEWEST} cases or more have passed: ${name}`, () => expect(passed.get(name)).toBeGreaterThanOrEqual(FEWEST))
    }
    it(`what is said of its proof is so, of each kind of market: ${venue}`, () => {
      expect(['cases', 'stand-in']).toContain(findVenue(venue)?.proof)
      expect(findVenue(venue)?.kinds.filter((kind) => !passed.has(`${venue} ${kind}`))).toEqual([])
    })
  }
})

describe('a fresh connection', () => {
  for (const venue of venues) {
    for (const kind of findVenue(venue.venue)?.kinds ?? []) {
      it(`has its first answers without waiting for its turn: ${venue.venue} ${kind}`, async () => {
        const waits: number[] = []
        const wire = createCaseWire(venue, [])
        const exchange = await openCcxtExchange({
          venue: venue.venue,
          kind,
          environment: 'live',
          keys: keysOf(venue),
          now: () => NOW,
          onProblem: () => {},
          transport: wire.transport,
          delay: async (ms) => void waits.push(ms),
        })
        await exchange.loadMarkets()
        // Most cases have no answer to it: what counts is when it left.
        await exchange.fetchBalances().catch(() => {})
        await exchange.close()
        expect(waits).toEqual([])
      })
    }
  }
})

async function checkCase(venue: VenueCases, call: string, venueCase: VenueCase): Promise<void> {
  const steps = stepsOf(venueCase)
  const wire = createCaseWire(venue, steps)
  const problems: unknown[] = []
  const exchange = await openCcxtExchange({
    venue: venue.venue,
    kind: venueCase.kind,
    environment: 'live',
    keys: keysOf(venue),
    now: () => NOW,
    onProblem: (problem) => problems.push(problem),
    transport: wire.transport,
    delay: async () => {},
  })
  try {
    await exchange.loadMarkets()
    const came = await ask(exchange, call, venueCase.input)
    expect(wire.unexpected).toEqual([])
    const sent = wire.sent().map((each) => each && sorted(each))
    expect(sent, `it came to ${JSON.stringify(came)}`).toEqual(steps.map(sorted))
    expect(wire.order).toEqual([...wire.order].sort((a, b) => a - b))
    const { fields, form } = venue.clientOrderId
    for (const id of sent.flatMap((each) => valuesOf(each?.output, fields))) expect(id).toMatch(new RegExp(form))
    if (venueCase.partial === true) expect(came).toMatchObject(venueCase.parsedResponse as object)
    else expect(came).toEqual(venueCase.parsedResponse)
  } finally {
    await exchange.close()
  }
}

/** What a call came to, as a case writes it: an outcome, rows, or the code of a refusal. */
async function ask(exchange: Exchange, call: string, input: readonly unknown[]): Promise<unknown> {
  const method = exchange[call as keyof Exchange]
  if (typeof method !== 'function') throw new Error(`the exchange has no ${call}`)
  try {
    const came: unknown = await Reflect.apply(method, exchange, input)
    return isOutcome(came) ? written(came) : (came ?? null)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return { error: error.code, ...more(error) }
  }
}

function isOutcome(came: unknown): came is OrderOutcome {
  return typeof came === 'object' && came !== null && 'kind' in came && ('order' in came || 'error' in came)
}

function written(outcome: OrderOutcome): object {
  if (outcome.kind === 'placed') return outcome
  return { kind: outcome.kind, code: outcome.error.code, ...more(outcome.error) }
}

function more({ clientOrderId, retryAfterMs }: ExchangeError): object {
  return defined({ clientOrderId, retryAfterMs })
}
