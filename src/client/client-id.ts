// Who a browser profile is to hookline: a UUID, shared by its tabs and windows, that the operator approves once (behaviour 110).
import { DEVICE_STORAGE, readJson, type TextStorage, writeJson } from './text-storage.ts'

/** What is needed of `navigator.locks`. */
interface Locks {
  request(name: string, callback: () => string): Promise<string>
}

export interface ClientIdOptions {
  /** Default `localStorage`, which only pages of this origin in this browser profile share. */
  readonly device?: TextStorage
  /** Default `navigator.locks`. Without them, tabs that first open in the same moment may each make an id; they agree at the next load. */
  readonly locks?: Locks | undefined
  /** Default `hookline.client`: the key of the storage, and the name of the lock. */
  readonly namespace?: string
  readonly newId?: () => string
}

/** The id that this browser has, made at the first call. Where storage is forbidden each load of a page is a client of its own. */
export async function storedClientId(options: ClientIdOptions = {}): Promise<string> {
  const { device = DEVICE_STORAGE, namespace = 'hookline.client', newId = () => crypto.randomUUID() } = options
  const { locks = globalThis.navigator?.locks as Locks | undefined } = options
  const stored = (): string | undefined => {
    const known = readJson(namespace, device)
    // A list, since earlier consoles had one for each tab: the one used last is in front.
    const id: unknown = Array.isArray(known) ? known[0] : undefined
    return typeof id === 'string' && id.length === UUID_LENGTH ? id : undefined
  }
  const storedOrMade = (): string => {
    const id = stored() ?? newId()
    writeJson(namespace, [id], device)
    return id
  }
  const id = stored()
  if (id !== undefined || locks === undefined) return id ?? storedOrMade()
  try {
    return await locks.request(namespace, storedOrMade)
  } catch {
    // Locks are forbidden, as storage may be.
    return storedOrMade()
  }
}

const UUID_LENGTH = 36
