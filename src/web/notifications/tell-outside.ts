// Tells a person who looks elsewhere: by a sound, and by the system's own notification. Loaded once somebody has asked for either.
import { navigate } from 'wouter/use-browser-location'
import type { NoticeRow } from '../../protocol/rows.ts'
import { placeOfNotice } from '../shell/notices.ts'
import { usePreferences } from '../shell/preferences.ts'
import { toldOf } from './groups.ts'
import { play } from './sounds.ts'
import { pageTeller, Teller } from './teller.ts'

let teller: Teller | undefined

/** As the connection comes and goes. */
export function setTelling(isConnected: boolean): void {
  teller ??= new Teller(pageTeller())
  teller.setConnected(isConnected)
}

export async function tellOutside(rows: readonly NoticeRow[]): Promise<void> {
  if (!teller?.isTelling) return
  const { hasSounds, hasNotifications, told } = usePreferences.getState()
  const wanted = toldOf(rows, told)
  const last = wanted.at(-1)
  if (last === undefined) return
  if (hasSounds) play(last.group)
  if (!hasNotifications || !isAllowed() || (await teller.isLookedAt())) return
  const href = rows.map(placeOfNotice).at(-1)?.href ?? '/'
  for (const { text, tag } of wanted) show(text, tag, href)
}

export function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

/** Plain text: the system draws it, and nothing in it is markup. */
function show(body: string, tag: string, href: string): void {
  try {
    const shown = new Notification('hookline', { body, tag, icon: '/icons/icon-192.png' })
    shown.addEventListener('click', () => {
      shown.close()
      window.focus()
      navigate(href)
    })
  } catch {
    // A browser that lets only a worker show them: the bell has it.
  }
}
