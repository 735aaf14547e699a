// How often one address may ask for what costs more than a file: a bucket of tokens for each, which fills by the second.
export interface RateOptions {
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
