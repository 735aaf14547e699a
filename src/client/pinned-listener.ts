// Which hookline this device knows: the `listenerId` of its first welcome (behaviour 131), and the key by which it proved itself
// (behaviour 48). Every later one is compared with it before anything but `hello` is sent.
import { defined } from '../base/defined.ts'
import { parsedJson, readText, type TextStorage, writeJson } from './text-storage.ts'

/** Either may be missing: an older hookline has no key, and a person may have accepted a key before its owner has welcomed us. */
export interface Pin {
  readonly listenerId?: string
  /** hookline's public key. */
  readonly key?: string
}

/** Keeps one pin. Neither method may throw: what cannot be stored is at least remembered for as long as the page lives. */
export interface PinStore {
  /** Empty: nothing is pinned. */
  read(): Pin
  write(pin: Pin): void
}

/** @param pin a text is a `listenerId` */
export function createMemoryPin(pin: Pin | string = {}): PinStore {
  let pinned = typeof pin === 'string' ? { listenerId: pin } : pin
  return {
    read: (): Pin => pinned,
    write(next) {
      pinned = next
    },
  }
}

/**
 * Read anew at every connection, so that all tabs of an origin agree.
 *
 * @param storage `localStorage` in a page: the pin is the device's, not the tab's
 * @param key default `hookline.listener`
 */
export function createStoredPin(storage: TextStorage, key = 'hookline.listener'): PinStore {
  const memory = createMemoryPin()
  return {
    // Forbidden storage holds nothing that could be lost.
    read: () => pinIn(readText(key, storage)) ?? memory.read(),
    write(pin) {
      memory.write(pin)
      // Where it cannot be kept, the next visit pins anew, which is what a private window wants.
      writeJson(key, pin, storage)
    },
  }
}

/** Text that is not JSON is a bare `listenerId`, as it was kept before there were keys. */
function pinIn(text: string | undefined): Pin | undefined {
  if (text === undefined) return undefined
  if (!text.startsWith('{')) return { listenerId: text }
  const pin = parsedJson(text) as { listenerId?: unknown; key?: unknown } | undefined
  return pin && defined({ listenerId: textOf(pin.listenerId), key: textOf(pin.key) })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
