// `paper-<account>.json`: what the paper exchange keeps, and the exchange on top of it.
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange.ts'
import { START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { createPaperExchange } from '../../../src/exchanges/paper/paper-exchange.ts'
import { createRandomWalk } from '../../../src/exchanges/paper/random-walk.ts'
import { initialState, type PaperState, parsePaperState } from '../../../src/exchanges/paper/state.ts'
import { openPaperState } from '../../../src/stores/paper-state.ts'
import { StoreError } from '../../../src/stores/store-error.ts'
import { storeTarget } from '../store-target.ts'
import type { OpenTarget } from '../target.ts'

const NOW = 1_773_239_400_000
const fresh = initialState({ seed: 'fuzz', balance: '10000' })
const order = {
  ...{ id: 'p1', symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.01', filled: '0', remaining: '0.01' },
  ...{ price: '60000', reduceOnly: false, postOnly: true, status: 'open', timestamp: NOW - 60_000 },
}
const stop = {
  ...order,
  id: 'p2',
  side: 'sell',
  type: 'stop',
  triggerPrice: '61000',
  reduceOnly: true,
  postOnly: false,
}
const trade = {
  ...{ id: 't1', orderId: 'p0', symbol: 'BTCUSDT', side: 'buy', amount: '0.01', price: '65000', fee: '0.3' },
  ...{ takerOrMaker: 'taker', realizedPnl: '0', timestamp: NOW - 90_000 },
}
const busy = {
  ...fresh,
  fees: '0.3',
  positions: [{ symbol: 'BTCUSDT', amount: '0.01', cost: '650', realizedPnl: '0' }],
  openOrders: [{ order }, { order: stop, firesWhenLast: 'at-or-below' }],
  trades: [trade],
  changes: [{ seq: 1, order, tradeId: 't1', reason: 'why' }],
  ...{ nextOrderId: 3, nextTradeId: 2, nextChangeSeq: 2 },
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'paper-fuzz.json',
    open(directory) {
      const file = openPaperState(directory, 'fuzz', parsePaperState, fresh)
      return {
        read: file.read,
        problem: file.problem,
        write: async () => void (await file.update((state) => ({ ...state, seed: `${state.seed}!` }))),
      }
    },
    seeds: [busy, fresh],
    words: [...Object.keys(busy), ...Object.keys(stop), ...Object.keys(trade), 'ETHUSDT', '-0.01', '0.000', '0', '1'],
    forget: ({ seed: _, ...rest }: PaperState) => rest,
    async check(_store, directory) {
      const exchange = openExchange(directory)
      for (const ask of QUESTIONS) await refusedOr(() => ask(exchange))
      await exchange.close()
    },
  })

/** Everything that a person can ask for and that a bad figure could break. */
const QUESTIONS: readonly ((exchange: Exchange) => Promise<unknown>)[] = [
  (exchange) => exchange.fetchBalance(),
  (exchange) => exchange.fetchPositions(),
  (exchange) => exchange.fetchOpenOrders(),
  (exchange) => exchange.fetchMyTrades(),
  (exchange) => exchange.createOrder({ symbol: 'BTCUSDT', side: 'sell', type: 'market', amount: '0.02' }),
  (exchange) => exchange.cancelAllOrders(),
]

function openExchange(directory: string): Exchange {
  const store = openPaperState(directory, 'fuzz', parsePaperState, fresh)
  return createPaperExchange({
    prices: createRandomWalk({ seed: store.read().seed, startPrices: START_PRICES }),
    store,
    now: () => NOW,
    every: () => () => {},
    onProblem(problem) {
      throw problem
    },
  })
}

async function refusedOr(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof ExchangeError) && !(error instanceof StoreError)) throw error
  }
}
