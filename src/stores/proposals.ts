// `proposals.jsonl` (behaviour 146): lines that a client proposes and a person decides about. What a proposal is follows from the bytes alone: of two
// lines that would take it on from one state, the first counts, whichever process wrote it. A line is on the disk before its writer goes on.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { preview } from '../protocol/preview.ts'
import { isOpen, type ProposalState, time } from '../protocol/rows.ts'
import { watchFile } from './directory-watch.ts'
import { openDurableJournal } from './durable-journal.ts'
import type { ProcessIdentity } from './kernel-files.ts'

const text = z.string()
const proposed = z.object({
  t: z.literal('proposed'),
  id: text,
  at: time,
  until: time,
  clientId: text,
  origin: text,
  label: text,
  account: text,
  symbol: text,
  line: text,
  reason: text,
  preview,
})
const changed = z.object({ t: z.literal('changed'), id: text, at: time, preview })
/** `shown`: the digest of what the person saw; `claim`: of the one approval that may begin it. */
const approved = z.object({
  t: z.literal('approved'),
  id: text,
  at: time,
  shown: text,
  claim: text,
  pid: z.int(),
  born: z.exactOptional(text),
})
const begun = z.object({ t: z.literal('begun'), id: text, at: time, claim: text, runId: text })
const over = z.object({ t: z.enum(['denied', 'expired', 'withdrawn']), id: text, at: time, why: z.exactOptional(text) })
const ended = z.object({
  t: z.literal('ended'),
  id: text,
  at: time,
  success: z.boolean(),
  outcome: z.exactOptional(text),
  error: z.exactOptional(text),
})
/** Until then every proposal is refused: `deny --all for 1h`. */
const muted = z.object({ t: z.literal('muted'), at: time, until: time })
const line = z.discriminatedUnion('t', [proposed, changed, approved, begun, over, ended, muted])

export type ProposalLine = z.output<typeof line>

/** Times are ms since the epoch. */
export interface Proposal extends Omit<z.output<typeof proposed>, 't'> {
  readonly state: ProposalState
  /** Of the approval that counts. */
  readonly claim?: string
  readonly approver?: ProcessIdentity
  readonly runId?: string
  /** How its run ended. */
  readonly run?: { readonly success: boolean; readonly outcome?: string; readonly error?: string }
  readonly why?: string
  /** Of what a person is shown, while it is open. */
  readonly digest?: string
}

export interface ProposalBook {
  /** Oldest first. */
  readonly proposals: readonly Proposal[]
  readonly muted?: { readonly at: number; readonly until: number }
}

export interface ProposalStore {
  /** As the file is now; the same reference while it stays. @throws {StoreError} `store-corrupt` */
  read(): Promise<ProposalBook>
  /** Resolves once it is on the disk. Whether it counts, `read()` says. @throws {StoreError} `store-write-failed` */
  append(line: ProposalLine): Promise<void>
  /** Soon after a change, of whatever process. @returns stops the calls */
  watch(changed: () => void): () => void
  close(): Promise<void>
}

/** So many proposals stay readable when the file is set aside. */
const KEPT = 100
const MAX_BYTES = 4_000_000
const NAME = 'proposals.jsonl'

export function openProposalStore(directory: string): ProposalStore {
  const file = openDurableJournal({ path: join(directory, NAME), maxBytes: MAX_BYTES, carryOver })
  let known: { readonly version: string; readonly book: ProposalBook } | undefined
  return {
    async read() {
      const version = await file.version()
      if (known?.version !== version) known = { version, book: fold((await file.read()).flatMap(decode)) }
      return known.book
    },
    append: (next) => file.append([JSON.stringify(next)]),
    watch(changed) {
      let seen: string | undefined
      const look = async () => {
        const version = await file.version()
        if (version === seen) return
        seen = version
        changed()
      }
      // A file that cannot be looked at is told of by who reads it.
      return watchFile(directory, NAME, () => void look().catch(() => {}))
    },
    close: () => file.close(),
  }
}

/** Empty for a line torn by a crash, of a later version, or written by a person. */
function decode(source: string): ProposalLine[] {
  try {
    return [z.parse(line, JSON.parse(source))]
  } catch {
    return []
  }
}

/** @param texts of a file that is set aside */
function carryOver(texts: readonly string[]): readonly string[] {
  const lines = texts.map((each) => ({ each, read: decode(each)[0] }))
  const ids = lines.flatMap(({ read }) => (read?.t === 'proposed' ? [read.id] : []))
  const kept = new Set(ids.slice(-KEPT))
  return lines.flatMap(({ each, read }) =>
    read !== undefined && (read.t === 'muted' || kept.has(read.id)) ? [each] : [],
  )
}

/** Exported for the test that tries every order of lines. */
export function fold(lines: readonly ProposalLine[]): ProposalBook {
  const proposals = new Map<string, Proposal>()
  let latest: ProposalBook['muted']
  for (const next of lines) {
    if (next.t === 'muted') {
      latest = { at: next.at, until: next.until }
      continue
    }
    if (next.t === 'proposed') {
      const { t: state, ...rest } = next
      if (!proposals.has(next.id)) proposals.set(next.id, { ...rest, state })
      continue
    }
    const before = proposals.get(next.id)
    const after = before && step(before, next)
    if (after !== undefined) proposals.set(next.id, after)
  }
  const shown = [...proposals.values()].map((each) => (isOpen(each) ? { ...each, digest: digestOf(each) } : each))
  return { proposals: shown, ...(latest && { muted: latest }) }
}

/** @returns undefined: the line does not count */
function step(before: Proposal, next: Exclude<ProposalLine, { t: 'proposed' | 'muted' }>): Proposal | undefined {
  switch (next.t) {
    case 'changed':
      return isOpen(before) ? { ...before, state: 'changed', preview: next.preview } : undefined
    case 'approved': {
      if (!isOpen(before) || next.shown !== digestOf(before)) return undefined
      const { claim, pid, born } = next
      return { ...before, state: 'approved', claim, approver: born === undefined ? { pid } : { pid, born } }
    }
    case 'begun':
      if (before.state !== 'approved' || before.claim !== next.claim) return undefined
      return { ...before, state: 'begun', runId: next.runId }
    case 'ended': {
      if (before.state !== 'begun' || before.run !== undefined) return undefined
      const { t: _t, id: _id, at: _at, ...run } = next
      return { ...before, run }
    }
    case 'denied':
    case 'expired':
    case 'withdrawn': {
      // An approval that no process will begin any more expires, too.
      if (!isOpen(before) && !(before.state === 'approved' && next.t === 'expired')) return undefined
      return { ...before, state: next.t, ...(next.why === undefined ? {} : { why: next.why }) }
    }
  }
}

/** Of all that a person is shown: the bytes that run, where, and what they would order. */
export function digestOf({ id, account, symbol, line, preview }: Omit<Proposal, 'state'>): string {
  return createHash('sha256')
    .update(JSON.stringify([id, account, symbol, line, preview]))
    .digest('hex')
}
