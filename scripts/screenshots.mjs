// Pictures of the console: every panel and every state of the connection badge, light, dark and at 360 px, and docs/console.png for
// the README. Real hookline, real browser; what cannot be had for real on one machine (Safari, a foreign site, a browser's refusal) is
// put on in front of the page, never in it.
// Usage: npm run build && node scripts/screenshots.mjs [folder, default docs/screenshots]
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badge, connect, createCamera, typeLine } from './console-camera.mjs'
import { asForeignSite, FOREIGN, fakeHookline, oldHookline, SAFARI } from './console-disguises.mjs'
import { openStage } from './console-stage.mjs'
import { workToSee } from './console-work.mjs'

const folder = resolve(process.argv[2] ?? 'docs/screenshots')
const README_PICTURE = resolve('docs/console.png')
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./console-stage.mjs').Hookline} Hookline */

mkdirSync(folder, { recursive: true })
const stage = await openStage()
/** @type {string[]} */
const faults = []
const { shoot, shootPanels } = createCamera(folder, faults)

/**
 * @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: Page) => Promise<unknown>} prepare before it is loaded
 */
async function newPage(options = {}, prepare = async () => {}) {
  const context = await stage.browser.newContext(options)
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
  await badge(page, 'Not connected').waitFor()
  await shoot(page, 'badge-idle')
  await connect(page)
  await badge(page, 'Not running').waitFor()
  await shoot(page, 'badge-not-running')
  await page.context().close()
}

/** @param {Hookline} hookline */
async function pairing(hookline) {
  const page = await newPage()
  await badge(page, 'Waiting for your y').waitFor()
  await shoot(page, 'badge-awaiting-approval')
  await hookline.says(/approve it\? y or n/)
  await new Promise((wake) => setTimeout(wake, 400))
  hookline.type('n')
  await badge(page, 'Denied').waitFor()
  await shoot(page, 'badge-denied')
  await page.context().close()
}

/** @param {Page} page @param {string} name @param {string} command @param {string} [account] */
async function makeHook(page, name, command, account) {
  await page.getByRole('button', { name: 'New hook' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'Command' }).fill(command)
  if (account) await page.getByRole('combobox', { name: 'Account' }).selectOption(account)
  await page.getByRole('button', { name: 'Create hook' }).click()
}

/** @param {Hookline} hookline @param {string} name */
async function fire(hookline, name) {
  const hook = stage.read('hooks.json').hooks.find((/** @type {{ name: string }} */ each) => each.name === name)
  const { ok } = await fetch(`http://127.0.0.1:53219/hook/${hook.id}`, {
    method: 'POST',
    headers: { 'X-Hook-Token': hook.secret },
  })
  if (!ok) throw new Error(`hook ${name} did not fire`)
  await hookline.says(new RegExp(`\\[hook:${name}\\]`))
}

/** @param {Hookline} hookline */
async function trading(hookline) {
  const page = await newPage()
  await page.setViewportSize({ width: 1440, height: 900 })
  await hookline.says(/approve it\? y or n/)
  await new Promise((wake) => setTimeout(wake, 400))
  hookline.type('y')
  await badge(page, 'Connected').waitFor()
  await shootPanels(page, 'first-visit')
  await typeLine(page, 'buy $250 BTCUSDT; stop at -2%', /stop sell/)
  await typeLine(page, 'sell $900 ETHUSDT', /sold/)
  await typeLine(page, 'buy $100 ETHUSDT at -3% po', /is open/)
  await typeLine(page, 'positons', /did you mean/)
  await makeHook(page, 'dip', 'buy $250 BTCUSDT; stop at -2%', 'paper')
  await page.getByRole('button', { name: 'Revoke hook dip' }).waitFor()
  await fire(hookline, 'dip')
  await page
    .getByRole('log')
    .getByText(/bought/)
    .waitFor()
  await page.keyboard.press('Control+k')
  const endEngine = await workToSee(stage, hookline, page)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.screenshot({ path: README_PICTURE })
  await makeHook(
    page,
    'an alert with a name as long as it may be: sixty-four characters',
    'cancel all; close all; wait price < -5% timeout=10m; buy $100 BTCUSDT,ETHUSDT at -1% po; stop at -2%; echo "flat, then back in, and this line goes on for longer than any panel is wide, to see where it is cut or wrapped"',
  )
  await page.getByText('an alert with a name').first().waitFor()
  await shootPanels(page, 'connected')
  await dialogs(page)
  await endEngine()
  return page
}

