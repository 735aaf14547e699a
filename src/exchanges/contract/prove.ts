// The port's promises as facts, for every venue: an adapter is one of which all of them are true (src/exchange/exchange.ts). Tests run them on
// stand-ins and models, `account prove` on the demo account of a user.
import { Decimal } from 'decimal.js'
import type { Exchange, OrderOutcome } from '../../exchange/exchange.ts'
import { isGuardCode } from '../../exchange/exchange-error.ts'
import type { OrderRequest, Trade } from '../../exchange/order.ts'
import { amountOnLot } from '../../exchange/price-grid.ts'
import { type AboutFacts, type ContractFact, Desk, type Lacks, newOrderId, SkippedFact } from './desk.ts'
import { eventFacts, fillFacts } from './event-facts.ts'
import { capabilityFacts, marketFacts } from './market-facts.ts'
import { outcomeFacts, restingFacts } from './order-facts.ts'
import { attachedFacts, pairFacts } from './protection-facts.ts'

export function contractFacts(): readonly ContractFact[] {
  const facts: ContractFact[] = []
  const about: AboutFacts = (thing) => {
    return (what, ...rest) => {
      const [needs, run] = rest.length === 1 ? [[], rest[0]] : rest
      facts.push({ about: thing, what, needs, run })
    }
  }
  marketFacts(about)
  outcomeFacts(about)
  fillFacts(about)
  restingFacts(about)
  eventFacts(about)
  capabilityFacts(about)
  pairFacts(about)
  attachedFacts(about)
  return facts
}

/** @returns why the fact cannot be looked at on a venue without these controls */
export function reasonToSkip({ needs }: ContractFact, lacks: Lacks): string | undefined {
  const missing = needs.find((control) => lacks[control] !== undefined)
  return missing === undefined ? undefined : `needs ${missing}: ${lacks[missing]}`
}

// The contract on a user's own account with play money: fact after fact on one account, which is brought back to nothing held and nothing
// resting after each. The market cannot be moved there and no answer be lost on purpose: facts that need it are skipped with the reason.

export interface FactResult {
  readonly about: string
  readonly what: string
  readonly verdict: 'holds' | 'fails' | 'skipped'
  /** Absent where it holds. */
  readonly why?: string
  readonly tookMs: number
}

export interface ProofOptions {
  /** A connection of its own to the account, each time. */
  readonly open: () => Promise<Exchange>
  /** What is traded: liquid, and with nothing held or resting on the account. */
  readonly symbol: string
  /** Only the facts with these words in their sentence. Default: all. */
  readonly only?: string
  /** Ends the proof after the fact under way, which is cleaned up like any other. */
  readonly signal: AbortSignal
  readonly onFact: (result: FactResult, number: number, of: number) => void
  readonly delay: (ms: number) => Promise<void>
}

export interface ProofResult {
  readonly facts: readonly FactResult[]
  /** Whether all facts were looked at. */
  readonly isWhole: boolean
  /** What could not be taken back, for people; absent: nothing is held and nothing rests. */
  readonly left?: string
}

const LACKS: Lacks = {
  movePrice: 'the market moves by itself',
  loseNext: 'no answer of the venue can be made to get lost',
  refuseNext: 'the venue cannot be made to refuse',
  thinBook: 'the book is as deep as it is',
  openGap: 'the streams are as they are',
}

/** How often what is held is asked for until it is gone. */
const CLEAN_TRIES = 10
const CLEAN_PAUSE_MS = 500

/** @throws what the first connection throws; after that nothing but bugs */
export async function proveContract(options: ProofOptions): Promise<ProofResult> {
  const { only = '' } = options
  const facts = contractFacts().filter(({ about, what }) => `${about} ${what}`.includes(only))
  const results: FactResult[] = []
  const account = new ProvenAccount(options)
  await account.connect()
  let left: string | undefined
  try {
    for (const [index, fact] of facts.entries()) {
      if (options.signal.aborted || left !== undefined) break
      const [result, rest] = await proveFact(fact, account)
      left = rest
      results.push(result)
      options.onFact(result, index + 1, facts.length)
    }
  } finally {
    await account.close()
  }
  const isWhole = results.length === facts.length
  return left === undefined ? { facts: results, isWhole } : { facts: results, isWhole, left }
}

