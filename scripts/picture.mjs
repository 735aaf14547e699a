// Draws docs/terminal.svg: the built program in a real pseudo-terminal, told the README's story, and its screen as it was.
// Usage: npm run build && node scripts/picture.mjs
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { BINARY } from '../harness/process/built-hookline.mjs'

const COLS = 140
const ROWS = 26
const PALETTE = ['#1b1f24', '#e5534b', '#57ab5a', '#c69026', '#539bf5', '#b083f0', '#39c5cf', '#adbac7', '#768390']
const FOREGROUND = '#d1d9e0'
const CELL = { width: 8.4, height: 19 }

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
    const late = setTimeout(() => reject(new Error(`no ${pattern} in\n${screen()}`)), 10_000)
    const parsed = terminal.onWriteParsed(() => {
      if (!pattern.test(screen())) return
      clearTimeout(late)
      parsed.dispose()
      resolve()
    })
  })
}

/** @param {string} line @param {RegExp} pattern */
async function type(line, pattern) {
  shell.write(`${line}\r`)
  await shows(pattern)
}

await shows(/BTCUSDT [\d,.]+\] >/)
await type('hook create dip "buy $250 BTCUSDT stop -2%"', /curl .*\/hook\/[0-9a-f]{32}/s)
const curl = screen()
  .replaceAll('\n', '')
  .match(/curl -sS -w '\\n' -X POST -H '(X-Hook-Token: [0-9a-f]{32})' (http\S+?\/hook\/[0-9a-f]{32})/)
const [, header = '', url = ''] = curl ?? []
const answer = execFileSync('curl', ['-sS', '-X', 'POST', '-H', header, url], { encoding: 'utf8' })
if (!JSON.parse(answer).ok) throw new Error(answer)
await shows(/\[hook:dip\].*stop/i)
await type('positions', /BTCUSDT +long/)
writeFileSync('docs/terminal.svg', svg())
shell.write('exit\r')
await new Promise((resolve) => shell.onExit(resolve))
rmSync(directory, { recursive: true, force: true })

function svg() {
  const lines = rows()
  let last = lines.length - 1
  while (last > 0 && (lines[last]?.translateToString(true) ?? '') === '') last--
  const height = (last + 1) * CELL.height + 60
  const width = COLS * CELL.width + 40
  const texts = lines.slice(0, last + 1).flatMap((line, y) => runsOf(line).map((run) => textElement(run, y)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A hookline terminal">
<rect width="100%" height="100%" rx="8" fill="${PALETTE[0]}"/>
<g fill="#768390"><circle cx="24" cy="20" r="6"/><circle cx="44" cy="20" r="6"/><circle cx="64" cy="20" r="6"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${texts.join('\n')}
</g>
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
