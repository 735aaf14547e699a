// ccxt as it comes, dialing the venue's own hosts: what the stand-in is proven against, and what the adapter is measured by.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Row = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: ccxt's methods are many, and their own types are looser than this
type Call<Answer> = (...args: any[]) => Promise<Answer>

/** As much of it as tests say. */
export interface BareCcxt
  extends Readonly<
    Record<
      | 'createOrder'
      | 'editOrder'
      | 'cancelOrder'
      | 'fetchOrder'
      | 'fetchBalance'
      | 'fetchTicker'
      | 'fetchOrderBook'
      | 'fetchPositionMode'
      | 'setLeverage'
      | 'loadMarkets'
      | 'loadTimeDifference'
      | 'watchTicker'
      | 'watchOrderBook'
      | 'sapiGetAccountApiRestrictions',
      Call<Row>
    >
  > {
  readonly fetchOpenOrders: Call<readonly Row[]>
  readonly fetchPositions: Call<readonly Row[]>
  readonly fetchMyTrades: Call<readonly Row[]>
  readonly cancelAllOrders: Call<readonly Row[]>
  readonly watchOrders: Call<readonly Row[]>
  readonly watchMyTrades: Call<readonly Row[]>
  readonly options: Record<string, unknown>
  readonly last_response_headers: Readonly<Record<string, string>> | undefined
  close(): Promise<void>
}

type Constructor = new (options: Record<string, unknown>) => BareCcxt

/** By the file of one class: the whole package takes half a second to load. */
export async function bareBinance(keys: { readonly key: string; readonly secret: string }): Promise<BareCcxt> {
  const main = createRequire(import.meta.url).resolve('ccxt')
  const file = join(dirname(main), '../js/src/pro/binanceusdm.js')
  const { default: Binanceusdm } = (await import(pathToFileURL(file).href)) as { default: Constructor }
  return new Binanceusdm({
    apiKey: keys.key,
    secret: keys.secret,
    enableRateLimit: false,
    timeout: 2_000,
    options: { fetchCurrencies: false, warnOnFetchOpenOrdersWithoutSymbol: false },
  })
}
