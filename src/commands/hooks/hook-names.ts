import type { CompletionContext } from '../kit/command.ts'

/** In UTF-16 units: the 64 characters of a name, whole. */
export const MAX_HOOK_NAME = 128

/** Names that can be typed as one word, then ids. */
export function completeHook({ words, hooks }: CompletionContext): readonly string[] {
  if (words.length > 0) return []
  const names = hooks.map((hook) => hook.name).filter((name) => /^[\p{L}\p{N}_.-]+$/u.test(name))
  return [...names, ...hooks.map((hook) => hook.id)]
}
