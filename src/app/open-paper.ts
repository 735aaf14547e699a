// A paper account on its file: its seed, its market, its history.
import type { Exchange } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { createSyntheticDepth } from '../exchanges/paper/depth.ts'
import { FollowedMarket } from '../exchanges/paper/followed-market.ts'
import type { MarketSource } from '../exchanges/paper/market-source.ts'
import { START_PRICES } from '../exchanges/paper/markets.ts'
import { START_BALANCE } from '../exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../exchanges/paper/paper-exchange.ts'
import { createJointWalk, createRandomWalk } from '../exchanges/paper/random-walk.ts'
import { createReplayMarket, type ReplayMarketOptions } from '../exchanges/paper/replay.ts'
import { initialState, type PaperState } from '../exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../exchanges/paper/state-file.ts'
import type { AccountRow } from '../stores/accounts.ts'
import type { JournaledFile } from '../stores/journaled-file.ts'
import { openPaperHistory, openPaperState, openPracticeMarket } from '../stores/paper-state.ts'
import { keptCandles } from './candle-files.ts'

/** Of an account that has no file yet. */
const NO_SEED = ''
const FIRST_ACCOUNT = 'paper'

/** @throws {ExchangeError} `not-supported` for prices that a paper account cannot follow */
export async function openPaper(
  { name, prices }: AccountRow,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<Exchange> {
  const fresh = initialState({ seed: NO_SEED, balance: START_BALANCE })
  const store = openPaperState(directory, name, { ...PAPER_FORMAT, defaults: fresh })
  await decideSeed(store, directory, onProblem)
  return createPaperExchange({
    market:
      prices === undefined ? marketOf(store, keptCandles(directory, name)) : await followMarket(prices, onProblem),
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

/** All accounts see the same prices, decided once, before anything is asked of them, so that all processes see the same. */
async function decideSeed(
  store: JournaledFile<PaperState>,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<void> {
  if (store.read().seed !== NO_SEED) return
  try {
    const seed = await openPracticeMarket(directory).seed(() => seedOfFirst(directory))
    await store.update((state) => (state.seed === NO_SEED ? { ...state, seed } : state))
  } catch (error) {
    // It can be looked at all the same; an order says why it is not stored.
    onProblem(error)
  }
}

/** Of the account that every installation has, where it has prices already. */
function seedOfFirst(directory: string): string | undefined {
  const fresh = initialState({ seed: NO_SEED, balance: START_BALANCE })
  const { seed } = openPaperState(directory, FIRST_ACCOUNT, { ...PAPER_FORMAT, defaults: fresh }).read()
  return seed === NO_SEED ? undefined : seed
}

/** @param prices `binance:linear` @throws {ExchangeError} `not-supported` */
async function followMarket(prices: string, onProblem: (problem: unknown) => void): Promise<MarketSource> {
  const [venue = '', kind] = prices.split(':')
  if (kind !== 'linear') {
    throw new ExchangeError('not-supported', `a paper account trades linear contracts, which ${prices} are not`, {
      hint: 'make an account that follows the linear ones: `account add <name> paper --prices binance:linear`',
    })
  }
  // That a venue is not heard is told by the prices, which are stale then.
  const report = (problem: unknown): void => {
    if (!(problem instanceof ExchangeError)) onProblem(problem)
  }
  // Loaded when such an account is opened, and not before.
  const { openCcxtMarketData } = await import('../exchanges/ccxt/market-data.ts')
  const data = await openCcxtMarketData({ venue, kind, now: Date.now, onProblem: report })
  return new FollowedMarket({ data, now: Date.now, after, onProblem: report })
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function marketOf(store: JournaledFile<PaperState>, candles: ReplayMarketOptions['candles']): MarketSource {
  const { seed, walk } = store.read()
  const prices = walk === 'independent' ? createRandomWalk({ seed, startPrices: START_PRICES }) : createJointWalk(seed)
  const replay = () => store.readOncePerTurn().replay
  return createReplayMarket({ prices, depth: createSyntheticDepth(seed), replay, candles })
}
