// The console without a mouse, and in a window as narrow as a phone.
import { describe, expect } from 'vitest'
import { type ConsolePage, PANELS } from './console-page.ts'
import { answer, isAsked } from './operator.ts'
import { it, type Stage } from './stage.ts'

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

    await console.goTo('Control+k', /^Terminal input/)
    await keyboard.type('buy $100 BTCUSDT')
    await keyboard.press('Enter')
    await console.position('BTCUSDT').waitFor()

    await console.goTo('Alt+2', 'Hooks')
    await console.tabTo('New hook', 'Shift+Tab')
    await console.goTo('Enter', 'Name')
    await keyboard.type('dip')
    await console.tabTo('Command')
    await keyboard.type('echo fired')
    await console.tabTo('Create hook')
    await keyboard.press('Enter')
    await console.hook('dip').waitFor()

    await console.tabTo('Revoke hook dip')
    await keyboard.press('Enter')
    await console.page.getByRole('dialog', { name: 'Revoke dip?' }).waitFor()
    await keyboard.press('Escape')
    expect(await console.focused()).toMatchObject({ name: 'Revoke hook dip' })
  })

  it('Tab reaches every control, shows where it is, and is caught nowhere', async ({ stage }) => {
    const { console } = await stage.openPaired()
    await console.makeHook('dip', 'echo fired')
    await console.run('buy $100 BTCUSDT; stop at -2%')
    await console.position('BTCUSDT').waitFor()
    const cancel = console.panel('Portfolio').getByRole('button', { name: /^Cancel order/ })
    await cancel.waitFor()
    await console.page.reload()
    await console.badgeSays('Connected')
    await console.hook('dip').waitFor()
    await cancel.waitFor()
    const stops = await console.tabAround()
    expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([])
    expect(stops.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['Skip to the terminal', 'Connection: Connected', 'Keyboard help', 'New hook', 'Copy curl line of hook dip'],
        ...['Rotate token of hook dip', 'Revoke hook dip', 'Open positions, table', 'Accounts, table'],
        ...[
          expect.stringMatching(/^Theme: /),
          expect.stringMatching(/^Terminal input/),
          expect.stringMatching(/^Cancel order/),
        ],
      ]),
    )
  })
})

/** Fails where something of the page is out of reach to the side. */
async function fitsTheWindow(console: ConsolePage): Promise<void> {
  expect(await console.outOfReach()).toEqual([])
}

async function goThroughTabs(console: ConsolePage, stage: Stage): Promise<void> {
  const tab = (name: string) => console.page.getByRole('tab', { name, exact: true })
  await tab('Terminal').focus()
  for (const name of PANELS) {
    await tab(name).and(console.page.locator('[aria-selected=true]')).waitFor()
    await console.panel(name).waitFor()
    expect(
      await console.page
        .getByRole('region')
        .filter({ has: console.page.locator('h2') })
        .count(),
    ).toBe(1)
    await fitsTheWindow(console)
    await console.page.keyboard.press('ArrowRight')
  }
  expect(stage.faults).toEqual([])
}

describe('in a window 360 px wide', () => {
  it('everything is reached through the tabs, and nothing to the side', async ({ stage }) => {
    const { console } = await stage.openPaired(NARROW)
    await console.run('buy $100 BTCUSDT; stop at -2%')
    await console.prints(/^order .+ stop /)
    await goThroughTabs(console, stage)
    stage.setFlags({ remoteExec: false, accountSync: false })
    await console.page.getByText('accounts hidden').waitFor()
    await fitsTheWindow(console)
  })

  it('a page is paired, a command is run and a hook is made', async ({ stage }) => {
    const console = await stage.openConsole(NARROW)
    await fitsTheWindow(console)
    const hookline = await stage.startHookline()
    await console.press('Connect')
    await isAsked(hookline, console)
    await fitsTheWindow(console)
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^bought /)
    await console.page.getByRole('tab', { name: 'Portfolio' }).click()
    await console.position('BTCUSDT').waitFor()
    await console.page.getByRole('tab', { name: 'Hooks' }).click()
    await console.makeHook('dip', 'echo fired')
    await fitsTheWindow(console)
  })
})
