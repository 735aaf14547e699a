// What a person set for this browser: kept in its storage, and for as long as the page lives where that is forbidden.
import { create } from 'zustand'

export interface Preferences {
  /** Single letters act on the page: G, S, ?. */
  readonly hasLetterKeys: boolean
  /** px */
  readonly drawerHeight: number
}

const KEY = 'hookline.preferences'
const DEFAULTS: Preferences = { hasLetterKeys: true, drawerHeight: 320 }

export const usePreferences = create<Preferences>(() => ({ ...DEFAULTS, ...stored() }))

export function prefer(change: Partial<Preferences>): void {
  usePreferences.setState(change)
  try {
    localStorage.setItem(KEY, JSON.stringify(usePreferences.getState()))
  } catch {
    // Forbidden or full: it lasts as long as the page.
  }
}

function stored(): Partial<Preferences> {
  try {
    const text: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    if (typeof text !== 'object' || text === null) return {}
    const { hasLetterKeys, drawerHeight } = text as Record<string, unknown>
    return {
      ...(typeof hasLetterKeys === 'boolean' ? { hasLetterKeys } : {}),
      ...(typeof drawerHeight === 'number' && Number.isFinite(drawerHeight) ? { drawerHeight } : {}),
    }
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return {}
  }
}
