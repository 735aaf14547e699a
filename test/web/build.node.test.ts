// The console as built: `npm run build` comes first, as in `npm test`.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { integrityOf } from '../../scripts/console-integrity.mjs'

const BUILT = resolve(import.meta.dirname, '../../dist/web')
const files = readdirSync(BUILT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const page = readFileSync(join(BUILT, 'index.html'), 'utf8')

const IMPORTS = /(?:from|import)\s*["'`]\.\/([\w.-]+)["'`]/g

/** What a first visit loads: the page's own files, the program, all that they import, and the page of the desk that is shown first. */
function reachedFrom(html: string, firstPage: string): readonly string[] {
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    if (!file.endsWith('.js')) return
    const code = readFileSync(file, 'utf8')
    for (const [, name] of code.matchAll(IMPORTS)) visit(join(BUILT, 'assets', name ?? ''))
  }
  for (const [, name] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) visit(join(BUILT, name ?? ''))
  for (const file of files) if (/^main-/.test(basename(file)) || basename(file).startsWith(`${firstPage}-`)) visit(file)
  return [...reached]
}

describe('the built console', () => {
  it('loads at most 165 kB before a chart or an editor, compressed', () => {
    const loaded = reachedFrom(page, 'trade-page')
    const bytes = loaded.map((file) => gzipSync(readFileSync(file)).length).reduce((sum, size) => sum + size)
    expect(loaded.length).toBeGreaterThan(4)
    expect(bytes).toBeLessThanOrEqual(165_000)
  })

  it('leaves the palette and the other pages for when they are wanted', () => {
    const names = reachedFrom(page, 'trade-page').map((file) => basename(file))
    expect(names.filter((name) => /^(palette|hooks-page|journal-page|settings-page)/.test(name))).toEqual([])
  })

  it('has no inline script but the hashes of all others, and no inline style or handler', () => {
    expect(page.match(/<script(?![^>]* src=)[^>]*>/g)).toEqual(['<script type="importmap">'])
    const { integrity } = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(page)?.[1] ?? '')
    const scripts = readdirSync(join(BUILT, 'assets')).filter((name) => name.endsWith('.js'))
    const hashes = scripts.map((name) => [`/assets/${name}`, integrityOf(readFileSync(join(BUILT, 'assets', name)))])
    expect(integrity).toEqual(Object.fromEntries(hashes))
    expect(page.match(/<(?:script|link rel="stylesheet")[^>]* (?:src|href)=[^>]*>/g)).toEqual([
      expect.stringContaining(' integrity="sha256-'),
      expect.stringContaining(' integrity="sha256-'),
    ])
    expect(page).not.toMatch(/<style|\son\w+=|style=/)
  })

  it('has words to paint before its program runs, and their style comes before the program', () => {
    expect(page).toMatch(/<div id="root">\s*<p[^>]*>hookline/)
    expect(page.indexOf('rel="stylesheet"')).toBeGreaterThan(0)
    expect(page.indexOf('rel="stylesheet"')).toBeLessThan(page.indexOf('<script'))
    expect(page).not.toContain('modulepreload')
    const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = '']) =>
      readFileSync(join(BUILT, path), 'utf8'),
    )
    expect(scripts).toHaveLength(1)
    expect(scripts.flatMap((code) => [...code.matchAll(IMPORTS)])).toEqual([])
    expect(scripts.join().length).toBeLessThan(8_000)
  })

  it('refers only to files with a hash in their names, of its own origin, and to its manifest', () => {
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference)
    expect(references.length).toBeGreaterThanOrEqual(3)
    expect(references).toContain('/manifest.webmanifest')
    for (const reference of references.filter((each) => each !== '/manifest.webmanifest'))
      expect(reference).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.\w+$/)
  })

  it('has a worker that keeps every file of it once, and asks for no other script', () => {
    const worker = readFileSync(join(BUILT, 'sw.js'), 'utf8')
    const kept = [...worker.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => join(BUILT, url ?? '')).sort()
    expect(kept).toEqual(files.filter((file) => basename(file) !== 'sw.js').sort())
    expect(worker).not.toMatch(/importScripts|\bimport\b/)
  })

  it('offers what may be typed in a page, and nothing else', () => {
    const script = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(file, 'utf8'))
    const table = script.join().replaceAll(/[`'"]/g, "'")
    expect(table).toMatch(/names:\['positions','pos'\]/)
    expect(table).not.toMatch(/names:\['approve'/)
  })
})
