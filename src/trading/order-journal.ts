// `orders.jsonl`: who ordered what, what came of it, and what has filled (behaviour 36). An intent is on the disk before its order leaves.
// What a crash leaves open is found here and settled by asking the venue, never by sending again.
import { defined } from '../base/defined.ts'
import type { OrderChange, OrderRef, Trade } from '../exchange/order.ts'
import { type DurableJournal, type LineTail, openDurableJournal } from '../stores/durable-journal.ts'
import { withFileLock } from '../stores/file-lock.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from '../stores/kernel-files.ts'
import type { AnsweredChange, CountedOrder } from './order-event.ts'
import {
  canceledAt,
  decodeJournalLine,
  type IntendedChange,
  type Intent,
  type JournalLine,
  type JournalledOrder,
  linesOfOpen,
  type MadeHere,
  madeIn,
  type OpenChange,
  type OpenIntent,
  type OrderEnd,
  type Outcome,
  openChanges,
  openIntents,
  orderIn,
} from './order-journal-lines.ts'
import type { OrderedBy, ProtectionPlan } from './order-plan.ts'

export interface OrderJournal {
  /** Resolves when the intent is on the disk. @throws {StoreError} then nothing may be sent */
  intend(intent: Intent): Promise<void>
  outcome(id: string, outcome: Outcome): void
  /** Resolves when the count is in the file, where every process sees it. @throws {StoreError} then nothing may be sent */
  counted(order: CountedOrder): Promise<void>
  answered(change: AnsweredChange): void
  fill(id: string, account: string, trade: Trade): void
  end(id: string, end: OrderEnd): void
  /** Resolves when the new prices of an entry's protection are on the disk. @throws {StoreError} they are as they were */
  reprotect(entryId: string, protection: ProtectionPlan): Promise<void>
  /** The protection of an entry needs no more care: it has done its work, or there is nothing left to protect. */
  released(entryId: string): void
  /** A protective order is about to be taken back by its protection, because another one stands for what it covers. */
  withdrawn(id: string): void
  /** A resting order was changed, or taken back. */
  changed(account: string, ref: OrderRef, change: OrderChange | 'canceled', by?: OrderedBy): void
  /** Resolves when a change of a resting order is on the disk, before it is sent. @throws {StoreError} then nothing may be sent */
  intendChange(change: IntendedChange): Promise<void>
  changeMade(change: IntendedChange): void
  /** It was not made, and can no longer be. */
  unchanged(id: string, why: string): void
  /** The account begins anew: its history is another one from here on. */
  reset(account: string): void
  /** This process no longer looks after what it has open on the account: it is as if it had died. */
  leave(account: string): void
  /** Accounts on which somebody has left something open. @throws {StoreError} */
  accountsLeft(): Promise<readonly string[]>
  /** An order that is not over, as it was sent. @throws {StoreError} */
  openOrder(id: string): Promise<OpenIntent | undefined>
  /** All that is there of an order. @throws {StoreError} */
  recordOf(id: string): Promise<JournalledOrder | undefined>
  /** Orders of other processes of which nothing definite is known. @throws {StoreError} */
  unsettledElsewhere(account: string): Promise<readonly Doubtful[]>
  /** Who has made resting orders what they are: of each order, whether a hookline on this directory has. @throws {StoreError} */
  madeHere(account: string): Promise<MadeHere>
  /** When a hookline has canceled this order of the venue; undefined: none has. @throws {StoreError} */
  canceledAt(account: string, orderId: string): Promise<number | undefined>
  /** Takes over one order that is not over, also from a process that lives: the caller knows that nobody looks after it. @throws {StoreError} */
  claim(id: string): Promise<OpenIntent | undefined>
  /** Takes over what was left open on an account; each order goes to one process only. @throws {StoreError} */
  takeOver(account: string): Promise<LeftOpen>
  /** As `DurableJournal.onWritten`. */
  onWritten?: DurableJournal['onWritten']
  close(): Promise<void>
}

/** `isLeft`: no process looks after it any more. */
type Doubtful = OpenIntent & { readonly isLeft: boolean }

/** What dead processes have left open. */
interface LeftOpen {
  readonly orders: readonly OpenIntent[]
  readonly changes: readonly OpenChange[]
}

interface OrderJournalOptions {
  readonly now?: () => number
  /** Of the same file, to see what other processes write. Absent: there are none. */
  readonly tail?: LineTail
  /** Called once when writing begins to fail, and with undefined when it works again. */
  readonly onProblem: (error: unknown) => void
}

