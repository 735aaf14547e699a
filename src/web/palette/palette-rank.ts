// In which order the palette shows what it finds, and so what Enter takes.
import { defaultFilter } from 'cmdk'

/** Below a line that has every word that was typed, above one that has some of its letters. */
const AS_TYPED = 0.5

export const lineId = (line: string) => `line ${line}`

/**
 * With a space in it, what is typed is a line rather than a name: it comes after lines that say the same in more words, and before pages, hooks
 * and runs, however well they match.
 * @param id of an entry; a line's is {@link lineId} @returns 0 to 1; 0 is not shown
 */
export function rankOf(id: string, typed: string, keywords: readonly string[] = []): number {
  const own = typed.trim()
  const score = defaultFilter(id, typed, [...keywords])
  if (!own.includes(' ')) return score
  if (id === lineId(own)) return AS_TYPED
  return id.startsWith(lineId('')) ? score : score * 0.9 * AS_TYPED
}
