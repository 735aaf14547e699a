// Makes a failing input small: takes parts out for as long as it still fails in the same way.

const PATIENCE_MS = 15_000

/**
 * @param fails whether an input fails in the way that is looked for
 * @param tries at most so many calls of it, and none after 15 s
 */
export async function minimise(
  input: string,
  fails: (candidate: string) => boolean | Promise<boolean>,
  tries = 2_000,
): Promise<string> {
  let smallest = input
  let left = tries
  const giveUpAt = performance.now() + PATIENCE_MS
  let before: string
  do {
    before = smallest
    for (let size = Math.ceil(smallest.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
      for (let at = 0; at < smallest.length && left > 0; ) {
        const candidate = smallest.slice(0, at) + smallest.slice(at + size)
        left = performance.now() < giveUpAt ? left - 1 : 0
        if (await fails(candidate)) smallest = candidate
        else at += size
      }
    }
  } while (smallest !== before && left > 0)
  return smallest
}

/** The input as an expression that can be pasted into a test; ASCII only, long repetitions told as such. */
export function asLiteral(input: string): string {
  const parts = input.match(/(.)\1{63,}|(?:(?!(.)\2{63}).)+/gs) ?? ['']
  return parts
    .map((part) =>
      part.length >= 64 && part === part.charAt(0).repeat(part.length)
        ? `${quoted(part.charAt(0))}.repeat(${part.length})`
        : quoted(part),
    )
    .join(' + ')
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
