// The focused symbol's last price for the prompt, and whether it is current: heard from the venue, never waited for.
import type { VenueView } from '../exchange/exchange.ts'
import type { App } from './app.ts'

/** How often the focus is looked at, and a venue that failed is tried again. */
const LOOK_MS = 1_000

export interface LivePrice {
  /** undefined until one is known. */
  last(): string | undefined
  /** Whether the account in focus has heard nothing of its venue for too long. */
  isStale(): boolean
  stop(): void
}

interface Followed {
  readonly key: string
  readonly venue: Pick<VenueView, 'stream'>
  last: string | undefined
  readonly end: () => void
}

export function followPrice(app: {
  readonly ports: { readonly focus: Pick<App['ports']['focus'], 'account' | 'symbol'> }
  connect(account: string): Promise<{ readonly venue: Pick<VenueView, 'stream' | 'subscribe' | 'watchTicker'> }>
}): LivePrice {
  let followed: Followed | undefined
  let isLooking = false
  let isStopped = false
  const focus = () => {
    const [account, symbol] = [app.ports.focus.account(), app.ports.focus.symbol()]
    return { account, symbol, key: `${account}/${symbol}` }
  }
  const leave = () => {
    followed?.end()
    followed = undefined
  }
  const look = async () => {
    if (isLooking) return
    isLooking = true
    const { account, symbol, key } = focus()
    try {
      const { venue } = await app.connect(account)
      if (followed?.venue !== venue || followed.key !== key) {
        leave()
        if (!isStopped) followed = follow(venue, symbol, key)
      }
    } catch {
      // The prompt goes without a price; commands that need one say why there is none.
      leave()
    }
    isLooking = false
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  void look()
  const inFocus = () => (followed?.key === focus().key ? followed : undefined)
  return {
    last: () => inFocus()?.last,
    isStale: () => inFocus()?.venue.stream === 'stale',
    stop() {
      isStopped = true
      clearInterval(timer)
      leave()
    },
  }
}

/** @throws {ExchangeError} `bad-symbol` */
function follow(venue: Pick<VenueView, 'stream' | 'subscribe' | 'watchTicker'>, symbol: string, key: string): Followed {
  const unsubscribe = venue.subscribe((event) => {
    if (event.type === 'ticker' && event.ticker.symbol === symbol) followed.last = event.ticker.last
  })
  const followed: Followed = { key, venue, last: undefined, end: unsubscribe }
  try {
    const unwatch = venue.watchTicker(symbol)
    return Object.assign(followed, {
      end() {
        unwatch()
        unsubscribe()
      },
    })
  } catch (error) {
    unsubscribe()
    throw error
  }
}
