// The settings record of the web server: which kinds of machine have checked in, and which listener this device trusts. Without it,
// as where the console's files come from elsewhere, the console works and only connects by itself where it has been welcomed before.
import type { HostPlatform } from '../client/auto-connect.ts'
import { readText, type TextStorage, writeText } from '../client/text-storage.ts'
import { type WebSettings, webSettings } from '../protocol/web-api.ts'

const ADDRESS = '/api/settings'
const EMPTY: WebSettings = { cli: { checkins: {} }, trustedOn: [] }

export interface ReadSettings {
  /** Empty where no answer came, or an invalid one. */
  readonly settings: WebSettings
  /** A web server answered. */
  readonly isServed: boolean
  /** Of a console for many. `sign-in`: signed out. `away`: the server cannot read its record now. */
  readonly hosted?: 'sign-in' | 'away'
}

export async function readSettings(): Promise<ReadSettings> {
  try {
    const response = await fetch(ADDRESS, { headers: { Accept: 'application/json' } })
    const parsed = webSettings.safeParse(await response.json().catch(() => undefined))
    if (response.status === 401) return { settings: EMPTY, isServed: true, hosted: 'sign-in' }
    if (response.status === 503) return { settings: EMPTY, isServed: true, hosted: 'away' }
    return { settings: response.ok && parsed.success ? parsed.data : EMPTY, isServed: true }
  } catch {
    // The page came from what the browser keeps.
    return { settings: EMPTY, isServed: false }
  }
}

/** Best effort: it is written again after the next welcome. @param account whose page this is, in a console for many */
export async function trustListener(
  deviceKey: string,
  listenerId: string,
  account?: string | undefined,
): Promise<void> {
  const body = JSON.stringify({ trustedListenerIds: { [deviceKey]: listenerId }, account })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(ADDRESS, { method: 'PATCH', headers, body }).catch(() => {})
}

/** By this machine's clock: how long ago each was, is as the server counts. @param now ms since the epoch, here */
export function checkinTimes({ cli, now: theirs }: WebSettings, now: number): Partial<Record<HostPlatform, number>> {
  const ahead = theirs === undefined ? 0 : now - theirs
  return Object.fromEntries(Object.entries(cli.checkins).map(([platform, { at }]) => [platform, at + ahead]))
}

/** The key of this browser profile in the settings record; made once. Where storage is forbidden, each visit is a device of its own. */
export function deviceKey(storage: TextStorage, key = 'hookline.device'): string {
  const known = readText(key, storage)
  if (known !== undefined && /^[0-9a-f-]{36}$/.test(known)) return known
  const made = crypto.randomUUID()
  writeText(key, made, storage)
  return made
}
