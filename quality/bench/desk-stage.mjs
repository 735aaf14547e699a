// A desk as full as people have them, in a real browser: hooks, accounts, positions and resting orders on paper money, and a page that was let in.
import { cpus, loadavg } from 'node:os'
import { badge, goTo, openTerminal } from '../../scripts/console-camera.mjs'
import { openStage, startAlone } from '../../scripts/console-stage.mjs'
import { countLines } from './desk-probe.mjs'
import { writeHookRows } from './registry.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ hooks: readonly { command: string, limits?: object }[], accounts: number }} Fullness `accounts`: paper accounts beside the first one */
/** @typedef {Awaited<ReturnType<typeof openDesk>>} Desk */

const AT = 1_700_000_000_000
/** Every market of invented prices, and some of them again on two more accounts: 30 positions, and 18 orders that rest. */
const SYMBOLS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'ADA', 'AVAX', 'LINK', 'LTC', 'DOT', 'ARB'].map(
  (base) => `${base}USDT`,
)
const HALF = SYMBOLS.slice(3).join()
/** What is typed at hookline's prompt, each with what it is answered. @type {readonly (readonly [string, RegExp])[]} */
const TYPED = [
  ['account use desk-1', /desk-1 \[/],
  [`buy $110 ${HALF}`, /bought .* ARBUSDT/],
  ['account use desk-2', /desk-2 \[/],
  [`buy $110 ${HALF}`, /bought .* ARBUSDT/],
  ['account use paper', /paper \[/],
  [`buy $110 ${SYMBOLS.join()}`, /bought .* ARBUSDT/],
  [`buy $50 ${HALF} at -5% po`, /ARBUSDT.* is open/],
  [`buy $50 ${HALF} at -6% po`, /ARBUSDT.* is open/],
]

/** @param {Fullness} fullness */
export async function openDesk({ hooks, accounts }) {
  const stage = await openStage()
  const names = ['paper', ...Array.from({ length: accounts }, (_, index) => `desk-${index + 1}`)]
  stage.write('accounts.json', {
    accounts: names.map((name) => ({ name, exchange: 'paper', createdAt: AT, updatedAt: AT })),
  })
  const requests = writeHookRows(stage.directory, hooks)
  const hookline = await stage.startHookline()
  for (const [line, answer] of TYPED) {
    hookline.type(line)
    await hookline.says(answer)
  }
  const context = await stage.browser.newContext({ viewport: { width: 1366, height: 768 } })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await countLines(page)
  await page.goto(stage.url)
  await hookline.answer('y')
  await badge(page, 'Connected').waitFor()
  // From here on nobody looks at hookline's own terminal.
  await hookline.stop()
  const stop = startAlone(stage.directory)
  await badge(page, 'Connected').waitFor()
  return {
    stage,
    page,
    requests,
    async close() {
      await stop()
      await stage.close()
    },
  }
}

/** The chart is drawn and the ticket can be filled in, the terminal open over them. @param {Page} page */
export async function showTrade(page) {
  await goTo(page, 'Trade')
  await page.getByRole('img', { name: /^Candles of BTCUSDT/ }).waitFor()
  await openTerminal(page)
}

/** Why what a person sees falls short, where it is not ours: it has no baseline that shares a machine's work with it fairly. */
export function busyReason() {
  const [load] = loadavg()
  const cores = cpus().length
  return load > 3 * cores ? `the machine did other work as well: load ${load.toFixed(0)} on ${cores} cores` : undefined
}
