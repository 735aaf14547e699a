// The console as built: `npm run build` comes first, as in `npm test`.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const BUILT = resolve(import.meta.dirname, '../../dist/web')
const files = readdirSync(BUILT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const page = readFileSync(join(BUILT, 'index.html'), 'utf8')

describe('the built console', () => {
  it('loads at most 250 kB, compressed', () => {
    const bytes = files.map((file) => gzipSync(readFileSync(file)).length).reduce((sum, size) => sum + size)
    expect(bytes).toBeLessThanOrEqual(250_000)
  })

  it('has no inline script, style or handler, which its policy would refuse', () => {
    expect(page.match(/<script(?![^>]* src=)/g)).toBeNull()
    expect(page).not.toMatch(/<style|\son\w+=|style=/)
  })

  it('refers only to files with a hash in their names, of its own origin', () => {
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference)
    expect(references.length).toBeGreaterThanOrEqual(3)
    for (const reference of references) expect(reference).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.\w+$/)
  })

  it('offers what may be typed in a page, and nothing else', () => {
    const script = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(file, 'utf8'))
    const table = script.join().replaceAll(/[`'"]/g, "'")
    expect(table).toMatch(/names:\['positions','pos'\]/)
    expect(table).not.toMatch(/names:\['approve'/)
  })
})