async function proveFact(
  fact: ContractFact,
  account: ProvenAccount,
): Promise<readonly [result: FactResult, left: string | undefined]> {
  const { about, what } = fact
  const lacking = reasonToSkip(fact, LACKS)
  if (lacking !== undefined) return [{ about, what, verdict: 'skipped', why: lacking, tookMs: 0 }, undefined]
  const startedAt = performance.now()
  account.guarded = undefined
  let failure: unknown
  let desk: Desk | undefined
  try {
    desk = await Desk.open(account)
    await fact.run(desk)
  } catch (error) {
    failure = error ?? new Error('no reason')
  }
  const tookMs = Math.round(performance.now() - startedAt)
  const left = await account.clean(desk).catch((error: unknown) => textOf(error))
  await desk?.close()
  if (failure === undefined) return [{ about, what, verdict: 'holds', tookMs }, left]
  const isSkipped = failure instanceof SkippedFact || account.guarded !== undefined
  const why = account.guarded ?? textOf(failure)
  return [{ about, what, verdict: isSkipped ? 'skipped' : 'fails', why, tookMs }, left]
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n').find((line) => line.trim() !== '') ?? 'no reason').slice(0, 300)
}

/** One account as the facts work it: what they call a restart is a new connection. */
class ProvenAccount {
  readonly control
  readonly #options: ProofOptions
  #exchange: Exchange | undefined
  readonly #others = new Set<Exchange>()
  /** Why the account's own limits kept an order back, in the fact under way. */
  guarded: string | undefined

  constructor(options: ProofOptions) {
    this.#options = options
    this.control = { advance: (ms: number) => options.delay(ms) }
  }

  get symbol(): string {
    return this.#options.symbol
  }

  get exchange(): Exchange {
    if (this.#exchange === undefined) throw new Error('the account is not connected')
    return this.#exchange
  }

  async connect(): Promise<void> {
    this.#exchange = this.#noting(await this.#options.open())
  }

  async restart(): Promise<Exchange> {
    await this.exchange.close()
    await this.connect()
    return this.exchange
  }

  openAnother = async (): Promise<Exchange> => {
    const other = this.#noting(await this.#options.open())
    this.#others.add(other)
    return other
  }

  /** After each fact: the connection stays. */
  async stop(): Promise<void> {
    for (const other of this.#others) await other.close()
    this.#others.clear()
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#exchange?.close()
  }

  /** @returns what is left, for people */
  async clean(desk: Desk | undefined): Promise<string | undefined> {
    const { exchange, symbol } = this
    for (let tries = 0; tries < CLEAN_TRIES; tries += 1) {
      if (tries > 0) await this.#options.delay(CLEAN_PAUSE_MS)
      await exchange.cancelAllOrders(symbol)
      const rest = desk === undefined ? undefined : await this.#exit(desk)
      if (rest === undefined) {
        if ((await exchange.fetchOpenOrders(symbol)).length === 0) return undefined
      } else if (tries < CLEAN_TRIES - 1) await exchange.createOrder({ clientOrderId: newOrderId(), ...rest })
      else return `${rest.side === 'sell' ? 'long' : 'short'} ${rest.amount} ${symbol}`
    }
    return `orders on ${symbol}`
  }

  /** The order that leaves nothing held of what the fact has bought or sold. */
  async #exit(desk: Desk): Promise<Omit<OrderRequest, 'clientOrderId'> | undefined> {
    const { exchange, symbol } = this
    if (exchange.kind !== 'spot') {
      const position = (await exchange.fetchPositions()).find((each) => each.symbol === symbol)
      if (position === undefined) return undefined
      const side = position.side === 'long' ? 'sell' : 'buy'
      return { symbol, side, type: 'market', amount: position.amount, reduceOnly: true }
    }
    const held = (await desk.fills()).reduce((sum, fill) => sum.plus(coinsOf(fill, desk.market.base)), new Decimal(0))
    const amount = amountOnLot(held.abs(), desk.market)
    if (amount.lt(desk.market.minAmount)) return undefined
    return { symbol, side: held.gt(0) ? 'sell' : 'buy', type: 'market', amount: amount.toFixed() }
  }

  #noting(exchange: Exchange): Exchange {
    const note = (outcome: OrderOutcome): OrderOutcome => {
      if (outcome.kind === 'refused' && isGuardCode(outcome.error.code)) this.guarded = outcome.error.message
      return outcome
    }
    return new Proxy(exchange, {
      get: (target, name) => {
        if (name === 'createOrder') {
          return async (request: OrderRequest) => note(await target.createOrder(request))
        }
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}

function coinsOf({ side, amount, fee, feeCurrency }: Trade, base: string): Decimal {
  const traded = new Decimal(amount).times(side === 'buy' ? 1 : -1)
  return feeCurrency === base ? traded.minus(fee ?? 0) : traded
}
