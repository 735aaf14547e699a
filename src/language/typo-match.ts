// Which known name was probably meant: the closest by edits (insert, delete, replace, swap neighbours), if it is close.

const MAX_DISTANCE = 2
const MAX_LENGTH = 64

/**
 * The candidate at most two edits away, fewer than half the name's length; the first of equals. Case does not count.
 * Undefined when nothing is that close.
 * @param most fewer edits than two
 */
export function nearest(name: string, candidates: Iterable<string>, most = MAX_DISTANCE): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const wanted = name.toLowerCase()
  let best: string | undefined
  let limit = Math.min(most, Math.ceil(wanted.length / 2) - 1)
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance > limit) continue
    best = candidate
    limit = distance - 1
  }
  return best
}

/** Damerau-Levenshtein distance in which no part is edited twice (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
