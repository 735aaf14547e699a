// Random numbers that a seed decides: sfc32, small and good enough to pick mutations by.

export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** The same numbers for the same seed and name, on every machine. */
export function createRandom(seed: number, name: string): Random {
  let a = seed >>> 0
  let b = hash(name)
  let c = 0x9e3779b9
  let counter = 1

  function next(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }

  for (let warmUp = 0; warmUp < 15; warmUp += 1) next()
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error('there is nothing to pick from')
      return items[below(items.length)] as T
    },
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}
