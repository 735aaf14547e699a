// Lines typed in this browser, newest last. A line that begins with a space stays out on purpose, as in a shell. Keys, passphrases and tokens
// that were typed where none belong are not kept; which hex is a hook's token no page knows, so all of that length is taken for one.
import type { TextStorage } from '../../client/pinned-listener.ts'
import { hideTyped } from '../../language/hidden-tokens.ts'

export interface TypedHistory {
  lines(): readonly string[]
  add(line: string): void
}

const MAX_LINES = 500

/** Read anew at each use, so that tabs share it. Where storage is forbidden it lasts as long as the page. */
export function openTypedHistory(storage: TextStorage, key = 'hookline.history'): TypedHistory {
  let memory: readonly string[] = []
  let isKept = true
  const lines = () => {
    if (isKept) memory = readLines(storage, key) ?? memory
    return memory
  }
  return {
    lines,
    add(typed) {
      const before = lines()
      const line = hideTyped(typed)
      if (line.startsWith(' ') || line.trim() === '' || line === before.at(-1)) return
      memory = [...before, line].slice(-MAX_LINES)
      try {
        storage.setItem(key, JSON.stringify(memory))
        isKept = true
      } catch {
        isKept = false
        // Forbidden or full: remembered for as long as the page lives.
      }
    },
  }
}

/** @returns undefined: storage is forbidden; what was deleted there is gone here too */
function readLines(storage: TextStorage, key: string): readonly string[] | undefined {
  let text: string | null
  try {
    text = storage.getItem(key)
  } catch {
    return undefined
  }
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter((line) => typeof line === 'string').map(hideTyped) : []
  } catch {
    // Somebody else's text under our key.
    return []
  }
}
