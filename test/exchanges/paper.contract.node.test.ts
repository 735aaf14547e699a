// The paper venue keeps the contract: in memory, and over the real file under its real lock.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createScriptedMarket, type ScriptedMarketOptions } from '../../harness/venues/scripted-market.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { createSyntheticDepth } from '../../src/exchanges/paper/depth.ts'
import type { PaperFaults } from '../../src/exchanges/paper/faults.ts'
import { PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'
import { describeVenueContract } from './contract/describe-venue-contract.ts'
import type { VenueUnderTest } from './contract/venue-under-test.ts'

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
