// What a visit costs, and what the page is held to while it loads.
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { ENTRY_PAGE } from '../src/protocol/console.ts'
import { it } from './stage.ts'

/** The initial load, compressed. */
const MAX_LOAD_BYTES = 160_000

describe('the first load', () => {
  it('is at most 160 kB compressed, all from one origin', async ({ desk }) => {
    const loaded: { readonly url: string; readonly bytes: Promise<number> }[] = []
    const console = await desk.openConsole({
      prepare: async (page) =>
        page.on('response', (response) => {
          // The page that leads in is gone before it can be read here.
          const isEntry = response.request().isNavigationRequest() && response.request().method() === 'GET'
          const bytes = isEntry
            ? Promise.resolve(gzipSync(ENTRY_PAGE.html).length)
            : response.body().then((body) => gzipSync(body).length)
          loaded.push({ url: response.url(), bytes })
        }),
    })
    await console.badgeSays('Not connected')
    await console.page.waitForLoadState('networkidle')
    const sizes = await Promise.all(loaded.map(({ bytes }) => bytes))
    expect(loaded.length).toBeGreaterThan(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_LOAD_BYTES)
    expect([...new Set(loaded.map(({ url }) => new URL(url).origin))]).toEqual(['http://127.0.0.1:53220'])
  })

  it('says so when the program cannot be had, and is whole after a reload', async ({ desk }) => {
    let isGone = true
    const console = await desk.openConsole({
      expects: /main-.+\.js|Failed to (load|fetch)|ERR_FAILED/,
      hasProgram: false,
      prepare: (page) => page.route('**/assets/main-*.js', (route) => (isGone ? route.abort() : route.continue())),
    })
    await console.page.getByText(/The console could not be loaded\. Reload the page\. \(.*main-/).waitFor()
    isGone = false
    await console.reload()
    await console.badgeSays('Not connected')
  })

  it('shifts nothing worth seeing, up to the moment when all panels are filled', async ({ stage }) => {
    const { console } = await stage.openPaired({ prepare: (page) => page.addInitScript(NOTE_SHIFTS) })
    await console.reload()
    await console.badgeSays('Connected')
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
    expect(await console.page.evaluate('shifts.filter(({ value }) => value > 0.001)')).toEqual([])
  })
})

const NOTE_SHIFTS = `
  globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? node?.nodeName) })
  }).observe({ type: 'layout-shift', buffered: true })
`

describe('the content security policy', () => {
  it('refuses an inline script, text run as code, a frame, and another address', async ({ desk }) => {
    const console = await desk.openConsole({ expects: /Content Security Policy|requires 'Trusted/ })
    await console.badgeSays('Not connected')
    for (const [attempt, report] of [
      ["document.head.appendChild(document.createElement('script')).textContent = 'window.ran = 1'", /TrustedScript/],
      [
        "document.body.appendChild(document.createElement('b')).setAttribute('onclick', 'window.ran = 1')",
        /TrustedScript/,
      ],
      ["document.body.appendChild(document.createElement('iframe')).src = 'https://example.com/'", /^Framing /],
      ["void fetch('http://127.0.0.1:9/').catch(() => {})", /^Connecting to /],
    ] as const) {
      const reports = () => desk.expectedFaults.filter((text) => report.test(text)).length
      const before = reports()
      // What trusted types refuse throws too.
      await console.page.evaluate(`try { ${attempt} } catch {}`)
      await expect.poll(reports, { message: attempt }).toBe(before + 1)
    }
    expect(await console.page.evaluate('window.ran')).toBeUndefined()
  })
})
