import type { TextStorage } from '../../src/client/text-storage.ts'

/** As `sessionStorage` behaves; `copy` of it is what a duplicated tab starts with. */
export interface MemoryStorage extends TextStorage {
  copy(): MemoryStorage
}

export function memoryStorage(content: ReadonlyMap<string, string> = new Map()): MemoryStorage {
  const texts = new Map(content)
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, value) => void texts.set(key, value),
    copy: () => memoryStorage(texts),
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
