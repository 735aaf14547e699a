// Randomness that every process computes alike: hashes of a text and a number. Only integer operations: every engine gives the same bits.

/** FNV-1a, then mixed. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return mix(hash)
}

/** Uniform in [-1, 1). */
export function noise(key: number, at: number): number {
  return mix(key ^ mix(at | 0)) / 2 ** 31 - 1
}

/** Spreads every input bit over all 32 (MurmurHash3's finaliser). */
function mix(value: number): number {
  let hash = value ^ 0x9e3779b9
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
