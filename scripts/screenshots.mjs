// Pictures of the console: every page, what opens over it, and every state of the connection, dark and light, at 1600, 1366 and 390 px;
// and docs/console.png for the README. Real hookline, real browser, work that was typed, clicked or fired; what cannot be had for real on
// one machine (Safari, a foreign site, a browser's refusal) is put on in front of the page, never in it. What a page reports as an error,
// or a page that is wider than its window, fails the script.
// Usage: npm run build && node scripts/screenshots.mjs [folder, default docs/screenshots]
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badge, connect, createCamera, DESK, goTo } from './console-camera.mjs'
import { asForeignSite, FOREIGN, fakeHookline, oldHookline, SAFARI } from './console-disguises.mjs'
import { openStage } from './console-stage.mjs'
import { ASKING, AWAY, fillTicket, HALTED, LOST, STATES, visit } from './console-states.mjs'
import { picture, tourPages, tourTrade } from './console-tour.mjs'
import { awaitNextMinute, fire, makeHooks, startLastingWork, typeWork } from './console-work.mjs'

const folder = resolve(process.argv[2] ?? 'docs/screenshots')
const README_PICTURE = resolve('docs/console.png')
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./console-stage.mjs').Hookline} Hookline */

mkdirSync(folder, { recursive: true })
const stage = await openStage()
/** @type {string[]} */
const faults = []
const camera = createCamera(folder, faults)

/**
 * @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: Page) => Promise<unknown>} prepare before it is loaded
 */
async function newPage(options = {}, prepare = async () => {}) {
  const context = await stage.browser.newContext({ viewport: DESK, ...options })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  page.on('console', (message) => {
    const isExpected = /ERR_CONNECTION_REFUSED|ERR_FAILED|403|404|503|WebSocket|CORS/.test(message.text())
    if (message.type() === 'error' && !isExpected) faults.push(`console: ${message.text()}`)
  })
  await prepare(page)
  await page.goto(options.baseURL ?? stage.url)
  return page
}

async function withoutHookline() {
  const page = await newPage()
  await visit(page, AWAY, picture(camera))
  await page.context().close()
}

/** @param {Hookline} hookline */
async function denied(hookline) {
  const page = await newPage()
  await visit(page, ASKING, picture(camera))
  await hookline.answer('n')
  await badge(page, 'Denied').waitFor()
  await camera.shoot(page, 'first-visit-denied')
  await page.context().close()
}

/** @param {Hookline} hookline */
async function trading(hookline) {
  const page = await newPage()
  await hookline.answer('y')
  await badge(page, 'Connected').waitFor()
  await page.getByRole('img', { name: /^Candles of BTCUSDT/ }).waitFor()
  await camera.shootPage(page, 'trade-first-steps')
  await typeWork(page)
  await page.getByRole('button', { name: 'Close the first steps' }).click()
  await makeHooks(page)
  await fire(stage, hookline, 'too-much')
  await awaitNextMinute(page)
  await fire(stage, hookline, 'dip', { size: 450 })
  await awaitNextMinute(page)
  await awaitNextMinute(page)
  await fire(stage, hookline, 'take-some')
  await awaitNextMinute(page)
  await readmePicture(page)
  const endEngine = await startLastingWork(stage, hookline)
  await tourTrade(page, camera)
  await tourPages(page, camera)
  await goTo(page, 'Trade')
  await endEngine()
  await stopped(page, hookline)
  return page
}

/** @param {Page} page */
async function readmePicture(page) {
  await goTo(page, 'Trade')
  await fillTicket(page)
  await page.getByRole('button', { name: '1m', exact: true }).click()
  await page.getByRole('img', { name: /^Candles of BTCUSDT, 1m/ }).waitFor()
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.mouse.move(500, 250)
  await page.mouse.wheel(0, -400)
  await page.mouse.move(0, 0)
  await page.waitForTimeout(1_000)
  await page.screenshot({ path: README_PICTURE })
  await page.setViewportSize(DESK)
}

/** What holds trading up. @param {Page} page @param {Hookline} hookline */
async function stopped(page, hookline) {
  hookline.type('halt paper')
  await visit(page, HALTED, picture(camera))
  hookline.type('resume paper')
  await page.getByText(/^Halted\. Only cancels/).waitFor({ state: 'detached' })
  hookline.type('switch off remoteExec')
  await page.getByText('Remote runs are off.').waitFor()
  await camera.shoot(page, 'remote-runs-off')
  hookline.type('switch on remoteExec')
  await page.getByText('Remote runs are off.').waitFor({ state: 'detached' })
}

