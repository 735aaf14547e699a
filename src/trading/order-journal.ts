// `orders.jsonl`: who ordered what, what came of it, and what has filled (behaviour 36). An intent is on the disk before its order leaves.
// What a crash leaves open is found here and settled by asking the venue, never by sending again.
import { Decimal } from 'decimal.js'
import type { OrderChange, OrderRef, OrderStatus, Trade } from '../exchange/order.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import { withFileLock } from '../stores/file-lock.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from '../stores/process-identity.ts'
import type { AnsweredChange, CountedOrder } from './order-count.ts'
import type { OrderedBy, OrderPlan } from './order-plan.ts'

/** An order about to be sent. */
export interface Intent {
  /** The `clientOrderId`. */
  readonly id: string
  /** ms since the epoch, as all times here. */
  readonly at: number
  readonly account: string
  readonly venue: string
  readonly by: OrderedBy
  readonly order: OrderPlan
  /** For a protective stop: the entry it protects. */
  readonly protects?: string
}

/** What is known of an order. `end` where it is over already. */
export type Outcome =
  | { readonly outcome: 'placed'; readonly orderId: string; readonly end?: OrderEnd }
  | { readonly outcome: 'refused'; readonly code: string; readonly message: string }
  | { readonly outcome: 'unknown'; readonly message: string }
  /** Worked out and not sent (behaviour 40). */
  | { readonly outcome: 'simulated' }

export interface OrderEnd {
  readonly status: Exclude<OrderStatus, 'open'>
  readonly filled: string
  readonly reason?: string
}

/** An order that is not over, as far as the journal knows. */
export interface OpenIntent extends Intent {
  readonly outcome?: Outcome
  readonly isEnded: boolean
  /** For an entry: how many protective stops were begun to be sent for it. */
  readonly stopsSent: number
  /** What the fills in the journal add up to. */
  readonly filledBefore: string
  /** The process that looks after it. */
  readonly owner: ProcessIdentity
}

export interface OrderJournal {
  /** Resolves when the intent is on the disk. @throws {StoreError} then nothing may be sent */
  intend(intent: Intent): Promise<void>
  outcome(id: string, outcome: Outcome): void
  /** Resolves when the count is in the file, where every process sees it. @throws {StoreError} then nothing may be sent */
  counted(order: CountedOrder): Promise<void>
  answered(change: AnsweredChange): void
  fill(id: string, account: string, trade: Trade): void
  end(id: string, end: OrderEnd): void
  /** The stop of an entry needs no more care: it has done its work, or there is nothing left to protect. */
  released(entryId: string): void
  /** A resting order was changed, or taken back. */
  changed(account: string, ref: OrderRef, change: OrderChange | 'canceled', by?: OrderedBy): void
  /** Accounts on which dead processes have left something open. @throws {StoreError} */
  accountsLeft(): Promise<readonly string[]>
  /** Takes over what dead processes have left open on an account; each order goes to one process only. @throws {StoreError} */
  takeOver(account: string): Promise<readonly OpenIntent[]>
  close(): Promise<void>
}

export interface OrderJournalOptions {
  readonly now?: () => number
  /** Called once when writing begins to fail, and with undefined when it works again. */
  readonly onProblem: (error: unknown) => void
}

/** One line of the file. */
export type JournalLine =
  | ({ readonly t: 'intent'; readonly owner: ProcessIdentity } & Intent)
  | ({ readonly t: 'outcome'; readonly id: string; readonly at: number } & Outcome)
  | ({ readonly t: 'counted'; readonly at: number } & CountedOrder)
  | ({ readonly t: 'answered'; readonly at: number } & AnsweredChange)
  | { readonly t: 'fill'; readonly id: string; readonly at: number; readonly account: string; readonly trade: Trade }
  | ({ readonly t: 'end'; readonly id: string; readonly at: number } & OrderEnd)
  | { readonly t: 'released'; readonly id: string; readonly at: number }
  | {
      readonly t: 'changed'
      readonly at: number
      readonly account: string
      readonly ref: OrderRef
      readonly change: unknown
    }
  | { readonly t: 'owner'; readonly id: string; readonly at: number; readonly owner: ProcessIdentity }

/** The file of the journal; what is open is carried over into a new one. */
export function openOrderFile(path: string, maxBytes?: number): DurableJournal {
  return openDurableJournal({ path, carryOver: linesOfOpen, ...(maxBytes === undefined ? {} : { maxBytes }) })
}

export function createOrderJournal(file: DurableJournal, options: OrderJournalOptions): OrderJournal {
  const { now = Date.now, onProblem } = options
  let known: { readonly version: string; readonly intents: readonly OpenIntent[] } | undefined
  /** What is open, read again only when the file has changed. */
  async function open(): Promise<readonly OpenIntent[]> {
    const version = await file.version()
    if (known?.version !== version) known = { version, intents: openIntents(await file.read()) }
    return known.intents
  }

  let isFailing = false
  const note = (line: JournalLine): void => {
    file.note([JSON.stringify(line)]).then(
      () => {
        if (isFailing) onProblem(undefined)
        isFailing = false
      },
      (error: unknown) => {
        if (!isFailing) onProblem(error)
        isFailing = true
      },
    )
  }
  return {
    intend: (intent) =>
      file.append([JSON.stringify({ t: 'intent', ...intent, owner: ownIdentity() } satisfies JournalLine)]),
    outcome: (id, outcome) => note({ t: 'outcome', id, at: now(), ...outcome }),
    counted: (order) => file.note([JSON.stringify({ t: 'counted', at: now(), ...order } satisfies JournalLine)]),
    answered: (change) => note({ t: 'answered', at: now(), ...change }),
    fill: (id, account, trade) => note({ t: 'fill', id, at: now(), account, trade }),
    end: (id, end) => note({ t: 'end', id, at: now(), ...end }),
    released: (id) => note({ t: 'released', id, at: now() }),
    changed: (account, ref, change, by) =>
      note({ t: 'changed', at: now(), account, ref, change, ...(by === undefined ? {} : { by }) }),
    async accountsLeft() {
      const left = (await open()).filter(({ owner }) => !isAlive(owner))
      return [...new Set(left.map(({ account }) => account))]
    },
    async takeOver(account) {
      const isLeft = (intent: OpenIntent) => intent.account === account && !isAlive(intent.owner)
      // Most starts find nothing, and take no lock to find it.
      return (await open()).some(isLeft) ? takeOver(file, isLeft, now) : []
    },
    close: () => file.close(),
  }
}

