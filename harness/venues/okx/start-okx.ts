// A stand-in of OKX: REST v5 and the three streams, and what a test may do to it. It answers nothing but what the venue's public
// documentation describes and ccxt asks for; whatever else is asked is remembered as unexpected.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Arrived, type Heard, type Said, type ServedOptions, ServedVenue } from '../served-venue.ts'
import { Account, type AccountOptions } from './account.ts'
import { Engine } from './engine.ts'
import { type OkxFault, okxFaults } from './faults.ts'
import { Refusal, refuse } from './refusal.ts'
import { ROUTES } from './routes.ts'
import type { Row } from './rows.ts'
import { accountBehind } from './signing.ts'
import { Streams } from './streams.ts'
import type { Fields } from './wishes.ts'

export interface OkxOptions extends ServedOptions {
  readonly accounts: readonly AccountOptions[]
  /** Default `open`: of several orders with one name the documentation says that the latest is meant. */
  readonly uniqueIds?: 'open' | 'ever'
}

const SECRET_HEADERS = ['ok-access-key', 'ok-access-sign', 'ok-access-passphrase'] as const

export class Okx extends ServedVenue<OkxFault> {
  readonly engine: Engine
  readonly streams: Streams
  readonly faults = okxFaults()
  protected readonly typicalAnswer = '{"code":"0","data":[{"clOrdId":"","ordId":"1500000","sCode":"0"}]}'

  private constructor(options: OkxOptions) {
    super(options)
    const onPrice = (instId: string) => this.streams.tellPrice(instId)
    this.engine = new Engine({ now: this.now, uniqueIds: options.uniqueIds ?? 'open', onPrice })
    this.streams = new Streams(this.engine, this.now)
    for (const account of options.accounts) this.open(account)
  }

  static async start(options: OkxOptions): Promise<Okx> {
    const venue = new Okx(options)
    await venue.listen()
    return venue
  }

  open(options: AccountOptions): Account {
    const account = new Account(options)
    account.tell = (channel, row) => this.streams.tellAccount(account, channel, row)
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
    const headers = { ...arrived.request.headers }
    for (const name of SECRET_HEADERS) delete headers[name]
    const [fields = {}] = readBody(arrived) ?? []
    const params = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asText(value)]))
    return { params, headers }
  }

  protected upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.streams.upgrade(request, socket, head)
  }

  protected answer(arrived: Arrived): Said {
    try {
      return { status: 200, body: JSON.stringify(envelopeOf(this.#run(arrived))) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: JSON.stringify({ code: error.code, msg: error.message, data: [] }) }
    }
  }

  #run(arrived: Arrived): readonly Row[] {
    const { route: name, request, search, body } = arrived
    const route = ROUTES.get(name)
    if (route === undefined) {
      this.unexpected.push(name)
      throw refuse.path()
    }
    const list = readBody(arrived)
    if (list === undefined) throw refuse.syntax()
    const [fields = {}] = list
    const asked = { fields, list, engine: this.engine, now: this.now() }
    if (route.security === 'none') return route.run(asked)
    const [method = '', path = ''] = name.split(' ')
    const account = accountBehind(request.headers, method + path + search + body, this.engine.accounts, this.now())
    if (route.security === 'trade' && !account.mayTrade) throw refuse.rights()
    return route.run({ ...asked, account })
  }
}

/** Rows that say no make it 1, or 2 where some say yes. */
function envelopeOf(data: readonly Row[]): unknown {
  const refused = data.filter(({ sCode = '0' }) => sCode !== '0').length
  if (refused === 0) return { code: '0', msg: '', data }
  const isAll = refused === data.length
  return { code: isAll ? '1' : '2', msg: isAll ? 'All operations failed' : 'Bulk operation partially succeeded.', data }
}

/** A query, an object or a list of them; undefined where it cannot be read. */
function readBody({ search, body }: Arrived): readonly Fields[] | undefined {
  if (body === '') return [Object.fromEntries(new URLSearchParams(search))]
  try {
    const read: unknown = JSON.parse(body)
    return Array.isArray(read) ? (read as Fields[]) : [read as Fields]
  } catch {
    return undefined
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