/** The file of the journal; what is open is carried over into a new one. */
export function openOrderFile(path: string, maxBytes?: number): DurableJournal {
  return openDurableJournal({ path, carryOver: linesOfOpen, ...defined({ maxBytes }) })
}

export function createOrderJournal(file: DurableJournal, options: OrderJournalOptions): OrderJournal {
  const { now = Date.now, tail, onProblem } = options
  let known: { readonly version: string; readonly left: LeftOpen } | undefined
  /** What is open, read again only when the file has changed. */
  async function open(): Promise<LeftOpen> {
    const version = await file.version()
    if (known?.version !== version) known = { version, left: openIn(await file.read()) }
    return known.left
  }

  const ownership = createOwnership()
  const { isLeft, isOurs } = ownership
  const doubts = createDoubts(tail, now)
  if (tail !== undefined) {
    file.onWritten?.((written) => {
      tail.noteOwn?.(written)
      doubts.takeSoon()
    })
  }
  const note = createNotes(file, onProblem)
  return {
    intend: (intent) =>
      // What is counted is counted in the same write.
      file.append(
        [JSON.stringify({ t: 'intent', ...intent, owner: ownIdentity() } satisfies JournalLine)],
        intent.protects === undefined && intent.order.reduceOnly !== true,
      ),
    outcome: (id, outcome) => note({ t: 'outcome', id, at: now(), ...outcome }),
    counted: (order) => file.note([JSON.stringify({ t: 'counted', at: now(), ...order } satisfies JournalLine)]),
    answered: (change) => note({ t: 'answered', at: now(), ...change }),
    fill: (id, account, trade) => note({ t: 'fill', id, at: now(), account, trade }),
    end: (id, end) => note({ t: 'end', id, at: now(), ...end }),
    reprotect: (id, protection) =>
      file.append([JSON.stringify({ t: 'protection', id, at: now(), protection } satisfies JournalLine)]),
    released: (id) => note({ t: 'released', id, at: now() }),
    withdrawn: (id) => note({ t: 'withdrawn', id, at: now() }),
    changed: (account, ref, change, by) => note({ t: 'changed', at: now(), account, ref, change, ...defined({ by }) }),
    intendChange: (change) =>
      file.append([JSON.stringify({ t: 'changing', ...change, owner: ownIdentity() } satisfies JournalLine)]),
    changeMade: ({ id, account, ref, change, by }) => note({ t: 'changed', id, at: now(), account, ref, change, by }),
    unchanged: (id, why) => note({ t: 'unchanged', id, at: now(), why }),
    reset: (account) => note({ t: 'reset', at: now(), account }),
    leave: ownership.leave,
    async accountsLeft() {
      const { orders, changes } = await open()
      const left = [...orders, ...changes].filter(isLeft)
      return [...new Set(left.map(({ account }) => account))]
    },
    openOrder: async (id) => (await open()).orders.find((intent) => intent.id === id),
    recordOf: async (id) => orderIn(await file.read(), id),
    async unsettledElsewhere(account) {
      const ids = await doubts.readOn()
      if (ids.size === 0) return []
      const found = (await open()).orders.filter(
        (each) => ids.has(each.id) && each.account === account && !isOurs(each),
      )
      return found.map((each) => ({ ...each, isLeft: isLeft(each) }))
    },
    madeHere: async (account) => madeIn(await file.read(), account),
    canceledAt: async (account, orderId) => canceledAt(await file.read(), account, orderId),
    async claim(id) {
      const found = (await open()).orders.find((intent) => intent.id === id)
      if (found === undefined) return undefined
      const owner = ownIdentity()
      await file.append([JSON.stringify({ t: 'owner', id, at: now(), owner } satisfies JournalLine)])
      return { ...found, owner }
    },
    async takeOver(account) {
      const isWanted = (each: Owned) => each.account === account && isLeft(each)
      const { orders, changes } = await open()
      // Most starts find nothing, and take no lock to find it.
      const taken = [...orders, ...changes].some(isWanted)
        ? await takeOver(file, isWanted, now)
        : { orders: [], changes: [] }
      ownership.take(account)
      return taken
    },
    onWritten: (listener) => file.onWritten?.(listener),
    close: () => file.close(),
  }
}

async function takeOver(file: DurableJournal, isLeft: (each: Owned) => boolean, now: () => number): Promise<LeftOpen> {
  return withFileLock(file.path, async () => {
    const found = openIn(await file.read())
    const [orders, changes] = [found.orders.filter(isLeft), found.changes.filter(isLeft)]
    const owner = ownIdentity()
    const lines = [...orders, ...changes].map(({ id }): JournalLine => ({ t: 'owner', id, at: now(), owner }))
    await file.append(lines.map((line) => JSON.stringify(line)))
    return {
      orders: orders.map((intent) => ({ ...intent, owner })),
      changes: changes.map((change) => ({ ...change, owner })),
    }
  })
}

