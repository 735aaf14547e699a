// A stand-in of Binance USDⓈ-M: REST and streams on one port, and what a test may do to it. It answers nothing but what the venue's public
// documentation describes and ccxt asks for; whatever else is asked is remembered as unexpected.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Arrived, type Heard, type Said, type ServedOptions, ServedVenue } from '../served-venue.ts'
import { Account, type AccountOptions } from './account.ts'
import { Engine } from './engine.ts'
import { type BinanceFault, binanceFaults } from './faults.ts'
import { Refusal } from './refusal.ts'
import { type Asked, ROUTES } from './routes.ts'
import { accountBehind, checkSignature } from './signing.ts'
import { Streams } from './streams.ts'
import type { Params } from './wishes.ts'

export interface BinanceOptions extends ServedOptions {
  readonly accounts: readonly AccountOptions[]
  /** Default `open`, as Binance's documentation has it. */
  readonly uniqueIds?: 'open' | 'ever'
}

export class Binance extends ServedVenue<BinanceFault> {
  readonly engine: Engine
  readonly streams: Streams
  readonly faults = binanceFaults()
  protected readonly typicalAnswer = '{"orderId":40000000,'
  /** Of the requests that were signed: for whoever looks for them where they must not be. */
  readonly signatures: string[] = []

  private constructor(options: BinanceOptions) {
    super(options)
    const onPrice = (symbol: string) => this.streams.tellPrice(symbol)
    this.engine = new Engine({ now: this.now, uniqueIds: options.uniqueIds ?? 'open', onPrice })
    this.streams = new Streams(this.engine, this.now)
    for (const account of options.accounts) this.open(account)
  }

  static async start(options: BinanceOptions): Promise<Binance> {
    const venue = new Binance(options)
    await venue.listen()
    return venue
  }

  open(options: AccountOptions): Account {
    const account = new Account(options)
    account.tell = (event) => this.streams.tellAccount(account, event)
    this.engine.accounts.set(options.key, account)
    return account
  }

  /** The only account, or the one with this key. */
  account(key?: string): Account {
    const [first] = this.engine.accounts.values()
    const found = key === undefined ? first : this.engine.accounts.get(key)
    if (found === undefined) throw new Error('the stand-in has no such account')
    return found
  }

  async close(): Promise<void> {
    this.streams.close()
    this.engine.close()
    this.faults.close()
    await this.cut()
  }

  protected hear(arrived: Arrived): Pick<Heard, 'params' | 'headers'> {
    const { signature, ...params } = paramsOf(arrived)
    if (signature !== undefined) this.signatures.push(signature)
    return { params, headers: { ...arrived.request.headers, 'x-mbx-apikey': undefined } }
  }

  protected upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.streams.upgrade(request, socket, head)
  }

  protected answer(arrived: Arrived): Said {
    const headers = { 'X-MBX-USED-WEIGHT-1M': '1' }
    try {
      return { status: 200, body: JSON.stringify(this.#run(arrived)), headers }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: JSON.stringify({ code: error.code, msg: error.message }), headers }
    }
  }

  #run(arrived: Arrived): unknown {
    const { route: name, request } = arrived
    const params = paramsOf(arrived)
    const route = ROUTES.get(name)
    if (route === undefined) {
      this.unexpected.push(name)
      throw new Refusal(-1000, 'Not found.', 404)
    }
    const asked: Asked = { params, engine: this.engine, streams: this.streams, now: this.now() }
    if (route.security === 'none') return route.run(asked)
    const account = accountBehind(request.headers['x-mbx-apikey'] as string | undefined, this.engine.accounts)
    if (route.security === 'signed') checkSignature(account, rawOf(arrived), params, this.now())
    return route.run({ ...asked, account })
  }
}

/** Query and body as they were sent, one after the other. */
function rawOf({ search, body }: Arrived): string {
  return search.slice(1) + body
}

function paramsOf(arrived: Arrived): Params {
  return Object.fromEntries(new URLSearchParams(rawOf(arrived)))
}
