// The lines of `audit.jsonl` (behaviour 49). Each ends with a hash over the line before it and itself, as text: what was written is what is
// hashed, so that no program has to write JSON just as this one does.
import { createHash } from 'node:crypto'

/** One deed, as it is written. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly n: number
  /** ms since the epoch. */
  readonly at: number
  /** `hook create`, `client approve`. */
  readonly what: string
  readonly by?: DoneBy
  /** Names and values that are not secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Who did it, and from where. `file`: a file was edited by hand, which leaves no name. */
export interface DoneBy {
  readonly source: 'repl' | 'exec' | 'hook' | 'web' | 'file'
  readonly runId?: string
  /** The name of the hook, or the label of the client. */
  readonly label?: string
  readonly hookId?: string
  readonly clientId?: string
  /** Of the client's page. */
  readonly origin?: string
  readonly pid?: number
  /** Of the process. */
  readonly user?: string
}

/** The end of a chain. */
export interface ChainEnd {
  readonly n: number
  /** 64 hex characters. */
  readonly hash: string
}

export interface SealedEntry extends ChainEnd {
  readonly entry: AuditEntry
  /** The line without its hash. */
  readonly body: string
}

/** What the first line follows. */
export const BEGINNING: ChainEnd = { n: 0, hash: '0'.repeat(64) }

/** @returns the line, without a newline, and the end of the chain with it */
export function sealEntry(
  after: ChainEnd,
  entry: Omit<AuditEntry, 'n'>,
): { readonly line: string; readonly end: ChainEnd } {
  const n = after.n + 1
  const body = JSON.stringify({ n, ...entry })
  const hash = hashOf(after.hash, body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, end: { n, hash } }
}

/** @returns undefined: the line is none of ours, or only a part of one */
export function openLine(line: string): SealedEntry | undefined {
  const [, start = '', hash = ''] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? []
  const body = `${start}}`
  try {
    const entry = JSON.parse(body) as AuditEntry
    const isEntry = Number.isSafeInteger(entry.n) && Number.isSafeInteger(entry.at) && typeof entry.what === 'string'
    return isEntry ? { n: entry.n, hash, entry, body } : undefined
  } catch {
    return undefined
  }
}

/** In the chain in place of lines that are none: a crash cut them short. */
export const TORN = 'torn line'

/** In the chain where audit-head.json was not there: what stood behind the line before may be gone, and is missed for good. */
export const HEADLESS = 'audit-head.json was missing'

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export type AuditVerdict =
  | { readonly whole: true; readonly entries: number; readonly torn: number; readonly end: ChainEnd }
  /** `line`: 1-based, the first that is wrong; absent where what is wrong is what is not there. */
  | { readonly whole: false; readonly line?: number; readonly why: string }

/**
 * @param text the whole file
 * @param head what was noted beside the file, after its last line was written or, where a crash came between, the one before
 */
export function verifyChain(text: string, head: ChainEnd | undefined): AuditVerdict {
  let end = BEGINNING
  let torn = 0
  let junk: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const opened = openLine(line)
    if (opened === undefined) {
      junk.push(line)
      continue
    }
    const why = junk.length > 0 && !isMarkerOf(opened, junk) ? 'cannot be read' : faultAfter(end, opened, head)
    if (why !== undefined) return { whole: false, line: index + 1 - (why === 'cannot be read' ? junk.length : 0), why }
    torn += junk.length
    junk = []
    end = opened
  }
  const missing = missingAtEnd(end, head)
  if (missing !== undefined) return { whole: false, why: missing }
  return { whole: true, entries: end.n, torn: torn + junk.length, end: { n: end.n, hash: end.hash } }
}

function isMarkerOf({ entry }: SealedEntry, junk: readonly string[]): boolean {
  return entry.what === TORN && entry.details?.sha256 === digestOf(junk.join('\n'))
}

function faultAfter(
  end: ChainEnd,
  { n, hash, body, entry }: SealedEntry,
  head: ChainEnd | undefined,
): string | undefined {
  if (n > end.n + 1) return missingEntries(end.n + 1, n - 1, 'before it')
  if (n !== end.n + 1) return `has the number ${n}, and ${end.n + 1} comes here`
  if (hash !== hashOf(end.hash, body)) return 'does not follow from the line before it: one of the two was changed'
  if (n === head?.n && hash !== head.hash) return 'is not the line that audit-head.json has noted'
  return entry.what === HEADLESS ? 'says that audit-head.json was missing: lines before it may be missing' : undefined
}

function missingAtEnd(end: ChainEnd, head: ChainEnd | undefined): string | undefined {
  if (head === undefined) return end.n > 0 ? 'audit-head.json is missing: lines may be missing at the end' : undefined
  return head.n > end.n ? missingEntries(end.n + 1, head.n, 'at the end') : undefined
}

function missingEntries(first: number, last: number, where: string): string {
  return first === last ? `entry ${first} is missing ${where}` : `entries ${first} to ${last} are missing ${where}`
}

function hashOf(before: string, body: string): string {
  return digestOf(`${before}\n${body}`)
}
