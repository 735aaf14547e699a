// Draws docs/terminal.svg, the moving picture of the README: the built program in a real pseudo-terminal, then its desk in a real browser. What
// is shown is what they showed; only the time of each screen is the picture's own. Needs ports 53219 and 53220 and a chromium.
// Usage: npm run picture
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { chromium } from 'playwright-core'
import { BINARY } from '../harness/process/built-hookline.mjs'

const COLS = 104
const ROWS = 24
const PALETTE = ['#1b1f24', '#e5534b', '#57ab5a', '#c69026', '#539bf5', '#b083f0', '#39c5cf', '#adbac7', '#768390']
const FOREGROUND = '#d1d9e0'
const CELL = { width: 8.4, height: 19 }
const WIDTH = Math.ceil(COLS * CELL.width + 40)
const HEIGHT = ROWS * CELL.height + 60
/** How long each screen is shown: one that is being typed, one that answers, the desk at the end. */
const TYPED_MS = 110
const READ_MS = 2_100
const DESK_MS = 6_000
/** Of the whole picture, so that a page which shows it stays light. */
const MOST_BYTES = 200_000

const directory = mkdtempSync(join(tmpdir(), 'hookline-picture-'))
const terminal = new xterm.Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true })
const shell = pty.spawn(process.execPath, [BINARY], {
  cols: COLS,
  rows: ROWS,
  env: { ...process.env, HOOKLINE_CONFIG_DIR: directory, TERM: 'xterm-256color', NO_COLOR: '' },
})
shell.onData((data) => terminal.write(data))

const rows = () =>
  Array.from({ length: ROWS }, (_, y) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY + y))
const screen = () =>
  rows()
    .map((line) => line?.translateToString(true) ?? '')
    .join('\n')

