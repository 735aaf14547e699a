// The states of the console that are looked at: by axe-core in e2e/accessibility.*, by people in the pictures that screenshots.mjs takes.
// One table for both, so that nothing is seen by one alone. Each begins where the one before has left the page, and leaves nothing open.
import { badge, closeTerminal, connect, DESK, goTo, openTerminal } from './console-camera.mjs'

/** @typedef {import('playwright-core').Page} Page */

/**
 * @typedef {object} ConsoleState
 * @property {string} name of the picture, and in what axe-core finds
 * @property {(page: Page) => Promise<unknown>} open resolves once it can be seen
 * @property {(page: Page) => Promise<unknown>} [close]
 * @property {boolean} [isOver] it opens over a page that is a state of its own: only what opens is new
 * @property {boolean} [isPage] longer than a narrow window: pictured down to its foot
 */

/** @param {Page} page */
const pressEscape = (page) => page.keyboard.press('Escape')

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

/** @param {Page} page @param {RegExp} name */
async function openTab(page, name) {
  await goTo(page, 'Trade')
  await page.getByRole('tab', { name }).click()
  await page.getByRole('tabpanel').getByRole('table').first().waitFor()
  await page.getByRole('img', { name: /^Candles of/ }).waitFor()
}

/** What drops from the header. @param {string} name @param {(page: Page) => import('playwright-core').Locator} control @returns {ConsoleState} */
const card = (name, control) => ({ name, isOver: true, close: pressEscape, open: (page) => control(page).click() })

/** While nothing listens. @type {readonly ConsoleState[]} */
export const AWAY = [
  { name: 'first-visit', isPage: true, open: (page) => badge(page, 'Not connected').waitFor() },
  {
    name: 'first-visit-not-running',
    open: async (page) => {
      await connect(page)
      await badge(page, 'Not running').waitFor()
    },
  },
]

/** While hookline asks about the page. @type {readonly ConsoleState[]} */
export const ASKING = [
  { name: 'first-visit-waiting', isPage: true, open: (page) => badge(page, 'Waiting for your y').waitFor() },
]

/** Trade, with a long in BTCUSDT and its stop. @type {readonly ConsoleState[]} */
export const ON_TRADE = [
  {
    name: 'trade',
    isPage: true,
    open: async (page) => {
      await openTab(page, /^Positions/)
      await fillTicket(page)
    },
  },
  { name: 'trade-orders', open: (page) => openTab(page, /^Orders/) },
  { name: 'trade-fills', open: (page) => openTab(page, /^Fills/) },
  { name: 'trade-tasks', open: (page) => openTab(page, /^Tasks/) },
  { name: 'trade-runs', open: (page) => openTab(page, /^Runs/) },
  { name: 'trade-history', open: (page) => openTab(page, /^History/) },
  { name: 'trade-watchlist', open: (page) => openTab(page, /^Watchlist/) },
  {
    name: 'ticket-refused',
    open: async (page) => {
      const form = page.getByRole('region', { name: 'Ticket' })
      await form.getByRole('textbox', { name: 'Size' }).fill('99999999')
      await form.locator('.refusal').first().waitFor()
    },
    close: fillTicket,
  },
  {
    name: 'terminal',
    open: async (page) => {
      await openTerminal(page)
      await page.getByRole('textbox', { name: /^Terminal input/ }).fill('buy $250 BTCUSDT; stop at -2%')
    },
    close: async (page) => {
      await page.getByRole('textbox', { name: /^Terminal input/ }).fill('')
      await closeTerminal(page)
    },
  },
]

