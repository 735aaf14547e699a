// Preferences of this browser: in its storage, or where that is forbidden for the life of the page. All tabs of the browser share them.
import { create } from 'zustand'
import { parsedJson, readText, writeJson } from '../../client/text-storage.ts'

/** Of what notices a sound or a notification can be had. */
export const GROUPS = ['failures', 'fills', 'stops', 'guards', 'said'] as const
export type Group = (typeof GROUPS)[number]

export interface Preferences {
  /** Single letters act on the page: G, S, B, ?. */
  readonly hasLetterKeys: boolean
  /** px */
  readonly drawerHeight: number
  /** px */
  readonly terminalFont: (typeof TERMINAL_FONTS)[number]
  /** In which times of day are shown. */
  readonly timeZone: (typeof TIME_ZONES)[number]
  /** How high rows are. */
  readonly density: (typeof DENSITIES)[number]
  readonly contrast: (typeof CONTRASTS)[number]
  readonly hasSounds: boolean
  /** The system's own, while no tab of the console is in front. */
  readonly hasNotifications: boolean
  /** Of what there is a sound or a notification. */
  readonly groups: readonly Group[]
}

export const TIME_ZONES = ['local', 'utc'] as const
export const DENSITIES = ['dense', 'roomy'] as const
export const CONTRASTS = ['system', 'more'] as const
export const TERMINAL_FONTS = [11, 12.5, 14, 16, 18] as const

const KEY = 'hookline.preferences'
export const DEFAULTS: Preferences = {
  hasLetterKeys: true,
  drawerHeight: 320,
  terminalFont: 12.5,
  timeZone: 'local',
  density: 'dense',
  contrast: 'system',
  hasSounds: false,
  hasNotifications: false,
  groups: GROUPS,
}

export function prefer(change: Partial<Preferences>): void {
  usePreferences.setState(change)
  writeJson(KEY, usePreferences.getState())
}

/** Follows other tabs and the contrast of the system. */
export function followLooks(): void {
  matchMedia(MORE_CONTRAST).addEventListener('change', applyLooks)
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== KEY) return
    usePreferences.setState({ ...DEFAULTS, ...preferencesIn(newValue) })
    applyLooks()
  })
}

type Check<T> = (value: unknown) => value is T
type Checks = { readonly [K in keyof Preferences]: Check<Preferences[K]> }

const isBoolean: Check<boolean> = (value) => typeof value === 'boolean'
const oneOf =
  <T>(all: readonly T[]): Check<T> =>
  (value): value is T =>
    (all as readonly unknown[]).includes(value)

const CHECKS: Checks = {
  hasLetterKeys: isBoolean,
  drawerHeight: (value): value is number => typeof value === 'number' && Number.isFinite(value),
  terminalFont: oneOf(TERMINAL_FONTS),
  timeZone: oneOf(TIME_ZONES),
  density: oneOf(DENSITIES),
  contrast: oneOf(CONTRASTS),
  hasSounds: isBoolean,
  hasNotifications: isBoolean,
  groups: (value): value is readonly Group[] => Array.isArray(value) && value.every(oneOf(GROUPS)),
}

export const usePreferences = create<Preferences>(() => ({ ...DEFAULTS, ...preferencesIn(readText(KEY)) }))

/** Drops all but valid preferences. */
export function preferencesIn(text: string | null | undefined): Partial<Preferences> {
  const all = parsedJson(text)
  if (typeof all !== 'object' || all === null) return {}
  // `groups` had another name before.
  const named = Object.entries(all).map(([name, value]) => [name === 'told' ? 'groups' : name, value] as const)
  return Object.fromEntries(named.filter(([name, value]) => isGood(name, value)))
}

function isGood(name: string, value: unknown): boolean {
  const check: Check<unknown> | undefined = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof Checks] : undefined
  return check?.(value) ?? false
}

const MORE_CONTRAST = '(prefers-contrast: more)'

/** The style sheet does the rest. */
export function applyLooks(): void {
  const { density, terminalFont, contrast } = usePreferences.getState()
  const { dataset, style } = document.documentElement
  dataset.density = density
  dataset.contrast = contrast === 'more' || matchMedia(MORE_CONTRAST).matches ? 'more' : 'usual'
  style.setProperty('--terminal-font', `${terminalFont}px`)
}
