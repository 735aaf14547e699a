// The focused symbol's last price for the prompt: asked for once a second, never waited for.
import type { App } from './app.ts'

const REFRESH_MS = 1_000

export interface LivePrice {
  /** undefined until the first answer, and after a failed one. */
  last(): string | undefined
  stop(): void
}

export function followPrice(app: Pick<App, 'ports' | 'connect'>): LivePrice {
  let seen: { readonly key: string; readonly last: string } | undefined
  let asking = false
  const focus = () => {
    const [account, symbol] = [app.ports.focus.account(), app.ports.focus.symbol()]
    return { account, symbol, key: `${account}/${symbol}` }
  }
  const ask = async () => {
    if (asking) return
    asking = true
    const { account, symbol, key } = focus()
    try {
      const { venue } = await app.connect(account)
      seen = { key, last: (await venue.fetchTicker(symbol)).last }
    } catch {
      // The prompt goes without a price; commands that need one say why there is none.
      seen = undefined
    }
    asking = false
  }
  const timer = setInterval(() => void ask(), REFRESH_MS)
  timer.unref()
  void ask()
  return {
    last: () => (seen?.key === focus().key ? seen.last : undefined),
    stop: () => clearInterval(timer),
  }
}
