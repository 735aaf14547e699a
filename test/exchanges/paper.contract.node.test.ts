// The paper venue keeps the contract: in memory, and over the real file under its real lock.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import { expect } from 'vitest'
import { createScriptedFeed, type ScriptedFeed } from '../../harness/venues/scripted-feed.ts'
import { createScriptedMarket, type ScriptedMarketOptions } from '../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { VenueUnderTest } from '../../src/exchanges/contract/desk.ts'
import { createSyntheticDepth } from '../../src/exchanges/paper/depth.ts'
import { FollowedMarket } from '../../src/exchanges/paper/followed-market.ts'
import { findMarket, PAPER_MARKETS, START_PRICES } from '../../src/exchanges/paper/markets.ts'
import type { PaperFaults } from '../../src/exchanges/paper/paper-controls.ts'
import { PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'
import { describeVenueContract } from './contract/describe-venue-contract.ts'

describeVenueContract('the paper venue in memory', () => startPaper({}))

describeVenueContract('the paper venue over its file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'hookline-contract-'))
  const venue = await startPaper({
    depth: createSyntheticDepth('contract'),
    openStore: (fresh) => openPaperState(directory, 'paper', { ...PAPER_FORMAT, defaults: fresh }),
  })
  return {
    ...venue,
    async stop() {
      await venue.stop()
      await rm(directory, { recursive: true })
    },
  }
})

describeVenueContract('the paper venue at the prices of another', async () => {
  const prices = new Map(Object.entries(START_PRICES))
  const feeds: ScriptedFeed[] = []
  const tell = (feed: ScriptedFeed, symbol: string): void => {
    const last = prices.get(symbol) ?? '1'
    const { tick } = findMarket(symbol).priceGrid
    const away = (steps: number) => new Decimal(last).plus(new Decimal(tick).times(steps)).toFixed()
    feed.quote(symbol, last, { bids: [[away(-1), '1000']], asks: [[away(1), '1000']] })
    feed.stream(symbol, 'live')
  }
  const tellAll = (): void => {
    for (const feed of feeds) for (const symbol of feed.watched()) tell(feed, symbol)
  }
  const venue = await startPaper({
    market({ now, after }) {
      const feed = createScriptedFeed(PAPER_MARKETS, now)
      feed.onWatch = (symbol) => tell(feed, symbol)
      feeds.push(feed)
      const onProblem = (problem: unknown) => expect(problem).toBeUndefined()
      return new FollowedMarket({ data: feed.data, now, after, onProblem })
    },
  })
  const { advance } = venue.control
  return {
    ...venue,
    control: {
      ...venue.control,
      movePrice(symbol, price) {
        prices.set(symbol, price)
        tellAll()
      },
      async advance(ms) {
        // A venue goes on talking.
        for (let left = ms; left > 0; left -= 1000) {
          await advance?.(Math.min(1000, left))
          tellAll()
        }
      },
    },
  }
})

/** With the book of the fault for a thin one: the contract's small orders fill whole in every other book. */
async function startPaper(options: ScriptedMarketOptions): Promise<VenueUnderTest> {
  const market = createScriptedMarket(options)
  let exchange = market.exchange
  const others: Exchange[] = []
  const setFaults = (faults: PaperFaults) => exchange.paper.setFaults(faults)
  /** Only the next request meets them: the second one is too many for a count of one. */
  const failNext = async (faults: PaperFaults): Promise<void> => {
    await setFaults(faults)
    const original = exchange.createOrder
    exchange.createOrder = async (request) => {
      exchange.createOrder = original
      const outcome = await original(request)
      await setFaults({})
      return outcome
    }
  }
  return {
    exchange,
    symbol: 'BTCUSDT',
    control: {
      movePrice: market.setPrice,
      async advance(ms) {
        for (let left = ms; left > 0; left -= 1000) {
          await market.advance(Math.min(1000, left))
          // A tick that writes to a disk needs time of its own; the next second waits for it.
          await exchange.fetchPositions()
        }
      },
      loseNext: (isPlaced) => failNext(isPlaced ? { lostAnswers: 1 } : { lostOrders: 1 }),
      refuseNext: (code) => failNext(code === 'unavailable' ? { refusals: 1 } : { rateLimits: 1 }),
      thinBook: () => setFaults({ partialFills: 1 }),
      async openGap() {
        await setFaults({ gapUntil: Number.MAX_SAFE_INTEGER })
        return () => setFaults({})
      },
    },
    async restart() {
      await exchange.close()
      exchange = market.openExchange()
      return exchange
    },
    async openAnother() {
      const other = market.openExchange()
      others.push(other)
      return other
    },
    async stop() {
      await Promise.all([market.exchange, exchange, ...others].map((opened) => opened.close()))
    },
  }
}
