// The settings record of the web server: which kinds of machine have checked in, and which listener this device trusts. Without it,
// as where the console's files come from elsewhere, the console works and only connects by itself where it has been welcomed before.
import type { HostPlatform } from '../client/auto-connect.ts'
import type { TextStorage } from '../client/pinned-listener.ts'
import { type WebSettings, webSettings } from '../protocol/web-api.ts'

const ADDRESS = '/api/settings'
const EMPTY: WebSettings = { cli: { checkins: {} }, trustedOn: [] }

export interface ReadSettings {
  readonly settings: WebSettings
  /** Whether there is a web server at all. */
  readonly isServed: boolean
}

/** Nothing came, or nothing of this shape: empty. */
export async function readSettings(): Promise<ReadSettings> {
  try {
    const response = await fetch(ADDRESS, { headers: { Accept: 'application/json' } })
    const parsed = webSettings.safeParse(await response.json().catch(() => undefined))
    return { settings: response.ok && parsed.success ? parsed.data : EMPTY, isServed: true }
  } catch {
    // The page came from what the browser keeps.
    return { settings: EMPTY, isServed: false }
  }
}

/** Best effort: it is written again after the next welcome. */
export async function trustListener(deviceKey: string, listenerId: string): Promise<void> {
  const body = JSON.stringify({ trustedListenerIds: { [deviceKey]: listenerId } })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(ADDRESS, { method: 'PATCH', headers, body }).catch(() => {})
}

export function checkinTimes({ cli }: WebSettings): Partial<Record<HostPlatform, number>> {
  return Object.fromEntries(Object.entries(cli.checkins).map(([platform, { at }]) => [platform, at]))
}

/** What the settings record calls this browser profile; made once. */
export function deviceKey(storage: TextStorage, key = 'hookline.device'): string {
  try {
    const known = storage.getItem(key)
    if (known !== null && /^[0-9a-f-]{36}$/.test(known)) return known
    const made = crypto.randomUUID()
    storage.setItem(key, made)
    return made
  } catch {
    // Forbidden storage: a device of its own at every visit.
    return crypto.randomUUID()
  }
}
