// What a paper account answers about itself: each question first brings it up to now. What is too old for the state is in the archive.
import type { Exchange } from '../../exchange/exchange.ts'
import type { Order, OrderRef, Position, Trade, TradeQuery } from '../../exchange/order.ts'
import { describeBalance, describePosition } from './account.ts'
import type { Archive } from './archive.ts'
import { openOrdersOf } from './book.ts'
import type { Listing } from './listing.ts'
import type { LiveAccount, Settled } from './live-account.ts'
import type { Requests } from './requests.ts'
import { findOrder, orderNotFound, type PaperState } from './state.ts'
import { createTrial } from './trial.ts'

const TRADES_LISTED = 50

type Queries = Pick<
  Exchange,
  | 'trial'
  | 'fetchBalances'
  | 'fetchPositions'
  | 'fetchOpenOrders'
  | 'fetchOrder'
  | 'fetchMyTrades'
  | 'fetchFundingPayments'
>

interface QueriesOptions {
  /** Waits for a price of the symbol. */
  readonly prepare: (symbol?: string) => Promise<void> | undefined
  /** Brings the account up to now. */
  readonly settle: LiveAccount['settle']
  readonly archive: Archive
  readonly ask: Requests['ask']
  readonly listing: () => Listing
}

export function createQueries({ prepare, settle, archive, ask, listing }: QueriesOptions): Queries {
  const settleOn = async (symbol?: string) => {
    await prepare(symbol)
    return settle()
  }
  return {
    trial: () => ask(() => createTrial(settleOn)),
    fetchBalances: () =>
      ask(async () => {
        const { state, moment } = await settle()
        return [describeBalance(state, moment)]
      }),
    fetchPositions: () =>
      ask(async () => {
        return positionsOf(await settle())
      }),
    fetchOpenOrders: (symbol) => ask(async () => openOrdersOf((await settle()).state, symbol, listing())),
    fetchOrder: (ref) =>
      ask(async () => {
        const { state } = await settle()
        const found = findOrder(state, ref) ?? findArchived(archive, state, ref)
        if (found !== undefined) return found
        throw orderNotFound(ref, 'is not known', 'list the trades: it never arrived, or ended long ago')
      }),
    fetchMyTrades: ({ symbol, since = 0, limit = TRADES_LISTED }) =>
      ask(async () => {
        listing().find(symbol)
        const { state } = await settle()
        return listTrades(archive, state, { symbol, since, limit })
      }),
    fetchFundingPayments: ({ symbol, since = 0, limit = TRADES_LISTED }) =>
      ask(async () => {
        const { currency } = listing()
        listing().find(symbol)
        const { payments = [] } = (await settle()).state
        const asked = payments.filter((payment) => payment.symbol === symbol && payment.at >= since)
        return asked
          .slice(Math.max(0, asked.length - limit))
          .map(({ at, received }) => ({ id: `f${at}`, symbol, amount: received, currency, timestamp: at }))
      }),
  }
}

const positions = new WeakMap<Settled, readonly Position[]>()

/** Orders of one moment ask for them one by one. */
function positionsOf(settled: Settled): readonly Position[] {
  const { state, moment } = settled
  const known = positions.get(settled)
  if (known !== undefined) return known
  const described = state.positions.map((position) => describePosition(state, position, moment))
  positions.set(settled, described)
  return described
}

function findArchived(archive: Archive, state: PaperState, ref: OrderRef): Order | undefined {
  archive.refresh(state)
  const order = archive.find(ref.id ?? ref.clientOrderId ?? '')?.order
  return order?.symbol === ref.symbol ? order : undefined
}

function listTrades(
  archive: Archive,
  state: PaperState,
  { symbol, since, limit }: Required<TradeQuery>,
): readonly Trade[] {
  const isAsked = (trade: Trade): boolean => trade.symbol === symbol && trade.timestamp >= since
  const newest = state.trades.filter(isAsked)
  const oldest = state.trades[0]?.seq ?? 0
  const needsMore = newest.length < limit && state.trades[0]?.id !== 't1'
  if (needsMore) archive.refresh(state)
  const older = needsMore ? archive.trades.filter((trade) => trade.seq < oldest && isAsked(trade)) : []
  const trades = [...older, ...newest]
  return trades.slice(Math.max(0, trades.length - limit)).map(({ seq: _, ...trade }) => trade)
}
