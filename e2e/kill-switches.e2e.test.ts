// The three flags of config.json, flipped by an editor while a page is open.
import { describe, expect } from 'vitest'
import { questions } from './operator.ts'
import { it, NO_HOOKLINE } from './stage.ts'

describe('a kill switch flipped while the page is open', () => {
  it('refuses commands and fires without remoteExec, and says so, until it is on again', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.makeHook('dip', 'echo fired')
    desk.setFlags({ remoteExec: false })
    const lamp = (state: string) => console.page.getByRole('switch', { name: `Remote runs: ${state}`, exact: true })
    await lamp('off').waitFor()
    await console.page.getByText('Remote runs are off.').waitFor()
    await console.openTerminal()
    await console.pane('Hooks').getByText('Fires are answered 423 and run nothing').waitFor()
    await console.pane('Terminal').getByText('Remote runs are off: no page can trade').waitFor()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^error: .*remoteExec/)
    expect(await desk.fire('dip')).toMatchObject({ status: 423 })
    await (await console.open('Portfolio')).getByText('No open positions.').waitFor()

    desk.setFlags({ remoteExec: true })
    await lamp('on').waitFor()
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    expect(await desk.fire('dip')).toMatchObject({ status: 200 })
  })

  it('shows no accounts without accountSync, says why, and shows them when it is on again', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const accounts = await console.open('Accounts')
    await accounts.getByRole('row', { name: /^paper / }).waitFor()
    desk.setFlags({ accountSync: false })
    const hidden = 'Accounts are off: no page sees balances, positions or orders.'
    for (const reload of [false, true]) {
      if (reload) await console.reload()
      await console.page.getByRole('switch', { name: 'Accounts: off', exact: true }).waitFor()
      for (const pane of ['Portfolio', 'Accounts'] as const)
        await (await console.open(pane)).getByText(hidden).waitFor()
    }
    expect(await accounts.getByRole('row').count()).toBe(0)
    await console.run('symbol')
    await console.prints(/^BTCUSDT /)

    desk.setFlags({ accountSync: true })
    await accounts.getByRole('row', { name: /^paper / }).waitFor()
  })

  it('cuts the page off without enabled, and lets it in by itself when it is on again', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired({ expects: NO_HOOKLINE })
    const asked = questions(hookline)
    desk.setFlags({ enabled: false })
    await console.badgeSays('Switched off')
    await expect
      .poll(async () => (await console.advice()).textContent())
      .toContain('{ "listener": { "enabled": true } }')
    await console.run('positions')
    await console.prints(/^error: .*nothing was sent/)

    desk.setFlags({ enabled: true })
    await console.badgeSays('Connected')
    expect(questions(hookline)).toBe(asked)
    await console.run('echo back')
    await console.prints(/^back$/)
  })
})

describe('panic', () => {
  it('turns off every button that hookline would refuse, on a phone too, until resume', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired({ viewport: { width: 390, height: 844 } })
    const { page } = console
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^bought /)
    await page.keyboard.press('Escape')
    hookline.send('panic\r')
    await page.getByText('Panic is on.').waitFor()
    await page.getByRole('status', { name: 'State of the account' }).getByText('panic').waitFor()
    const acts = page.getByRole('button', {
      name: /^(Buy|Sell|Flatten paper|Close all positions|Close (the|\d+ %)|Reverse)/,
    })
    const areOff = async () => (await Promise.all((await acts.all()).map((each) => each.isDisabled()))).every(Boolean)
    await expect.poll(areOff).toBe(true)
    expect(await acts.count()).toBeGreaterThanOrEqual(5)

    hookline.send('resume\r')
    await page.getByText('Panic is on.').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Buy', exact: true }).isEnabled()).toBe(true)
  })
})

describe('a file that a person broke', () => {
  it('is named on every page, until it can be read again', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.makeHook('dip', 'echo fired')
    const good = desk.readJson('hooks.json')
    desk.writeJson('hooks.json', { hooks: 'none' })
    const banner = console.page.getByRole('region', { name: 'What is wrong' })
    await banner.getByText('hookline cannot use 1 invalid file.').waitFor()
    await expect.poll(() => banner.textContent()).toContain('hooks.json')
    desk.writeJson('hooks.json', good)
    await banner.waitFor({ state: 'detached' })
  })
})

describe('an origin that is not allowed', () => {
  it('is told the line for config.json, and is let in once it is there', async ({ stage }) => {
    stage.setFlags({ allowedOrigins: ['https://elsewhere.example'] })
    const console = await stage.openConsole({ expects: NO_HOOKLINE })
    const hookline = await stage.startHookline()
    await console.follow('Connect')
    await console.badgeSays('Origin refused')
    const advice = await console.advice()
    await expect
      .poll(() => advice.textContent())
      .toContain('hookline does not accept pages from http://127.0.0.1:53220')
    expect(questions(hookline)).toBe(0)

    const line = await advice.getByRole('code').textContent()
    stage.writeJson('config.json', JSON.parse(line ?? ''))
    await console.badgeSays('Waiting for your y')
    await hookline.shows('approve it? y or n')
  })

  it('loses a page that is already in', async ({ stage }) => {
    await stage.startWeb()
    const { console } = await stage.openPaired({ expects: NO_HOOKLINE })
    stage.setFlags({ allowedOrigins: ['https://elsewhere.example'] })
    await console.badgeSays('Origin refused')
  })
})
