// A hook's life in the page: made, fired from outside, given a new token, revoked. Its token never gets there.
import { describe, expect } from 'vitest'
import { post } from '../harness/process/hookline.ts'
import type { PseudoTerminal } from '../harness/process/pseudo-terminal.ts'
import { it } from './stage.ts'

/** As `hook show` prints them in hookline's terminal. */
interface Fireable {
  readonly url: string
  readonly token: string
}

/** Reads the token where alone it is shown. */
async function showHook(hookline: PseudoTerminal, id: string): Promise<Fireable> {
  const CURL = /X-Hook-Token: ([0-9a-f]{32})' (http:\/\/127\.0\.0\.1:53219\/hook\/[0-9a-f]{32})$/
  const shown = () => hookline.lines().flatMap((line) => CURL.exec(line) ?? [])
  const before = shown().length
  hookline.send(`hook show ${id}\r`)
  await hookline.until(() => shown().length > before)
  const [token = '', url = ''] = shown().slice(-2)
  return { url, token }
}

describe('a hook with times of its own', () => {
  it('is replayed over the past days, and the chart marks what it would have filled', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    hookline.send('hook create dip "buy $100 BTCUSDT" --when "every 4h"\r')
    await expect.poll(() => desk.storedHooks()).toMatchObject([{ name: 'dip' }])
    await console.open('Hooks')
    await console.hook('dip').click()
    const block = console.openHook().getByRole('region', { name: 'Replay', exact: true })
    await block.getByRole('combobox', { name: 'How far back' }).selectOption('1 day')
    await block.getByRole('button', { name: 'Replay' }).click()
    const outcome = block.getByRole('status', { name: 'Outcome of the replay' })
    await outcome.getByText(/^6 done$/).waitFor()
    await outcome.getByRole('img', { name: /^Replay on paper: 10,000\.00 USDT at first/ }).waitFor()
    expect(await outcome.getByRole('table', { name: 'Fills of the replay' }).getByRole('row').count()).toBe(7)
    // Nothing of it is on the account.
    expect(desk.readJsonIfAny('paper-paper.json')).not.toMatchObject({ positions: [expect.anything()] })
    await block.getByRole('button', { name: 'Show on the chart' }).click()
    await console.page.getByRole('img', { name: /\d+ marks of fills of a replay;/ }).waitFor()
    // In the frame that the replay went by.
    expect(console.page.url()).toMatch(/[?&]interval=\w+/)
  })
})

