// Which hookline this device knows: the `listenerId` of its first welcome (behaviour 131). Every later welcome is
// compared with it before anything else is sent.

/** Keeps one id. Neither method may throw: what cannot be stored is at least remembered for as long as the page lives. */
export interface PinStore {
  read(): string | undefined
  write(listenerId: string): void
}

/** What is needed of `localStorage` or `sessionStorage`. All three may throw: storage can be forbidden or full. */
export interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

export function createMemoryPin(listenerId?: string): PinStore {
  let pinned = listenerId
  return {
    read: () => pinned,
    write(id) {
      pinned = id
    },
  }
}

/**
 * Read anew at every welcome, so that all tabs of an origin agree.
 *
 * @param storage `localStorage` in a page: the pin is the device's, not the tab's
 * @param key default `hookline.listener`
 */
export function createStoredPin(storage: TextStorage, key = 'hookline.listener'): PinStore {
  const memory = createMemoryPin()
  return {
    read() {
      try {
        return storage.getItem(key) || memory.read()
      } catch {
        // Forbidden storage holds nothing that could be lost.
        return memory.read()
      }
    },
    write(listenerId) {
      memory.write(listenerId)
      try {
        storage.setItem(key, listenerId)
      } catch {
        // The next visit pins anew, which is what a private window wants.
      }
    },
  }
}
