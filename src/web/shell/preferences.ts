// What a person set for this browser: kept in its storage, and for as long as the page lives where that is forbidden.
import { create } from 'zustand'

export interface Preferences {
  /** Single letters act on the page: G, S, B, ?. */
  readonly hasLetterKeys: boolean
  /** px */
  readonly drawerHeight: number
  /** In which times of day are shown. */
  readonly timeZone: (typeof TIME_ZONES)[number]
  /** How high rows are. */
  readonly density: (typeof DENSITIES)[number]
}

export const TIME_ZONES = ['local', 'utc'] as const
export const DENSITIES = ['dense', 'roomy'] as const

const KEY = 'hookline.preferences'
const DEFAULTS: Preferences = { hasLetterKeys: true, drawerHeight: 320, timeZone: 'local', density: 'dense' }

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
    const { hasLetterKeys, drawerHeight, timeZone, density } = text as Record<string, unknown>
    return {
      ...(typeof hasLetterKeys === 'boolean' ? { hasLetterKeys } : {}),
      ...(typeof drawerHeight === 'number' && Number.isFinite(drawerHeight) ? { drawerHeight } : {}),
      ...TIME_ZONES.filter((each) => each === timeZone).map((each) => ({ timeZone: each }))[0],
      ...DENSITIES.filter((each) => each === density).map((each) => ({ density: each }))[0],
    }
  } catch {
    // Forbidden storage, or somebody else's text under our key.
    return {}
  }
}

/** The style sheet does the rest. */
export function applyDensity(): void {
  document.documentElement.dataset.density = usePreferences.getState().density
}