/** What opens over Trade. @type {readonly ConsoleState[]} */
export const OVER_TRADE = [
  {
    name: 'dialog-cancel-order',
    isOver: true,
    open: async (page) => {
      await openTab(page, /^Orders/)
      await page
        .getByRole('button', { name: /^Cancel order .*stop/ })
        .first()
        .click()
      await page.getByRole('dialog').waitFor()
    },
    close: pressEscape,
  },
  card('card-switch', (page) => page.getByRole('switch', { name: 'Remote runs: on' })),
  card('card-account', (page) => page.getByRole('button', { name: /^Account / })),
  card('card-symbol', (page) => page.getByRole('button', { name: /^Symbol / })),
  card('card-stops', (page) => page.getByRole('button', { name: 'More ways to stop' })),
  card('card-notices', (page) => page.getByRole('button', { name: /^Notices/ })),
  card('badge-connected', (page) => badge(page, 'Connected')),
  {
    name: 'palette',
    isOver: true,
    open: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Find or run' }).getByRole('combobox').fill('btc')
    },
    close: async (page) => {
      await pressEscape(page)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  },
  {
    name: 'dialog-keys',
    isOver: true,
    open: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    },
    close: pressEscape,
  },
]

/** The other pages; the hook dip has fired. @type {readonly ConsoleState[]} */
export const ON_PAGES = [
  {
    name: 'hooks',
    isPage: true,
    open: async (page) => {
      await goTo(page, 'Hooks')
      await page.getByRole('list', { name: 'Hooks' }).getByRole('button', { name: /^dip/ }).click()
      await page.getByRole('region', { name: 'Hook', exact: true }).waitFor()
    },
  },
  {
    name: 'dialog-new-hook',
    isOver: true,
    open: async (page) => {
      await page.getByRole('button', { name: 'New hook' }).first().click()
      await page.getByRole('dialog').waitFor()
    },
    close: pressEscape,
  },
  {
    name: 'dialog-rotate',
    isOver: true,
    open: async (page) => {
      await page.getByRole('button', { name: 'Rotate token of hook dip' }).press('Enter')
      await page.getByRole('dialog', { name: 'Give dip a new token?' }).waitFor()
    },
    close: pressEscape,
  },
  {
    name: 'journal',
    isPage: true,
    open: async (page) => {
      await goTo(page, 'Journal')
      await page.getByRole('list', { name: 'Runs' }).getByRole('button', { name: /dip/ }).first().waitFor()
    },
  },
  {
    name: 'journal-run',
    isPage: true,
    open: async (page) => {
      await page
        .getByRole('list', { name: 'Runs' })
        .getByRole('button', { name: /; stop at -/ })
        .first()
        .click()
      await page.getByRole('list', { name: 'Timeline' }).waitFor()
    },
  },
  {
    name: 'portfolio',
    isPage: true,
    open: async (page) => {
      await goTo(page, 'Portfolio')
      await page.getByRole('img').first().waitFor()
    },
  },
  {
    name: 'copy',
    isPage: true,
    open: async (page) => {
      await goTo(page, 'Copy')
      await page
        .getByRole('main')
        .getByText(/\bpaper\b/)
        .filter({ visible: true })
        .first()
        .waitFor()
    },
  },
  { name: 'settings', isPage: true, open: (page) => goTo(page, 'Settings') },
]

/** After `halt paper`, on Trade. @type {readonly ConsoleState[]} */
export const HALTED = [
  {
    name: 'halted',
    open: async (page) => {
      await openTab(page, /^Positions/)
      await page.getByText(/^Halted\. Only cancels/).waitFor()
    },
  },
]

/** After hookline has ended. @type {readonly ConsoleState[]} */
export const LOST = [{ name: 'stale', isPage: true, open: (page) => badge(page, 'Not running').waitFor() }]

export const STATES = [...AWAY, ...ASKING, ...ON_TRADE, ...OVER_TRADE, ...ON_PAGES, ...HALTED, ...LOST]

/**
 * Brings the page from state to state.
 * @param {Page} page in a window as wide as {@link DESK}
 * @param {readonly ConsoleState[]} states
 * @param {(page: Page, state: ConsoleState) => Promise<unknown>} look
 */
export async function visit(page, states, look) {
  for (const state of states) {
    await state.open(page)
    await look(page, state)
    await page.setViewportSize(DESK)
    await state.close?.(page)
  }
}
