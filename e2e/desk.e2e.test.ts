// The frame of the desk: addresses, what opens everywhere, the switches and the way out, and what one tab chooses for itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect } from 'vitest'
import { it, type Stage } from './stage.ts'

const row = (name: string) => ({ name, exchange: 'paper', createdAt: 1, updatedAt: 1 })

describe('an address of the desk', () => {
  it('shows its page after a reload, and the button back shows the one before', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.goToPage('Hooks')
    await console.goToPage('Journal')
    await console.reload()
    await console.badgeSays('Connected')
    await console.pane('Journal').waitFor()
    await console.page.goBack()
    await console.pane('Hooks').waitFor()
  })

  it('names the symbol that commands of this tab run on, and of this tab only', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.page.goto('http://127.0.0.1:53220/trade/ETHUSDT')
    await console.badgeSays('Connected')
    await console.page.getByRole('button', { name: /^Symbol ETHUSDT/ }).waitFor()
    await console.run('buy $100')
    await console.prints(/^paper \[ETHUSDT\] > buy \$100$/)
    await console.position('ETHUSDT').waitFor()
    expect(hookline.typed()).toMatch(/BTCUSDT/)
  })

  it('that is no page of it gets 404', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const status = (path: string) => console.page.evaluate<number>(`fetch('${path}').then(({ status }) => status)`)
    expect([await status('/trade/BTCUSDT'), await status('/settings/clients')]).toEqual([200, 200])
    desk.faults.length = 0
    const before = desk.faults.length
    expect(await status('/trades')).toBe(404)
    await expect.poll(() => desk.faults.length).toBeGreaterThan(before)
    desk.faults.length = before
  })
})

/** What the preview in a question says, row by row. */
async function says(question: Locator, rows: readonly (readonly [title: string, value: RegExp])[]): Promise<void> {
  for (const [title, value] of rows) {
    const row = question.locator('.consequences dl > div').filter({ hasText: title })
    await expect.poll(() => row.locator('dd').allTextContents()).toContainEqual(expect.stringMatching(value))
  }
}

describe('Flatten', () => {
  it('cancels and closes all of the account by a held press, and the terminal shows the line', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT; stop at -2%; buy $100 ETHUSDT at -5% po')
    const orders = await console.openOrders()
    await expect.poll(() => orders.getByRole('button', { name: /^Cancel order/ }).count()).toBe(2)
    const positions = await console.open('Portfolio')
    await console.hold(/^Flatten/)
    await console.prints(/> nuke --yes$/)
    expect(await console.page.getByRole('dialog').count()).toBe(0)
    await positions.getByText('No open positions.').waitFor()
    await (await console.openOrders()).getByText('No resting orders.').waitFor()
  })

  it('asks in words where the mouse is pressed shortly, and does nothing where it leaves the button', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    const button = console.page.getByRole('button', { name: /^Flatten/ })
    const question = console.page.getByRole('dialog', { name: 'Flatten paper?' })
    await button.hover()
    await console.page.mouse.down()
    await console.page.mouse.move(0, 0)
    await console.page.mouse.up()
    expect(await question.count()).toBe(0)
    await button.click({ delay: 50 })
    await says(question, [
      ['You sell', /^0\.00\d BTC for [\d.]+ USDT$/],
      ['Position in BTCUSDT', /^0\.00\d → 0 BTC$/],
    ])
    await question.getByRole('button', { name: 'Change nothing' }).click()
    expect(await console.position('BTCUSDT').count()).toBe(1)
    await button.click()
    await question.getByRole('button', { name: 'Flatten' }).click()
    await console.prints(/> nuke --yes$/)
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
  })

  it('asks in words where a key is pressed shortly, and Escape leaves all as it is', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT; buy $100 ETHUSDT at -5%')
    await console.position('BTCUSDT').waitFor()
    await console.page.getByRole('button', { name: /^Flatten/ }).focus()
    await console.page.keyboard.press('Enter')
    const question = console.page.getByRole('dialog', { name: 'Flatten paper?' })
    await says(question, [
      ['You sell', /^0\.00\d BTC for [\d.]+ USDT$/],
      ['Price', /^about [\d,]+\.\d$/],
      ['Cancels', /^buy [\d.]+ ETHUSDT at [\d,.]+$/],
      ['Position in BTCUSDT', /^0\.00\d → 0 BTC$/],
    ])
    await question.getByText('nuke --yes', { exact: true }).waitFor()
    await console.page.keyboard.press('Escape')
    expect(await console.position('BTCUSDT').count()).toBe(1)
    await console.page.keyboard.press('Enter')
    await console.page.getByRole('dialog').getByRole('button', { name: 'Flatten' }).click()
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
  })

  it('has a menu that halts, and the banner says so until the terminal resumes', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT stop -2%')
    await console.position('BTCUSDT').waitFor()
    await console.press('More ways to stop')
    await console.page.getByRole('button', { name: /^Flatten and halt/ }).click()
    const both = console.page.getByRole('dialog', { name: 'Flatten and halt paper?' })
    await says(both, [
      ['You sell', /^0\.00\d BTC for [\d.]+ USDT$/],
      ['Position in BTCUSDT', /^0\.00\d → 0 BTC$/],
    ])
    await both.getByText('would cancel 1 reduce-only order after the close').waitFor()
    await both.getByText('halt paper --flatten --yes', { exact: true }).waitFor()
    await console.press('Go on trading')
    await console.press('More ways to stop')
    await console.page.getByRole('button', { name: /^Panic/ }).click()
    await console.page
      .getByRole('dialog', { name: 'Panic: end every run?' })
      .getByText('panic', { exact: true })
      .waitFor()
    await console.press('Go on trading')
    await console.press('More ways to stop')
    await console.page.getByRole('button', { name: /^Halt/ }).click()
    const question = console.page.getByRole('dialog', { name: 'Halt paper?' })
    await question.getByText('account paper keeps 1 open order and 1 position; what rests may still fill').waitFor()
    await question.getByText('halt paper', { exact: true }).waitFor()
    await question.getByRole('button', { name: 'Halt' }).click()
    await console.page.getByText('Halted.', { exact: true }).waitFor()
    hookline.send('resume\r')
    await console.page.getByText('Halted.', { exact: true }).waitFor({ state: 'detached' })
  })
})

