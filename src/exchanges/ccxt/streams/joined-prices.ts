// Prices of venues whose stream of tickers lacks one of the three: the last price and the best bid and ask come by two streams, and are reported as
// one. Both halves say what is so now, each for as long as its own stream is up; a half that is lost takes the other with it.
import type { CcxtClient } from '../ccxt-client.ts'

type Fields = Readonly<Record<string, unknown>>

/** What of a class streams prices; which of it there is differs. */
interface PriceStreams {
  watchTicker(symbol: string, params?: Fields): Promise<Fields>
  unWatchTicker?(symbol: string, params?: Fields): Promise<unknown>
  watchBidsAsks(symbols: readonly string[]): Promise<Readonly<Record<string, Fields>>>
  unWatchBidsAsks?(symbols: readonly string[]): Promise<unknown>
  watchTrades(symbol: string): Promise<readonly Fields[]>
  unWatchTrades?(symbol: string): Promise<unknown>
  watchOrderBook(symbol: string): Promise<Fields>
  unWatchOrderBook?(symbol: string): Promise<unknown>
}

/** Each watches its half once more. Its rows are of one symbol. */
interface Sources {
  readonly last: (symbol: string) => Promise<Fields | undefined>
  /** With `bid` and `ask`. */
  readonly top: (symbol: string) => Promise<Fields | undefined>
  /** Ends both, as far as the class can. */
  readonly end: (symbol: string) => Promise<unknown>
}

/** The best bid and ask of a busy market change hundreds of times a second: they are told this often. */
const PAUSE_MS = 200

interface Halves {
  last: Fields | undefined
  top: Fields | undefined
  waits: { last?: Promise<void>; top?: Promise<void> }
}

/** From now on the client's own `watchTicker` has all three prices. @param sourcesOf gets the class as it was */
export function joinPrices(made: CcxtClient, sourcesOf: (client: PriceStreams) => Sources): void {
  const client = made as unknown as PriceStreams
  const { last, top, end } = sourcesOf(bound(client))
  const known = new Map<string, Halves>()

  function wait(symbol: string, halves: Halves): readonly Promise<void>[] {
    const { waits } = halves
    const next = (half: 'last' | 'top', ask: () => Promise<Fields | undefined>): Promise<void> => {
      const asked = async () => {
        try {
          halves[half] = (await ask()) ?? halves[half]
        } finally {
          delete waits[half]
        }
      }
      waits[half] ??= asked()
      return waits[half]
    }
    return [next('last', () => last(symbol)), next('top', () => top(symbol))]
  }

  client.watchTicker = async (symbol) => {
    const halves = known.get(symbol) ?? { last: undefined, top: undefined, waits: {} }
    // After the first time: what came meanwhile is reported as one.
    if (known.has(symbol)) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
    known.set(symbol, halves)
    try {
      do await Promise.race(wait(symbol, halves).map(handled))
      while (halves.last === undefined || halves.top === undefined)
    } catch (error) {
      // What was known before a gap is not known after it.
      known.delete(symbol)
      throw error
    }
    const { bid, ask } = halves.top
    return { ...halves.last, bid, ask, timestamp: newest(halves.last.timestamp, halves.top.timestamp) }
  }
  client.unWatchTicker = async (symbol) => {
    known.delete(symbol)
    await end(symbol)
  }
  made.has.unWatchTicker = true
}

/** Tickers with the last price, and the venue's stream of best bids and asks. @param params of `watchTicker` */
export function withBidsAsks(params: Fields = {}): (client: PriceStreams) => Sources {
  return ({ watchTicker, unWatchTicker, watchBidsAsks, unWatchBidsAsks }) => ({
    last: (symbol) => watchTicker(symbol, { ...params }),
    top: async (symbol) => (await watchBidsAsks([symbol]))[symbol],
    end: (symbol) => Promise.all([unWatchTicker?.(symbol, { ...params }), unWatchBidsAsks?.([symbol])]),
  })
}

/** The newest of the trades that everybody sees: its price is the last one. */
export async function lastTraded({ watchTrades }: PriceStreams, symbol: string): Promise<Fields | undefined> {
  const newestTrade = (await watchTrades(symbol)).at(-1)
  return newestTrade && { symbol, last: newestTrade.price, timestamp: newestTrade.timestamp }
}

/** The best level of each side. */
export async function topOfBook({ watchOrderBook }: PriceStreams, symbol: string): Promise<Fields | undefined> {
  const { bids, asks, timestamp } = await watchOrderBook(symbol)
  const [bid, ask] = [bids, asks].map((side) =>
    Array.isArray(side) && Array.isArray(side[0]) ? side[0][0] : undefined,
  )
  return bid === undefined || ask === undefined ? undefined : { bid, ask, timestamp }
}

const OPTIONAL = ['unWatchTicker', 'unWatchBidsAsks', 'unWatchTrades', 'unWatchOrderBook'] as const

/** The class's own methods, as they are before any of them is replaced. */
function bound(client: PriceStreams): PriceStreams {
  const has = (client as unknown as CcxtClient).has
  const ends = OPTIONAL.flatMap((name) => (has[name] === true ? [[name, client[name]?.bind(client)]] : []))
  return {
    watchTicker: client.watchTicker.bind(client),
    watchBidsAsks: client.watchBidsAsks.bind(client),
    watchTrades: client.watchTrades.bind(client),
    watchOrderBook: client.watchOrderBook.bind(client),
    ...Object.fromEntries(ends),
  }
}

/** Whichever fails second has no one who waits for it. */
function handled(waiting: Promise<void>): Promise<void> {
  waiting.catch(() => {})
  return waiting
}

function newest(left: unknown, right: unknown): unknown {
  if (typeof left !== 'number') return right
  return typeof right === 'number' ? Math.max(left, right) : left
}
