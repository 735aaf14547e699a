// Work to look at, all of it typed, clicked or fired: trades of a person and of hooks, orders, tasks, and an engine in a process of its
// own that copies.
import { closeTerminal, goTo, typeLine } from './console-camera.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./console-stage.mjs').Stage} Stage */
/** @typedef {import('./console-stage.mjs').Hookline} Hookline */

/** What is typed in the page, each with what it is answered. @type {readonly (readonly [string, RegExp])[]} */
const TYPED = [
  ['buy $1500 BTCUSDT; stop at -0.6%', /stop sell/],
  ['buy $600 BTCUSDT at -0.3% po', /is open/],
  ['positons', /did you mean/],
]
/** The hooks, by name. @type {readonly (readonly [name: string, command: string, account: string])[]} */
const HOOKS = [
  ['dip', 'buy {size:usd<=500} BTCUSDT', 'paper'],
  ['take-some', 'close BTCUSDT 25%', 'paper'],
  ['too-much', 'buy $9999999 ETHUSDT', 'paper'],
  [
    'an alert with a name as long as it may be: sixty-four characters',
    'cancel all; close all; wait price < -5% timeout=10m; buy $100 BTCUSDT at -1% po; stop BTCUSDT at -2%; echo "flat, then back in, and this line goes on for longer than any panel is wide, to see where it is cut or wrapped"',
    '',
  ],
]
/** What is typed at hookline's prompt, each with what it is answered. @type {readonly (readonly [string, RegExp])[]} */
const LASTING = [
  ['sell $900 ETHUSDT; stop ETHUSDT at 3%', /stop buy/],
  ['account add swing paper', /swing/],
  ['account add an-account-name-of-32-characters paper', /an-account-name-of-32-characters/],
  ['twap sell $500 ADAUSDT into 10 over 10m', /twap [0-9a-f]{8}: sells/],
  ['tasks cancel --all', /is canceled/],
  ['chase sell $400 LINKUSDT for 30m then market', /chase [0-9a-f]{8}: sells/],
  ['trail 1% BTCUSDT add', /trail [0-9a-f]{8}: keeps/],
  ['cross-trade add --master paper --symbol ETHUSDT --copier swing --weight 0.5 --enabled', /added/],
  ['twap buy $2000 SOLUSDT into 20 over 40s random 20%', /twap [0-9a-f]{8}: buys/],
]
/** What the engine has to copy. */
const COPIED = 'buy $600 ETHUSDT'

/** @param {Stage} stage @param {Hookline} hookline @param {string} name @param {object} [body] */
export async function fire(stage, hookline, name, body) {
  const hook = stage.read('hooks.json').hooks.find((/** @type {{ name: string }} */ each) => each.name === name)
  const { ok } = await fetch(`http://127.0.0.1:53219/hook/${hook.id}`, {
    method: 'POST',
    headers: { 'X-Hook-Token': hook.secret },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!ok) throw new Error(`hook ${name} did not fire`)
  await hookline.says(new RegExp(`\\[hook:${name}\\]`))
}

/** Until the next candle of a minute has begun. @param {Page} page */
export async function awaitNextMinute(page) {
  await page.waitForTimeout(60_500 - (Date.now() % 60_000))
}

/** @param {Page} page */
export async function typeWork(page) {
  for (const [line, answer] of TYPED) await typeLine(page, line, answer)
  await closeTerminal(page)
}

/** @param {Page} page */
export async function makeHooks(page) {
  await goTo(page, 'Hooks')
  for (const [name, command, account] of HOOKS) {
    await page.getByRole('button', { name: 'New hook' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('textbox', { name: 'Command' }).fill(command)
    if (account !== '') await page.getByRole('combobox', { name: 'Account' }).selectOption(account)
    await page.getByRole('button', { name: 'Create hook', exact: true }).click()
    await page.getByRole('list', { name: 'Hooks' }).getByText(name, { exact: true }).waitFor()
  }
}

/** @param {Stage} stage @param {Hookline} hookline @returns {Promise<() => Promise<void>>} ends the engine */
export async function startLastingWork(stage, hookline) {
  for (const [line, answer] of LASTING) {
    hookline.type(line)
    await hookline.says(answer)
  }
  const endEngine = await stage.startEngine()
  hookline.type(COPIED)
  await hookline.says(/bought/)
  return endEngine
}
