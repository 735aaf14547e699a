// Every state of the table, and what a picture shows besides: a sheet that only narrow windows have, a form that refuses, an open editor.
import { DESK, goTo } from './console-camera.mjs'
import { ON_PAGES, ON_TRADE, OVER_TRADE, visit } from './console-states.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./console-camera.mjs').Camera} Camera */

/** @param {Camera} camera @returns {Parameters<typeof visit>[2]} */
export const picture = (camera) => (page, state) =>
  state.isPage ? camera.shootPage(page, state.name) : camera.shoot(page, state.name)

/** @param {Page} page @param {Camera} camera */
export async function tourTrade(page, camera) {
  await goTo(page, 'Trade')
  await visit(page, [...ON_TRADE, ...OVER_TRADE], picture(camera))
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('region', { name: 'Trade' }).getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('dialog', { name: 'Ticket' }).getByText('If the stop is hit').waitFor()
  await camera.shootNarrow(page, 'ticket-sheet')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('Escape')
  await page.setViewportSize(DESK)
}

/** @param {Page} page @param {Camera} camera */
export async function tourPages(page, camera) {
  await visit(page, ON_PAGES, picture(camera))
  await goTo(page, 'Hooks')
  await page.getByRole('button', { name: 'New hook' }).first().click()
  await failNewHook(page)
  await camera.shoot(page, 'dialog-new-hook-refused')
  await page.keyboard.press('Escape')
}

/** @param {Page} page */
async function failNewHook(page) {
  await page.getByRole('textbox', { name: 'Name' }).fill('broken')
  await page.getByRole('textbox', { name: 'Command' }).fill('buy $ BTCUSDT')
  await page.getByRole('button', { name: 'Create hook', exact: true }).click()
  await page.getByRole('dialog').getByRole('status').getByText(/\$/).first().waitFor()
}
