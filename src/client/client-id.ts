// Who a browser profile is to hookline: a UUID, shared by its tabs and windows, that the operator approves once (behaviour 110).
import { DEVICE_STORAGE, readJson, type TextStorage, writeJson } from './text-storage.ts'

export interface ClientIdOptions {
  /** Default `localStorage`, which only pages of this origin in this browser profile share. */
  readonly device?: TextStorage
  /** Default `hookline.client`: the key of the storage. */
  readonly namespace?: string
  readonly newId?: () => string
}

/**
 * The id that this browser has, made at the first call. Where storage is forbidden each load of a page is a client of its own. Tabs that first
 * open in the same moment may each make one: they agree at the next load.
 */
export function storedClientId(options: ClientIdOptions = {}): string {
  const { device = DEVICE_STORAGE, namespace = 'hookline.client', newId = () => crypto.randomUUID() } = options
  const known = readJson(namespace, device)
  // A list, since earlier consoles had one for each tab: the one used last is in front.
  const id: unknown = Array.isArray(known) ? known[0] : undefined
  if (typeof id === 'string' && id.length === UUID_LENGTH) return id
  const made = newId()
  writeJson(namespace, [made], device)
  return made
}

const UUID_LENGTH = 36
