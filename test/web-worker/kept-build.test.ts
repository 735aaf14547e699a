// What the console's worker does with a request, and which builds it keeps.
import { describe, expect, it } from 'vitest'
import {
  cacheNameOf,
  isOfBuild,
  MAX_UNCONFIRMED_MS,
  mayOpenKept,
  outdated,
  wayOf,
} from '../../src/web-worker/kept-build.ts'

const ORIGIN = 'http://127.0.0.1:53220'
const FILES = [
  { url: 'index.html', revision: 'aa', integrity: 'sha256-a' },
  { url: 'manifest.webmanifest', revision: 'bb', integrity: 'sha256-b' },
  { url: 'assets/index-BQ2x_3aZ.js', revision: null, integrity: 'sha256-c' },
]

const way = (path: string, { method = 'GET', mode = 'no-cors' } = {}) =>
  wayOf({ method, mode, url: new URL(path, ORIGIN).href }, ORIGIN, FILES)

describe('a request of the console', () => {
  it.each([
    ['/', 'navigate', 'page'],
    ['/trade/BTCUSDT', 'navigate', 'page'],
    ['/journal?state=failed', 'navigate', 'page'],
    ['/nothing', 'navigate', 'pass'],
    ['/api/settings', 'navigate', 'pass'],
    ['/api/settings', 'cors', 'pass'],
    ['/api/assets/index-BQ2x_3aZ.js', 'cors', 'pass'],
    ['/assets/index-BQ2x_3aZ.js', 'cors', 'file'],
    ['/assets/of-another-build-AAAAAAAA.js', 'cors', 'file'],
    ['/assets/unhashed.js', 'cors', 'pass'],
    ['/manifest.webmanifest', 'cors', 'fresh'],
    ['/sw.js', 'same-origin', 'pass'],
    ['http://127.0.0.1:53219/health', 'cors', 'pass'],
    ['http://localhost:53220/assets/index-BQ2x_3aZ.js', 'cors', 'pass'],
  ])('%s as %s goes the way %s', (path, mode, expected) => {
    expect(way(path, { mode })).toBe(expected)
  })

  it('that is no GET passes', () => {
    for (const method of ['HEAD', 'POST', 'PATCH']) expect(way('/', { method, mode: 'navigate' })).toBe('pass')
  })
})

describe('what is kept', () => {
  it('has a name that changes with any file that has no hash', () => {
    const changed = FILES.map((file) => (file.revision === 'bb' ? { ...file, revision: 'cc' } : file))
    expect(cacheNameOf(FILES)).toBe('hookline.console.aa-bb')
    expect(cacheNameOf(changed)).not.toBe(cacheNameOf(FILES))
  })

  it('is this build and the one before it', () => {
    const names = ['hookline.console.1', 'another site’s', 'hookline.console.2', 'hookline.console.3']
    expect(outdated(names, 'hookline.console.3')).toEqual(['hookline.console.1'])
    expect(outdated(names, 'hookline.console.1')).toEqual(['hookline.console.2'])
    expect(outdated(['hookline.console.1'], 'hookline.console.1')).toEqual([])
  })

  it('is refused where the page names a file of another build, or none', () => {
    const page = (name: string) => `<script src="/assets/${name}"></script>`
    expect(isOfBuild(page('index-BQ2x_3aZ.js'), FILES)).toBe(true)
    expect(isOfBuild(page('index-BQ2x_3aZ.js') + page('index-CCCCCCCC.js'), FILES)).toBe(false)
    expect(isOfBuild('<p>not the console</p>', FILES)).toBe(false)
  })

  it('is not opened once no web server has confirmed it for 30 days', () => {
    const now = 1_800_000_000_000
    expect(mayOpenKept(now - MAX_UNCONFIRMED_MS + 1, now)).toBe(true)
    expect(mayOpenKept(now - MAX_UNCONFIRMED_MS, now)).toBe(false)
    expect(mayOpenKept(0, now)).toBe(false)
  })
})
