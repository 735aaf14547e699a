// Text that a browser keeps for its pages. Storage may be forbidden, full, or hold another program's text under our key: a read then finds
// nothing, what is written lasts as long as the page, and nothing throws.

/** What is needed of `localStorage` or `sessionStorage`. Any of them may throw. */
export interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  /** Only where a text is to be deleted. */
  removeItem?(key: string): void
}

/** `localStorage`, of all tabs. Reached at each use: where storage is forbidden the property itself throws. */
export const DEVICE_STORAGE: TextStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
}

/** `sessionStorage`, of this tab. */
export const TAB_STORAGE: TextStorage = {
  getItem: (key) => sessionStorage.getItem(key),
  setItem: (key, value) => sessionStorage.setItem(key, value),
  removeItem: (key) => sessionStorage.removeItem(key),
}

/** @returns undefined: there is none, or storage is forbidden */
export function readText(key: string, storage: TextStorage = DEVICE_STORAGE): string | undefined {
  try {
    return storage.getItem(key) || undefined
  } catch {
    return undefined
  }
}

/** @param text undefined: it is deleted @returns whether it is kept */
export function writeText(key: string, text: string | undefined, storage: TextStorage = DEVICE_STORAGE): boolean {
  try {
    if (text === undefined) storage.removeItem?.(key)
    else storage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** @returns undefined: there is none, or it is not JSON */
export function readJson(key: string, storage?: TextStorage): unknown {
  return parsedJson(readText(key, storage))
}

export function writeJson(key: string, value: unknown, storage?: TextStorage): boolean {
  return writeText(key, JSON.stringify(value), storage)
}

export function parsedJson(text: string | null | undefined): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
