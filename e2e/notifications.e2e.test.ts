// What a person is told while they look elsewhere: the title, sounds, the system's own notifications; by one tab of several.
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

/** Notes what would be shown and heard; the browser's answer to the question is `granted`. */
const STAND_INS = `
  globalThis.asked = 0
  globalThis.shown = []
  globalThis.heard = 0
  globalThis.isLooking = true
  globalThis.Notification = class extends EventTarget {
    static permission = localStorage.getItem('test.permission') ?? 'default'
    static async requestPermission() {
      asked++
      localStorage.setItem('test.permission', 'granted')
      return (Notification.permission = 'granted')
    }
    constructor(title, { body, tag }) {
      super()
      shown.push({ title, body, tag })
      globalThis.lastShown = this
    }
    close() {}
  }
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (...parameters) {
    heard++
    return start.apply(this, parameters)
  }
  Document.prototype.hasFocus = () => isLooking
`
const prepare = (page: ConsolePage['page']) => page.addInitScript(STAND_INS)

/** Tabs that would tell if they were asked to. */
const WAITING_TABS = `navigator.locks.query()
  .then(({ pending }) => pending.filter(({ name }) => name === 'hookline.teller').length)`

const shownIn = ({ page }: ConsolePage) => page.evaluate<{ body: string }[]>('shown')
const looksAway = ({ page }: ConsolePage) => page.evaluate('isLooking = false')

describe('a notice', () => {
  it('is in the title until it was looked at, and asks the browser for nothing', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired({ prepare })
    hookline.send('notify "one"; notify "two"\r')
    await expect.poll(() => console.page.title()).toBe('(2) hookline')
    await console.page.getByRole('button', { name: 'Notices, 2 new' }).click()
    await expect.poll(() => console.page.title()).toBe('hookline')
    expect(await console.page.evaluate('[asked, shown.length, heard]')).toEqual([0, 0, 0])
  })

  it('is shown by the system where that was clicked and nobody looks, as text, of what was chosen', async ({
    stage,
  }) => {
    const { hookline, console } = await stage.openPaired({ prepare })
    const { page } = console
    await console.goToPage('Settings')
    expect(await page.evaluate('asked')).toBe(0)
    await page.getByLabel('System notifications').check()
    expect(await page.evaluate('asked')).toBe(1)
    hookline.send('notify "while it is in front"\r')
    await page.getByRole('button', { name: 'Notices, 1 new' }).waitFor()
    await looksAway(console)
    hookline.send('notify "<b>behind</b>"\r')
    await expect.poll(() => shownIn(console)).toHaveLength(1)
    expect((await shownIn(console))[0]).toMatchObject({ title: 'hookline', body: '<b>behind</b>' })

    await page.getByLabel('What a line sends with notify').uncheck()
    hookline.send('notify "not chosen"; halt paper\r')
    await expect.poll(() => shownIn(console)).toHaveLength(2)
    expect((await shownIn(console))[1]?.body).toMatch(/paper/)
    await page.goto('http://127.0.0.1:53220/settings')
    await console.badgeSays('Connected')
    expect(await page.getByLabel('System notifications').isChecked()).toBe(true)
    await page.evaluate('isLooking = false')
    hookline.send('resume\r')
    await expect.poll(() => shownIn(console)).not.toEqual([])
    await page.evaluate("lastShown.dispatchEvent(new Event('click'))")
    await page.waitForURL('**/trade')
  })

  it('is told by one tab of two, and by none while either is in front', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired({ prepare })
    await console.goToPage('Settings')
    await console.page.getByLabel('System notifications').check()
    await console.page.getByLabel('A short sound').check()
    const second = await stage.openTab(console.page.context(), { prepare })
    await second.badgeSays('Connected')
    await expect.poll(() => second.page.evaluate(WAITING_TABS)).toBe(1)
    await looksAway(console)
    hookline.send('notify "the other is in front"\r')
    await expect.poll(() => console.page.evaluate('heard')).toBe(1)
    await second.page.getByRole('button', { name: /^Notices, [1-9]/ }).waitFor()
    await looksAway(second)
    hookline.send('notify "nobody looks"\r')
    const all = async () => [...(await shownIn(console)), ...(await shownIn(second))].map(({ body }) => body)
    await expect.poll(all).toEqual(['nobody looks'])
    expect(await second.page.evaluate('heard')).toBe(0)

    await console.page.close()
    await expect.poll(() => second.page.evaluate(WAITING_TABS)).toBe(0)
    hookline.send('notify "to the one that is left"\r')
    await expect.poll(() => shownIn(second)).toHaveLength(1)
    await expect.poll(() => second.page.evaluate('heard')).toBe(1)
  })
})
