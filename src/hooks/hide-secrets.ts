// A hook's token in a text that is kept or goes on a wire (behaviour 18).
import type { HookStore } from '../stores/hooks.ts'

/** Only what looks like a token is looked up. */
const TOKEN = /[0-9a-f]{32}/gi

/** The text with the tokens of existing hooks replaced by `<hidden>`. */
export function hideHookSecrets(text: string, hooks: Pick<HookStore, 'list'>): string {
  const candidates = new Set(text.match(TOKEN)?.map((candidate) => candidate.toLowerCase()))
  if (candidates.size === 0) return text
  const secrets = new Set(
    hooks.list().flatMap(({ secret }) => (candidates.has(secret.toLowerCase()) ? [secret.toLowerCase()] : [])),
  )
  return text.replace(TOKEN, (candidate) => (secrets.has(candidate.toLowerCase()) ? '<hidden>' : candidate))
}