async function takeOver(
  file: DurableJournal,
  isLeft: (intent: OpenIntent) => boolean,
  now: () => number,
): Promise<readonly OpenIntent[]> {
  return withFileLock(file.path, async () => {
    const left = openIntents(await file.read()).filter(isLeft)
    const owner = ownIdentity()
    await file.append(left.map(({ id }) => JSON.stringify({ t: 'owner', id, at: now(), owner } satisfies JournalLine)))
    return left.map((intent) => ({ ...intent, owner }))
  })
}

interface Folded {
  intent: Intent
  lines: string[]
  owner: ProcessIdentity
  outcome?: Outcome
  isEnded: boolean
  isReleased: boolean
  /** Amounts by the ids of the trades. */
  readonly fills: Map<string, string>
}

/** Orders that are not over, oldest first: not ended, or ended with a stop that still needs care. */
export function openIntents(lines: readonly string[]): readonly OpenIntent[] {
  const orders = [...fold(lines).values()]
  const stopsSent = (id: string) => orders.filter(({ intent }) => intent.protects === id).length
  return orders.filter(isOpen).map(({ intent, owner, outcome, isEnded, fills }) => ({
    ...intent,
    owner,
    isEnded,
    filledBefore: Decimal.sum(0, ...fills.values()).toFixed(),
    stopsSent: intent.order.protection === undefined ? 0 : stopsSent(intent.id),
    ...(outcome === undefined ? {} : { outcome }),
  }))
}

/** The lines of open orders, and of every stop that was sent for one. */
function linesOfOpen(lines: readonly string[]): readonly string[] {
  const orders = [...fold(lines).values()]
  const open = new Set(orders.filter(isOpen).map(({ intent }) => intent.id))
  const isKept = ({ intent }: Folded) =>
    open.has(intent.id) || (intent.protects !== undefined && open.has(intent.protects))
  return orders.filter(isKept).flatMap((folded) => folded.lines)
}

function isOpen({ intent, outcome, isEnded, isReleased }: Folded): boolean {
  if (outcome?.outcome === 'refused' || outcome?.outcome === 'simulated') return false
  return !isEnded || (intent.order.protection !== undefined && !isReleased)
}

function fold(lines: readonly string[]): Map<string, Folded> {
  const orders = new Map<string, Folded>()
  for (const text of lines) {
    const line = decodeJournalLine(text)
    if (line === undefined) continue
    if (line.t === 'intent') {
      const { t: _t, owner, ...intent } = line
      // A line may be there twice where a file was set aside while it was written.
      if (!orders.has(line.id))
        orders.set(line.id, {
          intent,
          owner,
          lines: [text],
          isEnded: false,
          isReleased: false,
          fills: new Map(),
        })
      continue
    }
    const known = line.t === 'changed' ? undefined : orders.get(line.id)
    if (known === undefined) continue
    known.lines.push(text)
    apply(known, line)
  }
  return orders
}

function apply(order: Folded, line: JournalLine): void {
  switch (line.t) {
    case 'outcome':
      order.outcome = line
      if (line.outcome === 'placed' && line.end !== undefined) order.isEnded = true
      return
    case 'end':
      order.isEnded = true
      return
    case 'released':
      order.isReleased = true
      return
    case 'owner':
      order.owner = line.owner
      return
    case 'fill':
      // A process that takes an order over writes down all its fills again.
      if (!order.fills.has(line.trade?.id)) order.fills.set(line.trade?.id, amountOf(line.trade))
      return
    case 'intent':
    case 'changed':
    case 'counted':
    case 'answered':
      return
  }
}

/** Zero for anything but an amount, as a person may have written it. */
function amountOf(trade: unknown): string {
  const amount = typeof trade === 'object' && trade !== null && 'amount' in trade ? trade.amount : undefined
  return typeof amount === 'string' && /^\d+(\.\d+)?$/.test(amount) ? amount : '0'
}

const KINDS: ReadonlySet<unknown> = new Set([
  ...['intent', 'outcome', 'counted', 'answered', 'fill', 'end', 'released', 'owner', 'changed'],
])

/** A line torn by a crash, or written by a person, is skipped: nothing was sent after a line that was not whole. */
export function decodeJournalLine(text: string): JournalLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null) return undefined
    const { t, id, owner, order } = line as Record<string, unknown>
    if (!KINDS.has(t) || (t !== 'changed' && typeof id !== 'string')) return undefined
    const isWhole = t !== 'intent' || (isIdentity(owner) && typeof order === 'object' && order !== null)
    return isWhole && (t !== 'owner' || isIdentity(owner)) ? (line as JournalLine) : undefined
  } catch {
    return undefined
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return typeof value === 'object' && value !== null && 'pid' in value && Number.isInteger(value.pid)
}
