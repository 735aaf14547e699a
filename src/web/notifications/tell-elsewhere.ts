// Loads what tells outside of the page, for those who want it.
import type { NoticeRow } from '../../protocol/rows.ts'
import { usePreferences } from '../shell/preferences.ts'

export const loadTelling = () => import('./tell-outside.ts')

export function tellElsewhere(rows: readonly NoticeRow[]): void {
  const { hasSounds, hasNotifications } = usePreferences.getState()
  if (rows.length > 0 && (hasSounds || hasNotifications))
    void loadTelling().then(({ tellOutside }) => tellOutside(rows))
}
