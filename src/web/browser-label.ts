// What the operator reads when this page asks to be let in: `console in Chrome on Linux`.
import { type Browser, browserOf } from './connection/browser.ts'

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
