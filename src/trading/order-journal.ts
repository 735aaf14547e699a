// `orders.jsonl`: who ordered what, what came of it, and what has filled (behaviour 36). An intent is on the disk before its order leaves.
// What a crash leaves open is found here and settled by asking the venue, never by sending again.
import type { OrderChange, OrderRef, Trade } from '../exchange/order.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import { withFileLock } from '../stores/file-lock.ts'
import { isAlive, ownIdentity } from '../stores/process-identity.ts'
import {
  type Intent,
  type JournalLine,
  linesOfOpen,
  type OpenIntent,
  type OrderEnd,
  type Outcome,
  openIntents,
} from './order-journal-lines.ts'
import type { OrderedBy } from './order-plan.ts'

export interface OrderJournal {
  /** Resolves when the intent is on the disk. @throws {StoreError} then nothing may be sent */
  intend(intent: Intent): Promise<void>
  outcome(id: string, outcome: Outcome): void
  fill(id: string, account: string, trade: Trade): void
  end(id: string, end: OrderEnd): void
  /** The protection of an entry needs no more care: it has done its work, or there is nothing left to protect. */
  released(entryId: string): void
  /** A protective order is about to be taken back by its protection, because another one stands for what it covers. */
  withdrawn(id: string): void
  /** A resting order was changed, or taken back. */
  changed(account: string, ref: OrderRef, change: OrderChange | 'canceled', by?: OrderedBy): void
  /** The account begins anew: its history is another one from here on. */
  reset(account: string): void
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
    fill: (id, account, trade) => note({ t: 'fill', id, at: now(), account, trade }),
    end: (id, end) => note({ t: 'end', id, at: now(), ...end }),
    released: (id) => note({ t: 'released', id, at: now() }),
    withdrawn: (id) => note({ t: 'withdrawn', id, at: now() }),
    changed: (account, ref, change, by) =>
      note({ t: 'changed', at: now(), account, ref, change, ...(by === undefined ? {} : { by }) }),
    reset: (account) => note({ t: 'reset', at: now(), account }),
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