/** @param {Page} page */
async function dialogs(page) {
  await page.getByRole('button', { name: 'New hook' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('broken')
  await page.getByRole('textbox', { name: 'Command' }).fill('buy $ BTCUSDT')
  await page.getByRole('button', { name: 'Create hook' }).click()
  await page.getByRole('alert').getByText(/./).waitFor()
  await shoot(page, 'dialog-new-hook')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
  /** @type {[string | RegExp, string][]} */
  const asked = [
    [/Cancel order .* stop/, 'dialog-cancel-order'],
    ['Rotate token of hook dip', 'dialog-rotate'],
    ['Revoke hook dip', 'dialog-revoke'],
    ['Keyboard help', 'dialog-help'],
  ]
  for (const [button, name] of asked) {
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').first().waitFor()
    await shoot(page, name)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await page.keyboard.press('Control+k')
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', 'price\npositions\norders')
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('.xterm-helper-textarea')?.dispatchEvent(event)
  })
  await page.getByRole('dialog').getByText('Run 3 pasted lines?').waitFor()
  await shoot(page, 'dialog-paste')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
  await badge(page, 'Connected').click()
  await shoot(page, 'badge-connected')
  await page.keyboard.press('Escape')
}

/** @param {Page} page @param {Hookline} hookline */
async function losing(page, hookline) {
  await hookline.stop()
  await badge(page, 'Not running').waitFor()
  await shoot(page, 'badge-stale')
}

/** @param {Page} page */
async function returning(page) {
  await page.evaluate(() => localStorage.setItem('hookline.listener', '11111111-2222-4333-8444-555555555555'))
  const hookline = await stage.startHookline()
  await page.reload()
  await badge(page, 'Another hookline').waitFor()
  await shoot(page, 'badge-other-listener')
  await page.getByRole('button', { name: 'Accept this hookline' }).click()
  await badge(page, 'Connected').waitFor()
  hookline.type('clients revoke --all')
  await badge(page, 'Revoked').waitFor()
  await shoot(page, 'badge-revoked')
  stage.write('config.json', { listener: { allowedOrigins: ['https://elsewhere.example'] } })
  await connect(page)
  await badge(page, 'Origin refused').waitFor()
  await shoot(page, 'badge-refused-origin')
  stage.write('config.json', { listener: { enabled: false } })
  await page.getByRole('button', { name: 'Try now' }).click()
  await badge(page, 'Switched off').waitFor()
  await shoot(page, 'badge-disabled')
  stage.write('config.json', {})
  await hookline.stop()
  await page.context().close()
}

async function faked() {
  /** @type {[number, string, string][]} */
  const endings = [
    [4400, 'Wrong version', 'badge-wrong-version'],
    [1009, 'Stopped', 'badge-too-big'],
    [4429, 'Reconnecting', 'badge-reconnecting'],
  ]
  for (const [code, text, name] of endings) {
    const page = await newPage({}, (each) => fakeHookline(each, (_frame, socket) => socket.close({ code })))
    await badge(page, text).waitFor()
    if (name === 'badge-reconnecting') await badge(page, text).click()
    await shoot(page, name)
    await page.context().close()
  }
  const silent = await newPage({ baseURL: FOREIGN }, async (page) => {
    await asForeignSite(page)
    await page.route('http://127.0.0.1:53219/health', () => {})
  })
  await shoot(silent, 'badge-idle-foreign')
  await connect(silent)
  await badge(silent, 'Browser asks').waitFor()
  await shoot(silent, 'badge-browser-asks')
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
  await shoot(blocked, 'badge-blocked')
  await blocked.context().close()
  const safari = await newPage({ baseURL: FOREIGN, userAgent: SAFARI }, async (page) => {
    await asForeignSite(page)
    await page.route('http://127.0.0.1:53219/health', (route) => route.abort())
  })
  await connect(safari)
  await badge(safari, 'Not in this browser').waitFor()
  await shoot(safari, 'badge-safari')
  await safari.context().close()
  const old = await newPage({}, (page) => fakeHookline(page, oldHookline))
  await badge(old, 'Connected').waitFor()
  await shootPanels(old, 'old-hookline')
  await old.context().close()
}

try {
  await withoutHookline()
  const hookline = await stage.startHookline()
  await pairing(hookline)
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
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
