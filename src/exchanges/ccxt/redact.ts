// Takes secrets out of a text that is about to leave the adapter.

const SHORTEST_SECRET = 6
const HIDDEN = '<hidden>'
/** A URL's query holds signatures and keys. */
const QUERY = /(https?|wss?):\/\/[^\s?"']+\?[^\s"']*/gi

/** The text without any of the secrets, and without the queries of URLs. */
export function redact(text: string, secrets: readonly string[]): string {
  const cut = text.replace(QUERY, (url) => `${url.slice(0, url.indexOf('?'))}?${HIDDEN}`)
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), cut)
}
