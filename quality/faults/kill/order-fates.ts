// What the order journal says beside what the venue's own books say, of every order there ever was.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from 'decimal.js'
import { readPaperAccount } from '../../../harness/files/paper-account.ts'
import type { Order } from '../../../src/exchange/order.ts'
import { type Intent, openIntents } from '../../../src/trading/order-journal-lines.ts'
import { protectiveOrderId } from '../../../src/trading/order-plan.ts'

export type Breach = 'twice' | 'forgotten' | 'stop'

export class OrderFates {
  readonly orders: number
  /** Of those, not counting stops: what was typed. */
  readonly typed: number
  /** Orders of which at first nothing was known. */
  readonly unknown: number
  /** Those of them that turned out to be at the venue. */
  readonly found: number
  /** Stops that rest. */
  readonly stops: number
  readonly #breaches: { readonly kind: Breach; readonly text: string }[] = []

  constructor(directory: string, { orders: books }: { readonly orders: ReadonlyMap<string, Order> }) {
    const lines = journalLines(directory)
    const intents = lines.flatMap((line) => (line.t === 'intent' ? [line as unknown as Intent] : []))
    this.orders = intents.length
    this.typed = intents.filter(({ by, protects }) => by.source === 'repl' && protects === undefined).length
    const outcomes = lines.filter(({ t }) => t === 'outcome')
    const unknown = new Set(outcomes.filter(({ outcome }) => outcome === 'unknown').map(({ id }) => id))
    this.unknown = unknown.size
    this.found = new Set(
      outcomes.filter(({ id, outcome }) => outcome === 'placed' && unknown.has(id)).map(({ id }) => id),
    ).size
    this.stops = [...books.values()].filter(({ type, status }) => type === 'stop' && status === 'open').length
    this.#countOnce(intents, lines)
    this.#forgetNothing(intents, lines, books)
    this.#forgetNoFill(intents, lines, books)
    this.#protectAll(intents, lines, books)
  }

  get wrong(): readonly string[] {
    return this.#breaches.map(({ kind, text }) => `${kind}: ${text}`)
  }

  count(kind: Breach): number {
    return this.#breaches.filter((breach) => breach.kind === kind).length
  }

  #add(kind: Breach, text: string): void {
    this.#breaches.push({ kind, text })
  }

  /** An intent is written before each sending: two of one id, or a venue that knew the id already, are a second sending. */
  #countOnce(intents: readonly Intent[], lines: readonly Line[]): void {
    const seen = new Set<string>()
    for (const { id } of intents) {
      if (seen.has(id)) this.#add('twice', id)
      seen.add(id)
    }
    for (const { id, code } of lines) if (code === 'duplicate-id') this.#add('twice', `${id} was known to the venue`)
  }

  #forgetNothing(intents: readonly Intent[], lines: readonly Line[], books: ReadonlyMap<string, Order>): void {
    const known = new Set(intents.map(({ id }) => id))
    for (const [id, order] of books) if (!known.has(id)) this.#add('forgotten', `${order.id} (${id}) has no intent`)
    for (const { id, outcome, isEnded } of openIntents(lines.map(({ text }) => text))) {
      if (outcome?.outcome !== 'placed') this.#add('forgotten', `${id} is ${outcome?.outcome ?? 'without an outcome'}`)
      const status = books.get(id)?.status
      if (!isEnded && status !== undefined && status !== 'open')
        this.#add('forgotten', `${id} is ${status} at the venue`)
    }
    const outcomes = new Map(lines.flatMap((line) => (line.t === 'outcome' ? [[line.id, line.outcome] as const] : [])))
    for (const [id, outcome] of outcomes) {
      const order = outcome === 'refused' ? books.get(id) : undefined
      // Some venues take a post-only order and end it at once: that is a refusal.
      if (order !== undefined && (order.status === 'open' || order.filled !== '0'))
        this.#add('forgotten', `${id} counts as refused and is ${order.status} at the venue, ${order.filled} filled`)
    }
  }

  /** What the venue has filled is in a line of its own, trade by trade. */
  #forgetNoFill(intents: readonly Intent[], lines: readonly Line[], books: ReadonlyMap<string, Order>): void {
    const fills = new Map<string, Map<string, string>>()
    for (const { t, id, trade } of lines) {
      if (t !== 'fill' || trade === undefined) continue
      fills.set(id, (fills.get(id) ?? new Map<string, string>()).set(trade.id, trade.amount))
    }
    for (const { id } of intents) {
      const written = Decimal.sum(0, ...(fills.get(id)?.values() ?? []))
      const filled = books.get(id)?.filled ?? '0'
      if (!written.eq(filled))
        this.#add('forgotten', `${id} filled ${filled}, and ${written.toFixed()} of it is written down`)
    }
  }

  #protectAll(intents: readonly Intent[], lines: readonly Line[], books: ReadonlyMap<string, Order>): void {
    const released = new Set(lines.flatMap(({ t, id }) => (t === 'released' ? [id] : [])))
    for (const { id, order } of intents) {
      const entry = books.get(id)
      if (order.protection === undefined || entry === undefined) continue
      const stops = Array.from({ length: 20 }, (_, attempt) =>
        books.get(protectiveOrderId(id, 'stop', attempt)),
      ).filter((stop) => stop !== undefined)
      const resting = stops.filter(({ status }) => status === 'open')
      // What was taken back covers nothing more to be covered, unless another took its place: who was killed over a cancel may not know whose it was.
      const dealtWith = stops.reduce((sum, stop) => {
        const { type, filled, amount, status } = stop
        const isTakenBack = type !== 'market' && filled === '0' && stop === stops.at(-1)
        return status === 'open' ? sum : sum.plus(isTakenBack ? amount : filled)
      }, new Decimal(0))
      const needed = new Decimal(entry.filled).minus(dealtWith)
      const found = resting.map(({ amount }) => amount).join(', ') || 'none'
      if (resting.length > 1) this.#add('stop', `${id} has ${resting.length} stops: ${found}`)
      const isCovered = resting[0] === undefined ? needed.lte(0) : needed.eq(resting[0].amount)
      if (!isCovered && !released.has(id)) this.#add('stop', `${id} needs ${needed.toFixed()}, has ${found}`)
    }
  }
}

interface Line {
  readonly text: string
  readonly t?: string
  readonly id: string
  readonly outcome?: string
  readonly code?: string
  readonly trade?: { readonly id: string; readonly amount: string }
}

function journalLines(directory: string): readonly Line[] {
  return linesOf(directory, 'orders').flatMap((text) => {
    try {
      return [{ ...(JSON.parse(text) as Line), text }]
    } catch {
      return []
    }
  })
}

/** Of all files of a journal, each line once: what must be found is carried over into each new file. */
export function linesOf(directory: string, journal: string): readonly string[] {
  const last = `${journal}.jsonl`
  const files = readdirSync(directory).filter((name) => name.startsWith(journal) && name.endsWith('.jsonl'))
  const texts = [...files.filter((name) => name !== last).sort(), last]
    .filter((name) => existsSync(join(directory, name)))
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
  return [...new Set(texts)].filter(Boolean)
}

/** What the venue has had so far: its own history forgets the oldest. */
export class VenueBooks {
  readonly orders = new Map<string, Order>()

  /** Reads the venue's file of an account as it is now. */
  collect(directory: string, account: string): void {
    const state = readPaperAccount(directory, account)
    if (state === undefined) return
    for (const { order } of [...state.endedOrders, ...state.openOrders]) {
      this.orders.set(order.clientOrderId ?? `none ${order.id}`, order)
    }
  }
}