/** Resolves when the screen shows what is waited for. @param {RegExp} pattern @returns {Promise<void>} */
function shows(pattern) {
  if (pattern.test(screen())) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${pattern} in\n${screen()}`)), 15_000)
    const parsed = terminal.onWriteParsed(() => {
      if (!pattern.test(screen())) return
      clearTimeout(late)
      parsed.dispose()
      resolve()
    })
  })
}

/** The screens of the picture, in turn: the drawn rows, and for how long. @type {{ readonly rows: readonly string[], ms: number }[]} */
const screens = []

/** @param {number} ms */
function keep(ms) {
  const drawn = rows().map((line, y) =>
    runsOf(line)
      .map((run) => textElement(run, y))
      .join(''),
  )
  screens.push({ rows: drawn, ms })
}

const literal = (/** @type {string} */ text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Types a line word by word, and waits for what it answers. @param {string} line @param {RegExp} answer */
async function type(line, answer) {
  let typed = ''
  for (const word of line.split(/(?<= )/)) {
    shell.write(word)
    typed += word
    await shows(new RegExp(literal(typed.trimEnd())))
    keep(TYPED_MS)
  }
  shell.write('\r')
  await shows(answer)
  keep(READ_MS)
}

await shows(/BTCUSDT [\d,.]+\] >/)
keep(900)
await type('buy $1000 BTCUSDT stop -2%', /order p\d+: stop sell [^\n]*\n(?:.*\n)*.*\] > *$/m)
await type('positions', /BTCUSDT +long/)
await type('hook create dip "buy $250 BTCUSDT stop -2%"', /curl [\s\S]*[0-9a-f]{32}\n.*\] > *$/m)
const curl = screen()
  .replaceAll('\n', '')
  .match(/-H '(X-Hook-Token: [0-9a-f]{32})' (http\S+?\/hook\/[0-9a-f]{32})/)
const [, header = '', url = ''] = curl ?? []
const answer = execFileSync('curl', ['-sS', '-X', 'POST', '-H', header, url], { encoding: 'utf8' })
if (!JSON.parse(answer).ok) throw new Error(answer)
await shows(/\[hook:dip\].*stop sell/)
keep(READ_MS)

const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const page = await browser.newPage({
  viewport: { width: 1280, height: Math.round((1280 * HEIGHT) / WIDTH) },
  colorScheme: 'dark',
})
await page.goto('http://127.0.0.1:53220')
// A page of this hookline's own console asks by itself.
await shows(/approve it\? y or n/)
keep(READ_MS)
// A question takes keys only once it can have been read.
await new Promise((wake) => setTimeout(wake, 1_000))
shell.write('y\r')
await shows(/approved console/)
keep(900)
await page
  .getByRole('row', { name: /BTCUSDT/ })
  .first()
  .waitFor()
await page.waitForTimeout(3_000)
const desk = (await page.screenshot({ type: 'jpeg', quality: 55 })).toString('base64')
await browser.close()
shell.write('exit\r')
await new Promise((resolve) => shell.onExit(resolve))
rmSync(directory, { recursive: true, force: true })

const picture = svg()
if (picture.length > MOST_BYTES) throw new Error(`the picture has ${picture.length} bytes, more than ${MOST_BYTES}`)
writeFileSync('docs/terminal.svg', picture)

/** Each row of text is there once, and shown from its first screen to its last: one rule for each span of time. */
function svg() {
  const total = screens.reduce((sum, { ms }) => sum + ms, 0) + DESK_MS
  /** @type {Map<string, string[]>} */
  const spans = new Map()
  for (let y = 0; y < ROWS; y++) {
    let from = 0
    let passed = 0
    for (const [index, { rows: drawn, ms }] of screens.entries()) {
      passed += ms
      const text = drawn[y] ?? ''
      if (screens[index + 1]?.rows[y] === text) continue
      const span = `${from}-${passed}`
      if (text !== '') spans.set(span, [...(spans.get(span) ?? []), text])
      from = passed
    }
  }
  const terminalMs = total - DESK_MS
  const rules = [...spans.keys(), `${terminalMs}-${total}`].map((span, index) => {
    const [from = 0, to = 0] = span.split('-').map(Number)
    const at = (/** @type {number} */ ms) => `${((100 * ms) / total).toFixed(2)}%`
    const begins = from === 0 ? '0%{visibility:visible}' : `0%{visibility:hidden}${at(from)}{visibility:visible}`
    const ends = to === total ? '' : `${at(to)}{visibility:hidden}`
    return `@keyframes k${index}{${begins}${ends}}.k${index}{animation-name:k${index}}`
  })
  const groups = [...spans].map(([span, texts], index) => {
    const isLast = Number(span.split('-')[1]) === terminalMs
    return `<g class="s k${index}${isLast ? ' last' : ''}">${texts.join('\n')}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="A hookline terminal, then its desk in a browser">
<style>text{white-space:pre}.s{visibility:hidden;animation:${total}ms step-end infinite}${rules.join('')}@media (prefers-reduced-motion:reduce){.s{animation:none}.last{visibility:visible}}</style>
<rect width="100%" height="100%" rx="8" fill="${PALETTE[0]}"/>
<g fill="#768390"><circle cx="24" cy="20" r="6"/><circle cx="44" cy="20" r="6"/><circle cx="64" cy="20" r="6"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${groups.join('\n')}
</g>
<image class="s k${spans.size}" width="${WIDTH}" height="${HEIGHT}" href="data:image/jpeg;base64,${desk}"/>
</svg>
`
}

/** @typedef {{ readonly x: number, readonly colour: string, text: string }} Run */

/** Neighbouring cells of one colour. @param {xterm.IBufferLine | undefined} line */
function runsOf(line) {
  /** @type {Run[]} */
  const runs = []
  for (let x = 0; x < COLS; x++) {
    const cell = line?.getCell(x)
    const colour = cell?.isFgPalette() ? (PALETTE[Math.min(cell.getFgColor(), 8)] ?? FOREGROUND) : FOREGROUND
    const previous = runs.at(-1)
    if (previous?.colour === colour) previous.text += cell?.getChars() || ' '
    else runs.push({ x, colour, text: cell?.getChars() || ' ' })
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text.trim() !== '')
}

/** @param {Run} run @param {number} y */
function textElement({ x, colour, text }, y) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const left = (20 + x * CELL.width).toFixed(1)
  const length = (text.length * CELL.width).toFixed(1)
  return `<text x="${left}" y="${(y + 1) * CELL.height + 34}" fill="${colour}" textLength="${length}">${escaped}</text>`
}
