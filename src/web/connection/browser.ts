// Which browser this is, for instructions only: where its settings are and what its question says.

export type Browser = 'chrome' | 'edge' | 'brave' | 'firefox' | 'safari' | 'other'

/** @param isBrave `navigator.brave` exists: its user agent says Chrome */
export function browserOf(userAgent: string, isBrave = false): Browser {
  if (isBrave) return 'brave'
  if (/Firefox\//.test(userAgent)) return 'firefox'
  if (/Edg\//.test(userAgent)) return 'edge'
  if (/Chrome\/|Chromium\//.test(userAgent)) return 'chrome'
  return /AppleWebKit\//.test(userAgent) && /Safari\//.test(userAgent) ? 'safari' : 'other'
}

/** The browser's own words for the question, so that the person knows it when it comes. */
export const QUESTION: Readonly<Record<Browser, string>> = {
  chrome: 'Chrome asks whether this site may “Access other apps and services on this device”',
  edge: 'Edge asks whether this site may “Access other apps and services on this device”',
  brave: 'Brave asks whether this site may reach resources on localhost',
  firefox: 'Firefox asks whether this site may access apps and services on this device',
  safari: 'Safari does not ask and does not allow it',
  other: 'Your browser may ask whether this site may reach this device',
}

/** How to take back a no. */
export const PERMISSION_SETTING: Readonly<Record<Browser, string>> = {
  chrome:
    'Click the icon left of the address, open Site settings and set “Apps on device” (in older versions “Local network access”) to Allow.',
  edge: 'Click the icon left of the address, open Permissions for this site and set “Apps on device” (in older versions “Local network access”) to Allow.',
  brave: 'Click the icon left of the address, open Site settings and set “Localhost access” to Allow.',
  firefox: 'Click the permissions icon left of the address and remove “Blocked” beside “Device apps and services”.',
  safari: 'Safari has no such setting.',
  other: 'Open the site settings of this page and allow access to this device or the local network.',
}

// --- what the operator reads when this page asks to be let in: `console in Chrome on Linux`.

const BROWSERS: Readonly<Record<Browser, string>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  brave: 'Brave',
  firefox: 'Firefox',
  safari: 'Safari',
  other: 'a browser',
}

const SYSTEMS = [
  [/Windows NT/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

export function browserLabel(userAgent: string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  return `console in ${BROWSERS[browserOf(userAgent)]}${system === undefined ? '' : ` on ${system}`}`
}
