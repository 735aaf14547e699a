// The settings record of the web server: which kinds of machine have checked in, and which listener this device trusts. Without it,
// as where the console's files come from elsewhere, the console works and only connects by itself where it has been welcomed before.
import type { HostPlatform } from '../client/auto-connect.ts'
import type { TextStorage } from '../client/pinned-listener.ts'
import { type WebSettings, webSettings } from '../protocol/web-api.ts'

const ADDRESS = '/api/settings'
const EMPTY: WebSettings = { cli: { checkins: {} }, trustedOn: [] }

export interface SettingsAnswer {
  /** Empty where nothing came, or nothing of this shape. */
  readonly settings: WebSettings
  /** `sign-in`: a console for many, and nobody is signed in. `away`: it cannot read its record now. */
  readonly state: 'read' | 'sign-in' | 'away' | 'none'
}

export async function readSettings(): Promise<SettingsAnswer> {
  try {
    const response = await fetch(ADDRESS, { headers: { Accept: 'application/json' } })
    if (response.status === 401) return { settings: EMPTY, state: 'sign-in' }
    if (response.status === 503) return { settings: EMPTY, state: 'away' }
    const parsed = webSettings.safeParse(await response.json())
    return response.ok && parsed.success ? { settings: parsed.data, state: 'read' } : { settings: EMPTY, state: 'none' }
  } catch {
    // Offline, or a server without this address.
    return { settings: EMPTY, state: 'none' }
  }
}

/** Best effort: it is written again after the next welcome. */
export async function trustListener(deviceKey: string, listenerId: string): Promise<void> {
  const body = JSON.stringify({ trustedListenerIds: { [deviceKey]: listenerId } })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(ADDRESS, { method: 'PATCH', headers, body }).catch(() => {})
}

/** By this machine's clock: how long ago each was, is as the server counts. @param now ms since the epoch, here */
export function checkinTimes({ cli, now: theirs }: WebSettings, now: number): Partial<Record<HostPlatform, number>> {
  const ahead = theirs === undefined ? 0 : now - theirs
  return Object.fromEntries(Object.entries(cli.checkins).map(([platform, { at }]) => [platform, at + ahead]))
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
