// A paper account on its file: its seed, its market, its history.
import { randomUUID } from 'node:crypto'
import type { Exchange } from '../exchange/exchange.ts'
import { createSyntheticDepth } from '../exchanges/paper/depth.ts'
import { createJointWalk } from '../exchanges/paper/joint-walk.ts'
import type { MarketSource } from '../exchanges/paper/market-source.ts'
import { START_PRICES } from '../exchanges/paper/markets.ts'
import { START_BALANCE } from '../exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../exchanges/paper/paper-exchange.ts'
import { createRandomWalk } from '../exchanges/paper/random-walk.ts'
import { createReplayMarket, type ReplayMarketOptions } from '../exchanges/paper/replay-market.ts'
import { initialState, type PaperState } from '../exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../exchanges/paper/state-file.ts'
import type { AccountRow } from '../stores/accounts.ts'
import type { JsonFile } from '../stores/json-file.ts'
import { openPaperHistory, openPaperState } from '../stores/paper-state.ts'
import { keptCandles } from './candle-files.ts'

/** Of an account that has no file yet. */
const NO_SEED = ''

export async function openPaper(
  { name }: AccountRow,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<Exchange> {
  const fresh = initialState({ seed: NO_SEED, balance: START_BALANCE })
  const store = openPaperState(directory, name, { ...PAPER_FORMAT, defaults: fresh })
  await decideSeed(store, onProblem)
  return createPaperExchange({
    market: marketOf(store, keptCandles(directory, name)),
    store,
    history: openPaperHistory(directory, name),
    now: Date.now,
    every(ms, tick) {
      const timer = setInterval(tick, ms)
      timer.unref()
      return () => clearInterval(timer)
    },
    delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onProblem,
  })
}

/** Every account has prices of its own; they are decided once, before anything is asked of it, so that all processes see the same. */
async function decideSeed(store: JsonFile<PaperState>, onProblem: (problem: unknown) => void): Promise<void> {
  if (store.read().seed !== NO_SEED) return
  const seed = randomUUID()
  try {
    await store.update((state) => (state.seed === NO_SEED ? { ...state, seed } : state))
  } catch (error) {
    // It can be looked at all the same; an order says why it is not stored.
    onProblem(error)
  }
}

function marketOf(store: JsonFile<PaperState>, candles: ReplayMarketOptions['candles']): MarketSource {
  const { seed, walk } = store.read()
  const prices = walk === 'independent' ? createRandomWalk({ seed, startPrices: START_PRICES }) : createJointWalk(seed)
  const replay = () => store.readOncePerTurn().replay
  return createReplayMarket({ prices, depth: createSyntheticDepth(seed), replay, candles })
}