const NOTE_UNFIRED = `
  globalThis.saidUnfired = false
  new MutationObserver(() => {
    saidUnfired ||= document.body?.textContent.includes('not fired in 24 h') ?? false
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

describe('a hook made in the page', () => {
  it('runs when it is fired, and what it prints appears live', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.makeHook('dip', 'buy $100 BTCUSDT stop -2%')
    const hook = console.hook('dip')
    await hook.getByText('not fired in 24 h').waitFor()
    const { url, token } = await showHook(hookline, desk.storedHook('dip').id.slice(0, 8))
    expect(await post(url, token)).toMatchObject({ status: 200, body: expect.stringContaining('"ok":true') })

    const fires = console.openHook().getByRole('region', { name: 'Hook runs' })
    await fires.getByText(/^bought 0\.\d+ BTCUSDT/).waitFor()
    await hook.getByText(/^ok \d\d:\d\d:\d\d$/).waitFor()
    await console.prints(/^\[hook:dip\] bought 0\.\d+ BTCUSDT/)
    await console.goToPage('Trade')
    await console.position('BTCUSDT').waitFor()
    await hookline.shows('[hook:dip] bought 0.')
    // A page that has just been loaded does not know yet whether it fired.
    await console.page.addInitScript(NOTE_UNFIRED)
    await console.goToPage('Hooks')
    await console.reload()
    await hook.getByText(/^ok \d\d:\d\d:\d\d$/).waitFor()
    expect(await console.page.evaluate('saidUnfired')).toBe(false)
  })

  it('has from its first fire on the limits it was made with, by a line that is shown before it runs', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired()
    await console.open('Hooks')
    await console.press('New hook')
    const form = console.page.getByRole('dialog', { name: 'New hook' })
    await form.getByRole('textbox', { name: 'Name' }).fill('dip')
    await form.getByRole('textbox', { name: 'Command' }).fill('echo fired')
    await form.getByRole('textbox', { name: 'Cooldown' }).fill('soon')
    await form.getByText('hook create dip "echo fired" --account paper --cooldown soon', { exact: true }).waitFor()
    await console.press('Create hook')
    await form.getByRole('status').getByText(/soon/).waitFor()
    expect(desk.storedHooks()).toEqual([])

    await form.getByRole('textbox', { name: 'Cooldown' }).fill('1h')
    await form.getByText('hook create dip "echo fired" --account paper --cooldown 1h', { exact: true }).waitFor()
    await console.press('Create hook')
    await console.openHook().getByText('1 h', { exact: true }).waitFor()
    expect(desk.storedHook('dip')).toMatchObject({ limits: { cooldownMs: 3_600_000 } })
    for (const each of ['first', 'second']) expect(await desk.fire('dip'), each).toMatchObject({ status: 200 })
    await console
      .openHook()
      .getByText(/^2 fires in 24 h: 1 ok, 1 skipped/)
      .waitFor()
    // After 23:00 it is tomorrow's.
    await console
      .openHook()
      .getByText(/^next run from (\d+ \w+ )?\d\d:\d\d:\d\d on$/)
      .waitFor()
  })

  it('is refused in its form when its command cannot be read', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.open('Hooks')
    await console.press('New hook')
    await console.page.getByRole('textbox', { name: 'Name' }).fill('dip')
    await console.page.getByRole('textbox', { name: 'Command' }).fill('buy $ BTCUSDT')
    await console.press('Create hook')
    const form = console.page.getByRole('dialog', { name: 'New hook' })
    await form.locator('.output.error').getByText(/\$/).waitFor()
    expect(desk.storedHooks()).toEqual([])
  })

  it('is copied as a curl line without its token, which is nowhere in the page', async ({ desk }) => {
    const { console } = await desk.openPaired({ permissions: ['clipboard-write'] })
    await console.makeHook('dip', 'echo fired')
    const { id, secret } = desk.storedHook('dip')
    await console.press('Copy curl line of hook dip')
    await console.openHook().getByText('Copied').waitFor()

    await console.press('New hook')
    const field = console.page.getByRole('textbox', { name: 'Command' })
    await field.focus()
    await console.page.keyboard.press('Control+v')
    await field.getByText('curl').waitFor()
    await expect
      .poll(() => field.textContent())
      .toBe(`curl -sS -X POST -H 'X-Hook-Token: <token>' http://127.0.0.1:53219/hook/${id}`)
    expect(await console.everythingItKeeps()).not.toContain(secret)
  })

  it('gets a new token once that is confirmed, and the old one is worth nothing', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.makeHook('dip', 'echo fired')
    const { id } = desk.storedHook('dip')
    const old = await showHook(hookline, id)
    await console.press('Rotate token of hook dip')
    await console.press('Keep the token')
    expect((await post(old.url, old.token)).status).toBe(200)

    await console.press('Rotate token of hook dip')
    await console.press('Rotate')
    await console.page.getByRole('status', { name: 'News' }).getByText('dip has a new token').waitFor()
    expect(await post(old.url, old.token)).toEqual({ status: 401, body: '{"ok":false,"error":"invalid token"}' })
    const { url, token } = await showHook(hookline, id)
    expect((await post(url, token)).status).toBe(200)
  })

  it('is revoked once that is confirmed, and its address is gone', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.makeHook('dip', 'echo fired')
    const { url, token } = await showHook(hookline, desk.storedHook('dip').id)
    const revoke = console.page.getByRole('button', { name: 'Revoke hook dip' })
    await revoke.press('Enter')
    await console.press('Keep it')
    await console.hook('dip').waitFor()
    expect((await post(url, token)).status).toBe(200)

    await console.hold('Revoke hook dip')
    await console.page.getByRole('status', { name: 'News' }).getByText('Revoked dip.').waitFor()
    await console.hook('dip').waitFor({ state: 'detached' })
    expect(await post(url, token)).toEqual({ status: 404, body: '{"ok":false,"error":"unknown hook"}' })
    await hookline.shows('[web:console in Chrome on Linux] revoked hook dip')
  })

  it('is tried as a table of its orders, held to limits, paused by Space, and what only the terminal may do is a line to copy', async ({
    desk,
  }) => {
    const { hookline, console } = await desk.openPaired()
    const { page } = console
    await console.makeHook('dip', 'buy {size:usd<=500} BTCUSDT stop -2%')
    const hook = console.openHook()
    await hook.getByText('"size": "500"').waitFor()
    const test = hook.getByRole('region', { name: 'Test fire' })
    await test.getByRole('textbox', { name: 'size' }).fill('900')
    await test.getByRole('button', { name: 'Test', exact: true }).click()
    await test.getByText(/^bad alert: .*900.* is above 500/).waitFor()
    await test.getByRole('textbox', { name: 'size' }).fill('200')
    await test.getByText('hook test dip size=200', { exact: true }).waitFor()
    await test.getByRole('button', { name: 'Test', exact: true }).click()
    const order = test.getByRole('table', { name: 'Orders of a fire' }).getByRole('row').nth(1)
    await expect.poll(() => order.textContent()).toMatch(/^buy BTCUSDT market0\.\d+ BTC.*USDT.*10×.*−\d.* USDT/)

    await test.getByRole('button', { name: 'Fire now' }).click()
    const question = page.getByRole('dialog', { name: 'Fire dip now?' })
    const foreseen = question.locator('.consequences dl')
    await expect
      .poll(() => foreseen.textContent())
      .toMatch(/^You buy0\.00\d BTC for 1\d\d\.\d\d USDTPriceabout [\d,.]+(?:Rounded down[\d.]+ % less than asked)?Fee/)
    await expect
      .poll(() => foreseen.textContent())
      .toMatch(/If the stop is hit, after fees−\d\.\d\d USDTPosition in BTCUSDT0 → 0\.00\d BTC$/)
    await question.getByText('hook fire dip size=200', { exact: true }).waitFor()
    await console.press('Send nothing')
    await test.getByRole('button', { name: 'Fire now' }).click()
    await console.press('Fire')
    await hook.getByRole('list', { name: 'Runs of dip' }).getByText('ok', { exact: true }).waitFor()
    await hook.getByText('1 fire in 24 h: 1 ok').first().waitFor()

    await hook.getByRole('button', { name: 'Edit hook dip' }).click()
    await hook.getByRole('textbox', { name: 'Cooldown' }).fill('30s')
    await hook.getByRole('checkbox', { name: /^Dry/ }).check()
    await hook.getByText('hook edit dip --cooldown 30s --dry', { exact: true }).waitFor()
    await hook.getByRole('button', { name: 'Change', exact: true }).click()
    await hook.getByText('calculated, not sent', { exact: true }).waitFor()
    await test.getByRole('button', { name: 'Test', exact: true }).click()
    await test.getByText('the hook is dry: its fires send nothing').waitFor()
    await hook.getByRole('button', { name: 'Edit hook dip' }).click()
    await hook.getByRole('checkbox', { name: /^Dry/ }).uncheck()
    await hook.getByRole('button', { name: 'Change', exact: true }).click()
    await hook.getByText(/only the terminal extends what a hook may do/).waitFor()
    await hook.getByRole('button', { name: 'Copy for the terminal: Change' }).waitFor()

    await console.hook('dip').getByRole('button').press(' ')
    await console.press('Pause')
    await hook.getByRole('note').getByText('hook resume dip').waitFor()
    await console.hook('dip').getByText('paused').waitFor()
    await hook.getByRole('button', { name: 'How to resume hook dip' }).waitFor()
    await console.hook('dip').getByRole('button').press(' ')
    await page.getByRole('dialog', { name: 'dip is paused' }).getByText('hook resume dip').waitFor()
    await page.keyboard.press('Escape')
    hookline.send('hook resume dip\r')
    await console.press('Pause hook dip')
    await console.press('Let it run')
    await console.goToPage('Trade')
    await console.position('BTCUSDT').waitFor()
  })
})
