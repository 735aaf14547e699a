import type { TextStorage } from '../../src/client/text-storage.ts'

export function memoryStorage(content: ReadonlyMap<string, string> = new Map()): TextStorage {
  const texts = new Map(content)
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
  }
}

/** As it is for pages whose user blocks site data. */
export const FORBIDDEN_STORAGE: TextStorage = {
  getItem() {
    throw new Error('SecurityError')
  },
  setItem() {
    throw new Error('SecurityError')
  },
}