/** @param {Page} page @param {Hookline} hookline */
async function losing(page, hookline) {
  await hookline.stop()
  await visit(page, LOST, picture(camera))
  const other = await stage.startOther()
  await badge(page, 'Another hookline').waitFor()
  await badge(page, 'Another hookline').click()
  await camera.shoot(page, 'badge-other-hookline')
  await other.stop()
}

/** @param {Page} page */
async function returning(page) {
  const hookline = await stage.startHookline()
  await page.reload()
  await badge(page, 'Connected').waitFor()
  hookline.type('clients revoke --all')
  await badge(page, 'Revoked').waitFor()
  await badge(page, 'Revoked').click()
  await camera.shoot(page, 'badge-revoked')
  stage.write('config.json', { listener: { allowedOrigins: ['https://elsewhere.example'] } })
  await connect(page)
  await badge(page, 'Origin refused').waitFor()
  await camera.shoot(page, 'badge-refused-origin')
  stage.write('config.json', { listener: { enabled: false } })
  await page.locator('#connection-advice').getByRole('button', { name: 'Try now' }).click()
  await badge(page, 'Switched off').waitFor()
  await camera.shoot(page, 'badge-disabled')
  stage.write('config.json', {})
  await hookline.stop()
  await page.context().close()
}

async function faked() {
  /** @type {[number, string, string][]} */
  const endings = [
    [4400, 'Wrong version', 'badge-wrong-version'],
    [1009, 'Stopped', 'badge-too-big'],
    [4429, 'Asks again', 'badge-asks-again'],
  ]
  for (const [code, text, name] of endings) {
    const page = await newPage({}, (each) => fakeHookline(each, (_frame, socket) => socket.close({ code })))
    await badge(page, text).waitFor()
    if (name === 'badge-asks-again') await badge(page, text).click()
    await camera.shoot(page, name)
    await page.context().close()
  }
  const silent = await newPage({ baseURL: FOREIGN }, async (page) => {
    await asForeignSite(page)
    await page.route('http://127.0.0.1:53219/health', () => {})
  })
  await camera.shoot(silent, 'badge-idle-foreign')
  await connect(silent)
  await badge(silent, 'Browser asks').waitFor()
  await camera.shoot(silent, 'badge-browser-asks')
  await silent.context().close()
  const blocked = await newPage({ baseURL: FOREIGN }, async (page) => {
    await asForeignSite(page)
    await page.route('http://127.0.0.1:53219/health', (route) => route.abort())
    await page.addInitScript(() => {
      navigator.permissions.query = async () => /** @type {PermissionStatus} */ ({ state: 'denied' })
    })
  })
  await connect(blocked)
  await badge(blocked, 'Blocked by browser').waitFor()
  await camera.shoot(blocked, 'badge-blocked')
  await blocked.context().close()
  const safari = await newPage({ baseURL: FOREIGN, userAgent: SAFARI }, async (page) => {
    await asForeignSite(page)
    await page.route('http://127.0.0.1:53219/health', (route) => route.abort())
  })
  await connect(safari)
  await badge(safari, 'Not in this browser').waitFor()
  await camera.shoot(safari, 'badge-safari')
  await safari.context().close()
  const old = await newPage({}, (page) => fakeHookline(page, oldHookline))
  await badge(old, 'Connected').waitFor()
  await camera.shoot(old, 'old-hookline')
  await old.context().close()
}

try {
  await withoutHookline()
  const hookline = await stage.startHookline()
  await denied(hookline)
  // hookline is deaf to this site for 30 s after a denial.
  await hookline.stop()
  const again = await stage.startHookline()
  const page = await trading(again)
  await losing(page, again)
  await returning(page)
  await faked()
} catch (error) {
  // What it looked like when it went wrong.
  for (const page of stage.browser.contexts().flatMap((context) => context.pages()))
    await page.screenshot({ path: join(folder, 'failure.png') })
  throw error
} finally {
  await stage.close()
}
const missing = STATES.filter(({ name }) => !camera.names.has(name))
for (const { name } of missing) faults.push(`${name}: a state that axe-core looks at has no picture`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
