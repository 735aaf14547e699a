// The console without a mouse, and in a window as narrow as a phone.
import { describe, expect } from 'vitest'
import { type ConsolePage, PAGES } from './console-page.ts'
import { answer, isAsked } from './operator.ts'
import { it } from './stage.ts'

const NARROW = { viewport: { width: 360, height: 740 } }

describe('without a mouse', () => {
  it('a page is paired, a command is run and a hook is made', async ({ stage }) => {
    const console = await stage.openConsole()
    const hookline = await stage.startHookline()
    const { keyboard } = console.page
    await console.tabTo('Connect')
    await keyboard.press('Enter')
    await isAsked(hookline, console)
    await answer(hookline, 'y')
    await console.badgeSays('Connected')

    await console.goTo('`', /^Terminal input/)
    await keyboard.type('buy $100 BTCUSDT')
    await keyboard.press('Enter')
    await console.position('BTCUSDT').waitFor()

    await console.goTo('Alt+2', 'Page')
    await console.pane('Hooks').waitFor()
    await console.tabTo('New hook')
    await console.goTo('Enter', 'Name')
    await keyboard.type('dip')
    await console.tabTo('Command')
    await keyboard.type('echo fired')
    await console.tabTo('Create hook')
    await keyboard.press('Enter')
    await console.hook('dip').waitFor()

    await console.tabTo(/^dip/)
    await console.tabTo('Revoke hook dip')
    await keyboard.press('Enter')
    await console.page.getByRole('dialog', { name: 'Revoke dip?' }).waitFor()
    await keyboard.press('Escape')
    expect(await console.focused()).toMatchObject({ name: 'Revoke hook dip' })
  })

  it('Tab reaches every control, a list at a time, shows where it is, and is caught nowhere', async ({ desk }) => {
    const { console } = await desk.openPaired()
    for (const name of ['dip', 'top']) await console.makeHook(name, 'echo fired')
    await console.reload()
    await console.hook('dip').waitFor()
    const stops = await console.tabAround()
    expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([])
    const names = stops.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'Skip to the terminal',
        'Connection: Connected',
        'Keys',
        'New hook',
        'Flatten paper',
        'Listener: on',
        'Remote runs: on',
        'Accounts: on',
        'Notices',
        'Find or run',
        'Trade',
        'Settings',
        expect.stringMatching(/^Theme: /),
        expect.stringMatching(/^Open the terminal/),
      ]),
    )
    expect(names.filter((name) => /^(dip|top)/.test(name))).toHaveLength(1)
    expect(names.filter((name) => /hook dip$/.test(name))).toEqual([])
  })

  it('a row of orders is reached by arrows, and its buttons by the arrow to the right', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT at -5% po; buy $100 BTCUSDT at -6% po')
    const orders = (await console.openOrders()).getByRole('table', { name: 'Resting orders' })
    await expect.poll(() => orders.getByRole('row').count()).toBe(3)
    await console.page.keyboard.press('Escape')
    await orders.getByRole('row').nth(1).focus()
    await console.page.keyboard.press('ArrowDown')
    await expect.poll(() => orders.getByRole('row').nth(2).and(console.page.locator(':focus')).count()).toBe(1)
    await console.goTo('ArrowRight', /^Edit order/)
    await console.goTo('ArrowRight', /^Cancel order/)
  })

  it('letters and digits fill in the ticket, and Enter sends it', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const { page } = console
    await console.goToPage('Trade')
    await page.getByRole('form', { name: 'Order' }).waitFor()
    for (const key of ['b', 'm', '1']) await page.keyboard.press(key)
    await page.getByRole('button', { name: /^Buy .+Enter$/ }).waitFor()
    await page.keyboard.press('Enter')
    await console.position('BTCUSDT').waitFor()
  })

  it('G and a letter go to a page, and letters that are switched off are left alone', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const { page } = console
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL('**/settings')
    await page.getByLabel(/^Single-letter/).uncheck()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.keyboard.press('Alt+3')
    await page.waitForURL('**/journal')
  })
})

/** Fails where something of the page is out of reach to the side. */
async function fitsTheWindow(console: ConsolePage): Promise<void> {
  expect(await console.outOfReach()).toEqual([])
}

describe('in a window 360 px wide', () => {
  it('every page is reached by the bar at the foot, and nothing is to the side', async ({ stage }) => {
    const { console } = await stage.openPaired(NARROW)
    await console.run('buy $100 BTCUSDT; stop at -2%')
    await console.prints(/^order .+ stop /)
    await fitsTheWindow(console)
    await console.page.keyboard.press('Escape')
    for (const page of PAGES) {
      await console.goToPage(page)
      await fitsTheWindow(console)
    }
    await console.page.getByRole('button', { name: /^Account paper/ }).click()
    await console.press('Accounts and settings')
    await console
      .pane('Accounts')
      .getByRole('row', { name: /^paper/ })
      .waitFor()
    stage.setFlags({ remoteExec: false, accountSync: false })
    await console.page.getByText('Remote runs are off.').waitFor()
    await fitsTheWindow(console)
  })

  it('a page is paired, a command is run and a hook is made', async ({ stage }) => {
    const console = await stage.openConsole(NARROW)
    await fitsTheWindow(console)
    const hookline = await stage.startHookline()
    await console.follow('Connect')
    await isAsked(hookline, console)
    await fitsTheWindow(console)
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^bought /)
    await console.position('BTCUSDT').waitFor()
    await console.makeHook('dip', 'echo fired')
    await fitsTheWindow(console)
  })
})
