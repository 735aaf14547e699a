// `paper-<account>.json`: what the paper exchange keeps, and the exchange on top of it.
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { createSyntheticDepth } from '../../../src/exchanges/paper/depth.ts'
import { createOfflineMarket } from '../../../src/exchanges/paper/market-source.ts'
import { START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import { createPaperExchange } from '../../../src/exchanges/paper/paper-exchange.ts'
import { createRandomWalk } from '../../../src/exchanges/paper/random-walk.ts'
import { initialState, type PaperState } from '../../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT, parsePaperState } from '../../../src/exchanges/paper/state-file.ts'
import { openPaperState } from '../../../src/stores/paper-state.ts'
import { StoreError } from '../../../src/stores/store-error.ts'
import { storeTarget } from '../store-target.ts'
import type { OpenTarget } from '../target.ts'

const NOW = 1_773_239_400_000
const CLIENT_ORDER_ID = '0123456789abcdef0123456789abcdef'
const fresh = initialState({ seed: 'fuzz', balance: '10000' })
const order = {
  id: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  filled: '0',
  remaining: '0.01',
  price: '60000',
  reduceOnly: false,
  postOnly: true,
  status: 'open',
  timestamp: NOW - 60_000,
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
  id: 't1',
  orderId: 'p0',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '0.01',
  price: '65000',
  fee: '0.3',
  takerOrMaker: 'taker',
  realizedPnl: '0',
  timestamp: NOW - 90_000,
}
const busy = {
  ...fresh,
  fees: '0.3',
  leverage: { BTCUSDT: '20' },
  positions: [
    {
      symbol: 'BTCUSDT',
      amount: '0.01',
      cost: '650',
      realizedPnl: '0',
      openedAt: NOW - 90_000,
      fundedUntil: NOW - 60_000,
    },
  ],
  payments: [
    { symbol: 'BTCUSDT', at: NOW - 60_000, rate: '0.0001', amount: '0.01', markPrice: '65000', received: '-0.065' },
  ],
  openOrders: [
    { seq: 2, order, cost: '0' },
    { seq: 3, order: stop, firesWhenLast: 'at-or-below' },
  ],
  endedOrders: [
    { seq: 1, order: { ...order, id: 'p0', clientOrderId: CLIENT_ORDER_ID, status: 'closed' }, reason: 'why' },
  ],
  trades: [{ seq: 0, ...trade, clientOrderId: CLIENT_ORDER_ID, feeCurrency: 'USDT' }],
  taken: [{ symbol: 'BTCUSDT', side: 'sell', second: NOW / 1000, amount: '0.1' }],
  faults: { lostAnswers: 2, lostOrders: 3, refusals: 4, rateLimits: 5, lostQuestions: 6, gapUntil: 7, partialFills: 1 },
  faultCount: 1,
  nextOrderId: 3,
  nextTradeId: 2,
  nextChangeSeq: 4,
}
/** As the first version wrote it. */
const old = {
  version: 1,
  seed: 'fuzz',
  deposited: '10000',
  realizedPnl: '0',
  fees: '0.3',
  covered: '0',
  positions: busy.positions,
  openOrders: [{ order }, { order: stop, firesWhenLast: 'at-or-below' }],
  trades: [trade],
  changes: [{ seq: 1, order: { ...order, id: 'p0', status: 'closed' }, tradeId: 't1', reason: 'why' }],
  nextOrderId: 3,
  nextTradeId: 2,
  nextChangeSeq: 2,
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'paper-fuzz.json',
    open(directory) {
      const file = openPaperState(directory, 'fuzz', { ...PAPER_FORMAT, defaults: fresh })
      return {
        read: file.read,
        problem: file.problem,
        problems: file.problems,
        write: async () => void (await file.update((state) => ({ ...state, seed: `${state.seed}!` }))),
      }
    },
    seeds: [busy, fresh, old],
    words: [...Object.keys(busy), ...Object.keys(stop), ...Object.keys(trade), 'ETHUSDT', '-0.01', '0.000', '0', '1'],
    beside: /^paper-fuzz\.changes-[0-9a-f]{16}\.jsonl$/,
    forget: (content: unknown) => forgetWritten(parsePaperState(content)),
    async check(_store, directory) {
      const exchange = openExchange(directory)
      for (const ask of QUESTIONS) await refusedOr(() => ask(exchange))
      await exchange.close()
    },
  })

/** Everything that a person can ask for and that a bad figure could break. */
const QUESTIONS: readonly ((exchange: Exchange) => Promise<unknown>)[] = [
  (exchange) => exchange.fetchBalances(),
  (exchange) => exchange.fetchPositions(),
  (exchange) => exchange.fetchOpenOrders(),
  (exchange) => exchange.fetchMyTrades({ symbol: 'BTCUSDT' }),
  (exchange) => exchange.fetchOrder({ symbol: 'BTCUSDT', clientOrderId: CLIENT_ORDER_ID }),
  (exchange) =>
    exchange.createOrder({
      clientOrderId: 'f'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'market',
      amount: '0.02',
    }),
  (exchange) => exchange.editOrder({ symbol: 'BTCUSDT', id: 'p1' }, { amount: '0.02', price: '59000' }),
  (exchange) => exchange.setLeverage('BTCUSDT', '5'),
  (exchange) => exchange.cancelAllOrders(),
]

function forgetWritten({ seed: _, journal: __, ...rest }: PaperState): unknown {
  return rest
}

function openExchange(directory: string): Exchange {
  const store = openPaperState(directory, 'fuzz', { ...PAPER_FORMAT, defaults: fresh })
  return createPaperExchange({
    market: createOfflineMarket({
      prices: createRandomWalk({ seed: store.read().seed, startPrices: START_PRICES }),
      depth: createSyntheticDepth(store.read().seed),
    }),
    store,
    now: () => NOW,
    every: () => () => {},
    delay: async () => {},
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
