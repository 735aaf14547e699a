// Tokens of hooks that someone typed into a line (behaviour 18). The line runs as it was typed; what is kept of it, and shown by `runs`, has
// `<hidden>` in their place.

/** Anything that may hold a token: 32 hex characters in a row. Most lines have none, and cost no more than this. */
const LONG_HEX = /[0-9a-f]{32,}/gi
const TOKEN_LENGTH = 32
const HIDDEN = '<hidden>'

/** @param secrets are asked for only when the text may hold one; in lower case */
export function hideTokens(text: string, secrets: () => Iterable<string>): string {
  const runs = text.match(LONG_HEX)
  if (runs === null) return text
  const candidates = new Set(runs.flatMap(windowsOf))
  let hidden = text
  for (const secret of secrets()) {
    if (candidates.has(secret)) hidden = hidden.replaceAll(new RegExp(secret, 'gi'), HIDDEN)
  }
  return hidden
}

/** Every place in a longer run of hex where a token may begin. */
function windowsOf(run: string): readonly string[] {
  const text = run.toLowerCase()
  return Array.from({ length: text.length - TOKEN_LENGTH + 1 }, (_, at) => text.slice(at, at + TOKEN_LENGTH))
}