/** Writes lines that nobody waits for. */
function createNotes(file: DurableJournal, onProblem: OrderJournalOptions['onProblem']): (line: JournalLine) => void {
  let isFailing = false
  return (line) => {
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
}

/** Which open orders nobody looks after: those of dead processes, and those of accounts that this one has left. */
function createOwnership() {
  const own = ownIdentity()
  const left = new Set<string>()
  return {
    isLeft: ({ account, owner }: Owned): boolean =>
      owner.pid === own.pid && owner.born === own.born ? left.has(account) : !isAlive(owner),
    /** Looked after by this process. */
    isOurs: ({ account, owner }: Owned): boolean =>
      owner.pid === own.pid && owner.born === own.born && !left.has(account),
    leave: (account: string) => void left.add(account),
    take: (account: string) => void left.delete(account),
  }
}

/**
 * An order is on its way for less than this: the venue has 10 s to answer (`TRANSPORT_LIMITS.answerMs`), and then its process says that it does not
 * know. An intent of a living process that is older has no outcome because that process is stopped, or cannot write.
 */
export const IN_FLIGHT_MS = 15_000

/** An order's bytes have left within less, as a rule. */
const TAKE_AFTER_MS = 5

/**
 * Ids of orders that got no definite answer, by whichever process: few, and found without reading the whole file again. Of another process that
 * lives, an order that has just left is not in doubt: two of one process may be on their way together as well.
 */
function createDoubts(tail: LineTail | undefined, now: () => number) {
  const unknown = new Set<string>()
  /** Of other processes, without an outcome so far. */
  const sent = new Map<string, { readonly at: number; readonly owner: ProcessIdentity }>()
  const ownIntent = `"owner":${JSON.stringify(ownIdentity())}`
  function take(lines: readonly string[]): void {
    for (const text of lines) {
      const isIntent = text.startsWith('{"t":"intent"') && !text.includes(ownIntent)
      if (!isIntent && !text.includes('"t":"outcome"')) continue
      const line = decodeJournalLine(text)
      if (line?.t === 'intent') sent.set(line.id, line)
      if (line?.t !== 'outcome') continue
      sent.delete(line.id)
      if (line.outcome === 'unknown') unknown.add(line.id)
      else unknown.delete(line.id)
    }
  }
  function ids(): ReadonlySet<string> {
    if (sent.size === 0) return unknown
    const isDoubt = ({ at, owner }: { readonly at: number; readonly owner: ProcessIdentity }) =>
      Math.abs(now() - at) > IN_FLIGHT_MS || !isAlive(owner)
    return new Set([...unknown, ...[...sent].filter(([, each]) => isDoubt(each)).map(([id]) => id)])
  }
  let reading: Promise<void> | undefined
  /** Of those that asked while another look was under way: it may have missed what they must see. */
  let next: Promise<void> | undefined
  let isTaking = false
  async function look(of: LineTail): Promise<void> {
    const { isAnew, lines } = await of.readOn(now())
    if (isAnew) {
      unknown.clear()
      sent.clear()
    }
    take(lines)
  }
  /** One look at a time; all that wait share the next. */
  function lookOnce(of: LineTail): Promise<void> {
    if (reading !== undefined) {
      next ??= reading
        .catch(() => {})
        .then(() => {
          next = undefined
          return lookOnce(of)
        })
      return next
    }
    reading = look(of).finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    /** Behind the orders that are on their way: the next one finds little to read. */
    takeSoon(): void {
      if (isTaking) return
      isTaking = true
      setTimeout(() => {
        isTaking = false
        if (reading === undefined) take(tail?.takeOwn?.() ?? [])
      }, TAKE_AFTER_MS).unref()
    },
    async readOn(): Promise<ReadonlySet<string>> {
      if (tail === undefined) return unknown
      if (reading === undefined) take(tail.takeOwn?.() ?? [])
      // What a look under way has read is not taken yet.
      if (reading !== undefined || tail.isAtEnd?.() !== true) await lookOnce(tail)
      return ids()
    },
  }
}

type Owned = Pick<OpenIntent, 'account' | 'owner'>

function openIn(lines: readonly string[]): LeftOpen {
  return { orders: openIntents(lines), changes: openChanges(lines) }
}
