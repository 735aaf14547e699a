// The shell lines of the guides, each run by a shell as it is printed. `hookline` is the built program; lines that stay run beside those after them.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY } from '../../harness/process/hookline.ts'

const FOLDER = resolve(import.meta.dirname, '../../docs/guides')
const guides = readdirSync(FOLDER).flatMap((name) => {
  const guide = readFileSync(join(FOLDER, name), 'utf8')
  const lines = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'))
  return lines.length === 0 ? [] : [[name.replace(/\.md$/, ''), lines] as const]
})

/** What each line prints; that of a line which stays comes before the next line is typed. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'hookline account add swing paper': /added account swing/,
  'hookline cross-trade add --master paper --copier swing --weight 0.5 --enabled': /paper → swing\), enabled/,
  'hookline cross-trade run': /the engine copies/,
  "hookline exec 'buy $2000 BTCUSDT'": /bought/,
  'hookline cross-trade status': /swing +BTCUSDT +in-step/,
  "hookline exec 'close BTCUSDT'": /sold/,
  'hookline web': /http:\/\/127\.0\.0\.1:53220/,
  'hookline service install --print': /^ExecStart=.*"listen"$/m,
  'hookline listen': /listening on 127\.0\.0\.1:53219/,
  'hookline doctor': /^(?:ok|fails) +port +(?:hookline|nothing) listens on 127\.0\.0\.1:53219/m,
  "hookline exec 'audit verify'": /are as written/,
  'hookline bug': /^hookline bug report: /,
  'hookline proxy nginx --hook tv --domain alerts.example.com --cert /etc/ssl/alerts.pem --key /etc/ssl/alerts.key':
    /server_name alerts\.example\.com;/,
}
const STAY: readonly string[] = ['hookline cross-trade run', 'hookline web', 'hookline listen']
/** Typed until it shows what comes a moment later, whatever its status. */
const LOOKS: readonly string[] = ['hookline cross-trade status', 'hookline doctor']
/** What the guide has typed at the prompt before its first line in a shell. */
const BEFORE: Readonly<Record<string, string>> = {
  tradingview: `hook create tv "position {target:in(long,short,flat)} {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)}"`,
}

describe('the shell lines of a guide', () => {
  it('are all known here', () => {
    expect(new Set(guides.flatMap(([, lines]) => lines))).toEqual(new Set(Object.keys(PRINTS)))
  })

  it.each(guides)('%s', async (guide, lines) => {
    const type = openShell()
    const before = BEFORE[guide]
    if (before !== undefined) expect(await ended(type(`hookline exec '${before}'`))).toMatchObject({ code: 0 })
    for (const line of lines) {
      const expected = PRINTS[line] ?? /^$/
      if (STAY.includes(line)) await printsBeforeItEnds(type(line), expected)
      else if (LOOKS.includes(line)) await expect.poll(async () => (await ended(type(line))).out).toMatch(expected)
      else expect(await ended(type(line))).toMatchObject({ code: 0, out: expect.stringMatching(expected) })
    }
  })
})

function openShell() {
  const folder = tempDirectory()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'hookline'), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`)
  chmodSync(join(bin, 'hookline'), 0o755)
  const own = environmentOf(join(folder, 'state'))
  const env = { ...own, PATH: `${bin}:${own.PATH}` }
  return (line: string): ChildProcessWithoutNullStreams => {
    // `exec`: the signal that ends the shell ends hookline.
    const child = spawn('sh', ['-c', STAY.includes(line) ? `exec ${line}` : line], { cwd: folder, env })
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    })
    return child
  }
}

async function ended(child: ChildProcessWithoutNullStreams) {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code }
}

async function printsBeforeItEnds({ stdout, stderr }: ChildProcessWithoutNullStreams, expected: RegExp): Promise<void> {
  stderr.resume()
  let out = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    out += String(chunk)
    if (expected.test(out)) break
  }
  stdout.resume()
  expect(out).toMatch(expected)
}
