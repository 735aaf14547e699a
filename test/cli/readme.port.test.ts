// The shell lines of README, each run by a shell as it is printed there. `npx hookline` is the built program.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, LISTENING } from '../../harness/process/hookline.ts'

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => line.includes('hookline'))

const PRINTS: Readonly<Record<string, RegExp>> = {
  "printf 'buy $100\\npositions\\n' | npx hookline --strict": /bought 0\.001 BTCUSDT[\s\S]*^BTCUSDT +long +0\.001 /m,
  'npx hookline exec --json "balance"': /^\{"type":"balances".*\}$/m,
  "npx hookline hook create flat 'cancel all; close all' --json":
    /"url": ?"http:\/\/127\.0\.0\.1:53219\/hook\/[0-9a-f]{32}"/,
}
/** It stays until a signal ends it. */
const STAYS = 'npx hookline listen'

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill('SIGKILL')
  child = undefined
})

function shell(line: string) {
  const directory = tempDirectory()
  writeFileSync(join(directory, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${BINARY}" "$@"\n`, {
    mode: 0o700,
  })
  const env = environmentOf(join(directory, 'config'))
  // `exec`: the signal that ends the shell ends hookline.
  const started = spawn('/bin/sh', ['-c', line === STAYS ? `exec ${line}` : line], {
    env: { ...env, PATH: `${directory}${delimiter}${env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  return started
}

describe("README's shell lines", () => {
  it('are all known here', () => {
    expect(lines.toSorted()).toEqual([...Object.keys(PRINTS), STAYS].toSorted())
  })

  it.each(Object.entries(PRINTS))('%s', async (line, prints) => {
    const started = shell(line)
    const [out, err, [code]] = await Promise.all([text(started.stdout), text(started.stderr), once(started, 'exit')])
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('error') })
    expect(out).toMatch(prints)
  })

  it(`${STAYS} listens until a signal ends it`, async () => {
    const listener = shell(STAYS)
    let out = ''
    for await (const chunk of listener.stdout) {
      out += String(chunk)
      if (out.includes(LISTENING)) break
    }
    expect(out).toContain(LISTENING)
    const ended = once(listener, 'exit')
    listener.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
