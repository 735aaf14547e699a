// What the worker keeps of a build of the console, and what it does with a request. Nothing here touches the browser.
import { isConsolePage } from '../protocol/console.ts'

/** As the build writes it into the worker: every file of it; those without a hash in their names have a revision. */
export interface KeptFile {
  readonly url: string
  readonly revision: string | null
  /** `sha256-…` */
  readonly integrity: string
}

interface Asked {
  readonly method: string
  readonly url: string
  readonly mode: string
}

/**
 * - `page`: asked for anew past this worker, and from what is kept only where the server does not answer: a new build is never held back
 * - `file`: what is kept; its name has a hash of its content, so that no other build can be meant
 * - `fresh`: from the server, and from what is kept only where that does not answer
 * - `pass`: not ours: the worker stays out of it, and nothing of it is kept
 */
type Way = 'page' | 'file' | 'fresh' | 'pass'

/** Everything that is kept is under names that begin so. */
const CACHE_PREFIX = 'hookline.console.'
/** When the web server answered last. */
export const CONFIRMED_CACHE = 'hookline.confirmed'
/** A copy that no web server has confirmed for so long is not opened: it may lack what was fixed since. */
export const MAX_UNCONFIRMED_MS = 30 * 24 * 60 * 60 * 1_000

const HASHED = /^\/assets\/.+-[\w-]{8}\.\w+$/

export function wayOf({ method, url, mode }: Asked, origin: string, files: readonly KeptFile[]): Way {
  const address = new URL(url)
  if (method !== 'GET' || address.origin !== origin) return 'pass'
  if (mode === 'navigate') return isConsolePage(address.pathname) ? 'page' : 'pass'
  if (HASHED.test(address.pathname)) return 'file'
  return pathsOf(files).includes(address.pathname) ? 'fresh' : 'pass'
}

export function pathsOf(files: readonly KeptFile[]): string[] {
  return files.map(({ url }) => (url.startsWith('/') ? url : `/${url}`))
}

/** The same build has the same name. */
export function cacheNameOf(files: readonly KeptFile[]): string {
  return CACHE_PREFIX + files.flatMap(({ revision }) => revision ?? []).join('-')
}

/** Of two builds: this one, and the one before it, of which a page may still be open. @param names oldest first */
export function outdated(names: readonly string[], current: string): string[] {
  const others = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== current)
  return others.slice(0, -1)
}

/** Whether a page names nothing but what the build has. @param page its HTML */
export function isOfBuild(page: string, files: readonly KeptFile[]): boolean {
  const known = new Set(pathsOf(files))
  const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  return named.length > 0 && named.every((path) => known.has(path))
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
}

/** As `Content-Type`. */
export function typeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}

export function mayOpenKept(confirmedAt: number, now: number): boolean {
  // A clock that was set back says nothing.
  return now - confirmedAt < MAX_UNCONFIRMED_MS
}
