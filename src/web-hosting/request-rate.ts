// How often one address may ask for what costs more than a file: a bucket of tokens for each, which fills by the second. The lines of the log have one
// too.
interface RateOptions {
  readonly burst: number
  readonly perSecond: number
  /** Remembered; the one that asked longest ago is forgotten first, and begins anew. */
  readonly addresses: number
  /** ms, monotonic. */
  readonly now: () => number
}

interface Bucket {
  tokens: number
  at: number
}

/** @returns for an address: undefined where it may, else in how many seconds it may again */
export function createRequestRate({
  burst,
  perSecond,
  addresses,
  now,
}: RateOptions): (address: string) => number | undefined {
  const buckets = new Map<string, Bucket>()
  return (address) => {
    const at = now()
    const known = buckets.get(address) ?? { tokens: burst, at }
    const tokens = Math.min(burst, known.tokens + ((at - known.at) / 1_000) * perSecond)
    const left = tokens >= 1 ? tokens - 1 : tokens
    // Put in anew, so that a Map's order is that of the last request.
    buckets.delete(address)
    buckets.set(address, { tokens: left, at })
    if (buckets.size > addresses) buckets.delete(buckets.keys().next().value as string)
    return tokens >= 1 ? undefined : Math.ceil((1 - tokens) / perSecond)
  }
}

/** The same text once in so many ms, and of all texts that strangers choose so many. */
const SAME_EVERY_MS = 10_000
const STRANGERS = { burst: 20, perSecond: 0.1, addresses: 1 }

interface BoundedLog {
  failure(text: string): void
  /** A stranger chose part of it: of many that differ some are written, and how many were not. */
  refusal(text: string): void
}

export function createBoundedLog(write: (line: string) => void, now = () => performance.now()): BoundedLog {
  const lastAt = new Map<string, number>()
  const rate = createRequestRate({ ...STRANGERS, now })
  let unwritten = 0
  const isNew = (text: string): boolean => {
    const at = now()
    if (at - (lastAt.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_EVERY_MS) return false
    if (lastAt.size >= 100) lastAt.clear()
    lastAt.set(text, at)
    return true
  }
  return {
    failure: (text) => void (isNew(text) && write(text)),
    refusal(text) {
      if (!isNew(text)) return
      if (rate('') !== undefined) {
        unwritten++
        return
      }
      write(unwritten === 0 ? `refused: ${text}` : `refused: ${text} (and ${unwritten} others)`)
      unwritten = 0
    },
  }
}