/** The palette is open, and its program does not come before `arrive` is called. */
async function openWithHeldPalette(stage: Stage) {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const { console } = await stage.openPaired({
    prepare: (page) =>
      page.route('**/assets/palette-*.js', async (route) => {
        await arrived
        await route.continue()
      }),
  })
  await console.openTerminal()
  await console.page.keyboard.press('Control+k')
  return { console, arrive }
}

describe('the palette', () => {
  it('puts a line into the terminal and runs nothing by itself', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    await console.page.keyboard.press('Control+k')
    await console.page.keyboard.type('close the btc')
    await console.page.getByRole('option', { name: /^Close the BTCUSDT long/ }).waitFor()
    await console.page.keyboard.press('Enter')
    await expect.poll(() => console.typedRow()).toMatch(/> close BTCUSDT$/)
    expect(await console.position('BTCUSDT').count()).toBe(1)
    await console.page.keyboard.press('Enter')
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
  })

  it('takes what is typed while it is still being loaded', async ({ desk }) => {
    const held = await openWithHeldPalette(desk)
    const { page } = held.console
    await page.keyboard.type('jour')
    held.arrive()
    await page.getByRole('option', { name: 'Journal G J' }).waitFor()
    await page.keyboard.type('nal')
    await expect.poll(() => page.getByRole('combobox', { name: 'Find or run' }).inputValue()).toBe('journal')
    expect(await held.console.terminalInput.inputValue()).toBe('')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/journal$/)
  })

  it('takes Enter too while it is being loaded, for what had been typed', async ({ desk }) => {
    const held = await openWithHeldPalette(desk)
    await held.console.page.keyboard.type('show pos')
    await held.console.page.keyboard.press('Enter')
    held.arrive()
    await expect.poll(() => held.console.typedRow()).toMatch(/> positions$/)
    expect(await held.console.page.getByRole('dialog', { name: 'Find or run' }).count()).toBe(0)
  })

  it('goes to pages', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.page.keyboard.press('Control+k')
    await console.page.getByRole('dialog', { name: 'Find or run' }).waitFor()
    await console.page.keyboard.type('settin')
    await console.page.keyboard.press('Enter')
    await console.pane('Accounts').waitFor()
  })
})

describe('the account of a tab', () => {
  it('is chosen in the header, named by the prompt, and leaves the terminal’s focus alone', async ({ stage }) => {
    writeFileSync(join(stage.directory, 'accounts.json'), JSON.stringify({ accounts: [row('paper'), row('second')] }), {
      mode: 0o600,
    })
    const { hookline, console } = await stage.openPaired()
    await console.page.getByRole('button', { name: /^Account paper/ }).click()
    await console.page.getByRole('button', { name: /^second/ }).click()
    await console.page.getByRole('button', { name: /^Account second/ }).waitFor()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^second \[BTCUSDT\] > buy \$100 BTCUSDT$/)
    await console.prints(/^bought /)
    expect(hookline.typed()).toMatch(/^paper /)
    await console.position('BTCUSDT').waitFor()
    expect(await console.pane('Portfolio').getByText('second, in USDT').count()).toBe(1)
  })
})

describe('a switch in the header', () => {
  it('is turned off by a held press, and a short one asks in words', async ({ stage }) => {
    const { console } = await stage.openPaired()
    await console.page.getByRole('switch', { name: 'Remote runs: on' }).click()
    const button = console.page.getByRole('button', { name: 'Hold to turn off' })
    await button.click({ delay: 50 })
    await console.press('Leave it on')
    expect(stage.readJsonIfAny<{ listener?: object }>('config.json')?.listener ?? {}).not.toHaveProperty('remoteExec')
    await console.page.getByRole('switch', { name: 'Remote runs: on' }).click()
    await console.hold('Hold to turn off')
    await console.page.getByRole('switch', { name: 'Remote runs: off' }).waitFor()
    // The switch acts before its file is written.
    await expect
      .poll(() => stage.readJsonIfAny<{ listener: object }>('config.json')?.listener)
      .toMatchObject({ remoteExec: false })
    await console.page.getByRole('switch', { name: 'Remote runs: off' }).click()
    await console.page.getByText(/^Only the hookline terminal turns it on again: switch on remoteExec/).waitFor()
    expect(await button.count()).toBe(0)
  })
})

describe('the bell', () => {
  it('has what hookline tells, and what was told before counts as seen after a reload', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    hookline.send('notify "long at last"\r')
    const bell = console.page.getByRole('button', { name: 'Notices, 1 new' })
    await bell.click()
    await console.page.getByText('long at last', { exact: false }).last().waitFor()
    await console.reload()
    await console.badgeSays('Connected')
    await console.page.getByRole('button', { name: 'Notices', exact: true }).click()
    await console.page.getByRole('listitem').filter({ hasText: 'long at last' }).waitFor()
  })
})
