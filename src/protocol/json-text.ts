const MAX_TEXTS = 1_000
/** Longer texts are typed by people, not fired by the thousand, and would only take memory. */
const MAX_LENGTH = 1_000

const quoted = new Map<string, string>()

/** `JSON.stringify` for texts that come again and again, as a hook's name and command do with every fire: each is encoded once (quality/bench/fires). */
export function quote(text: string): string {
  const known = quoted.get(text)
  if (known !== undefined) return known
  const encoded = JSON.stringify(text)
  if (text.length > MAX_LENGTH) return encoded
  if (quoted.size >= MAX_TEXTS) quoted.clear()
  quoted.set(text, encoded)
  return encoded
}

/** What JSON writes as it is. */
const AS_IT_IS = /^[ !#-[\]-~]*$/

/** `JSON.stringify` for texts that seldom come again and seldom have anything to escape, as ids and values of alerts: at a third of its time. */
export function quoteRare(text: string): string {
  return AS_IT_IS.test(text) ? `"${text}"` : JSON.stringify(text)
}
