// A page never looks alive where hookline is not, and no value takes the way out away.
import type { WebSocketRoute } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const flatten = ({ page }: ConsolePage) => page.getByRole('button', { name: 'Flatten paper' })
const price = ({ page }: ConsolePage) => page.locator('.price .figure')
const isStale = async (console: ConsolePage) => (await price(console).getAttribute('class'))?.includes('stale')

describe('a hookline that is stopped', () => {
  it('is said to be, its figures are marked within 10 s, and a line has no answer yet', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await price(console).waitFor()
    expect(await isStale(console)).toBe(false)
    const stoppedAt = Date.now()
    hookline.signal('SIGSTOP')
    await console.type('echo awake')
    await console.badgeSays('No answer')
    expect(Date.now() - stoppedAt).toBeLessThan(10_000)
    expect(await isStale(console)).toBe(true)
    await console.page.getByText('hookline does not answer.', { exact: true }).waitFor()
    await console.page.keyboard.press('Enter')
    await console.prints(/^warning: no answer yet: hookline has sent nothing since \d\d:\d\d:\d\d$/)
    hookline.signal('SIGCONT')
    await console.badgeSays('Connected')
    await console.prints(/^awake$/)
    await expect.poll(() => isStale(console)).toBe(false)
  })
})

describe('what hookline says and no page can show', () => {
  it('leaves the rest of the desk, names what is left out, and marks what is old', async ({ desk }) => {
    let spoil = (text: string) => text
    const routes: WebSocketRoute[] = []
    const { console } = await desk.openPaired({
      prepare: (page) =>
        page.routeWebSocket(/53219/, (route) => {
          routes.push(route)
          const hookline = route.connectToServer()
          hookline.onMessage((text) => route.send(spoil(String(text))))
        }),
    })
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    const positions = (frame: string) => frame.replace(/"entryPrice":"[^"]*"/, '"entryPrice":""')
    const wrong = ['NaN', '1e9', '', '1e-8', '9'.repeat(400)]
    let turn = 0
    spoil = (text) => {
      const figure = wrong[turn++ % wrong.length] ?? ''
      if (text.includes('"state:portfolio"')) return positions(text)
      if (!text.includes('"state:market"')) return text
      return text
        .replace(/"(tick|last|lotSize)":"[^"]*"/g, `"$1":"${figure}"`)
        .replaceAll(/"timestamp":\d+/g, '"timestamp":9e15')
    }
    await console.run('buy $100 BTCUSDT')
    await console.page.getByText('Rows that this page cannot read are left out: positions: BTCUSDT').waitFor()
    spoil = (text) =>
      text.includes('"state:portfolio"') ? text.replace('"positions":[', '"positions":7,"was":[') : text
    await console.run('buy $100 BTCUSDT')
    await console.page.getByText('as last seen', { exact: true }).first().waitFor()
    await console.badgeSays('Connected')
    expect(await flatten(console).isEnabled()).toBe(true)
    spoil = (text) => text
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    await expect.poll(() => console.page.getByText('as last seen', { exact: true }).count()).toBe(0)
    expect(routes).toHaveLength(1)
  })

  it('is a page whose program is gone: it can be loaded again, and the way out stays', async ({ desk }) => {
    const { console } = await desk.openPaired({ expects: /journal-page|Failed to fetch|net::ERR_FAILED/ })
    await console.page.route(/journal-page/, (route) => route.abort())
    await console.goToPage('Journal')
    const fault = console.page.getByRole('alert').filter({ hasText: 'This page cannot be shown.' })
    await fault.getByRole('button', { name: 'Reload' }).waitFor()
    expect(await flatten(console).isEnabled()).toBe(true)
    await console.goToPage('Hooks')
    await fault.waitFor({ state: 'detached' })
    await console.page.unroute(/journal-page/)
    await console.goToPage('Journal')
  })
})
