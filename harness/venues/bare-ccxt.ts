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
      | 'watchBalance'
      | 'privateGetAccountConfig'
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
  readonly watchPositions: Call<readonly Row[]>
  readonly options: Record<string, unknown>
  readonly last_response_headers: Readonly<Record<string, string>> | undefined
  close(): Promise<void>
}

type Constructor = new (options: Record<string, unknown>) => BareCcxt

/** By the file of one class: the whole package takes half a second to load. */
async function bare(name: string, settings: Record<string, unknown>): Promise<BareCcxt> {
  const main = createRequire(import.meta.url).resolve('ccxt')
  const file = join(dirname(main), `../js/src/pro/${name}.js`)
  const { default: Venue } = (await import(pathToFileURL(file).href)) as { default: Constructor }
  return new Venue({ enableRateLimit: false, timeout: 2_000, ...settings })
}

interface Keys {
  readonly key: string
  readonly secret: string
}

export function bareBinance({ key, secret }: Keys): Promise<BareCcxt> {
  const options = { fetchCurrencies: false, warnOnFetchOpenOrdersWithoutSymbol: false }
  return bare('binanceusdm', { apiKey: key, secret, options })
}

export function bareOkx({ key, secret, passphrase }: Keys & { readonly passphrase: string }): Promise<BareCcxt> {
  const options = { defaultType: 'swap', fetchMarkets: { types: ['swap'] }, createOrder: 'privatePostTradeOrder' }
  return bare('okx', { apiKey: key, secret, password: passphrase, has: { fetchCurrencies: false }, options })
}
