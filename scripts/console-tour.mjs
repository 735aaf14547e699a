// Every page of a desk at work, and what opens over a page.
import { badge, closeTerminal, DESK, goTo, openTerminal } from './console-camera.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./console-camera.mjs').Camera} Camera */

/** A ticket that has something to say. @param {Page} page */
export async function fillTicket(page) {
  const form = page.getByRole('region', { name: 'Ticket' })
  await form.getByRole('button', { name: 'Limit' }).click()
  await form.getByRole('textbox', { name: 'Size' }).fill('1000')
  await form.getByRole('textbox', { name: /^Price/ }).fill('-0.3%')
  await form.getByRole('textbox', { name: 'Stop' }).fill('-1%')
  await form.getByRole('textbox', { name: 'Target' }).fill('+2%')
  await form.getByText('If the stop is hit').waitFor()
}

/** @param {Page} page @param {Camera} camera */
export async function tourTrade(page, { shoot, shootPage, shootNarrow }) {
  await goTo(page, 'Trade')
  await fillTicket(page)
  await shootPage(page, 'trade')
  for (const tab of ['Orders', 'Fills', 'Tasks', 'Runs']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
    await shoot(page, `trade-${tab.toLowerCase()}`)
  }
  await page.getByRole('tab', { name: /^Positions/ }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('region', { name: 'Trade' }).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('dialog', { name: 'Ticket' }).getByText('If the stop is hit').waitFor()
  await shootNarrow(page, 'ticket-sheet')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('Escape')
  await page.setViewportSize(DESK)
  const form = page.getByRole('region', { name: 'Ticket' })
  await form.getByRole('textbox', { name: 'Size' }).fill('99999999')
  await form.locator('.refusal').first().waitFor()
  await shoot(page, 'ticket-refused')
  await fillTicket(page)
}

/** @param {Page} page @param {Camera} camera */
export async function tourPages(page, { shootPage, shoot }) {
  await goTo(page, 'Hooks')
  await shootPage(page, 'hooks')
  await page.getByRole('list', { name: 'Hooks' }).getByRole('button', { name: /^dip/ }).click()
  const hook = page.getByRole('region', { name: 'Hook', exact: true })
  await hook.getByRole('region', { name: 'Test fire' }).getByRole('textbox').fill('size=100')
  await hook.getByRole('button', { name: 'Test', exact: true }).click()
  await hook.getByText(/^hook dip on account paper: buy/).waitFor()
  await shootPage(page, 'hook')
  await hook.getByRole('button', { name: 'Edit' }).click()
  await shoot(page, 'hook-edit')
  await goTo(page, 'Journal')
  const runs = page.getByRole('list', { name: 'Runs' })
  await runs.getByRole('button', { name: /dip/ }).first().waitFor()
  await shootPage(page, 'journal')
  await runs
    .getByRole('button', { name: /stop at -0.6%/ })
    .first()
    .click()
  await page.getByRole('list', { name: 'Timeline' }).waitFor()
  await shootPage(page, 'journal-run')
  await goTo(page, 'Portfolio')
  await page.getByRole('img').first().waitFor()
  await shootPage(page, 'portfolio')
  await goTo(page, 'Copy')
  await page.getByRole('table', { name: 'Who copies whom' }).getByText('in step').first().waitFor()
  await shootPage(page, 'copy')
  await goTo(page, 'Settings')
  await shootPage(page, 'settings')
}

/** What opens over the Trade page, by what opens it. @type {readonly (readonly [name: string, button: string | RegExp])[]} */
const OPENED = [
  ['dialog-close', 'Close 50 % of the long in BTCUSDT'],
  ['dialog-cancel-order', /Cancel order .*stop/],
  ['dialog-keys', 'Keys'],
]
/** @type {readonly (readonly [name: string, button: string | RegExp])[]} */
const OPENED_OVER_HOOKS = [
  ['dialog-new-hook', 'New hook'],
  ['dialog-rotate', 'Rotate token of hook dip'],
]

/** @param {Page} page @param {Camera} camera */
export async function tourOverlays(page, { shoot }) {
  await goTo(page, 'Hooks')
  await page.getByRole('list', { name: 'Hooks' }).getByRole('button', { name: /^dip/ }).click()
  for (const [name, button] of OPENED_OVER_HOOKS) {
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').first().waitFor()
    if (name === 'dialog-new-hook') await failNewHook(page)
    await shoot(page, name)
    await page.keyboard.press('Escape')
  }
  await goTo(page, 'Trade')
  for (const [name, button] of OPENED) {
    const tab = name === 'dialog-cancel-order' ? /^Orders/ : /^Positions/
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').first().waitFor()
    await shoot(page, name)
    await page.keyboard.press('Escape')
  }
  await tourCards(page, shoot)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find or run' }).getByRole('combobox').fill('btc')
  await shoot(page, 'palette')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await openTerminal(page)
  await page.getByRole('textbox', { name: /^Terminal input/ }).fill('buy $250 BTCUSDT; stop at -2%')
  await shoot(page, 'terminal')
  await page.getByRole('textbox', { name: /^Terminal input/ }).fill('')
  await closeTerminal(page)
}

/** @param {Page} page */
async function failNewHook(page) {
  await page.getByRole('textbox', { name: 'Name' }).fill('broken')
  await page.getByRole('textbox', { name: 'Command' }).fill('buy $ BTCUSDT')
  await page.getByRole('button', { name: 'Create hook', exact: true }).click()
  await page.getByRole('dialog').getByRole('status').getByText(/\$/).waitFor()
}

/** What drops from the header. @param {Page} page @param {Camera['shoot']} shoot */
async function tourCards(page, shoot) {
  /** @type {readonly (readonly [name: string, control: import('playwright-core').Locator])[]} */
  const controls = [
    ['card-switch', page.getByRole('switch', { name: 'Remote runs: on' })],
    ['card-account', page.getByRole('button', { name: /^Account / })],
    ['card-symbol', page.getByRole('button', { name: /^Symbol / })],
    ['card-stops', page.getByRole('button', { name: 'More ways to stop' })],
    ['card-notices', page.getByRole('button', { name: /^Notices/ })],
    ['badge-connected', badge(page, 'Connected')],
  ]
  for (const [name, control] of controls) {
    await control.click()
    await shoot(page, name)
    await page.keyboard.press('Escape')
  }
}
