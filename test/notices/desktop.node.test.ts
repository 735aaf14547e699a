// The desktop, with a notify-send of our own that writes down what it is started with.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { desktopDelivery } from '../../src/notices/desktop.ts'
import type { NoticeRow } from '../../src/notices/notice.ts'

const row: NoticeRow = {
  id: 1,
  at: 0,
  kind: 'said',
  severity: 'info',
  text: '--version; $(touch x) <img> "a" \'b\'',
  count: 1,
}
const taken = (text = row.text) => ({ rows: [{ ...row, text }], ids: ['1'], leftOut: 0 })

/** @returns the directory, which is all of its PATH */
function fakeProgram(name: string, lines: string): string {
  const directory = tempDirectory()
  const path = join(directory, name)
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return directory
}

const WRITES_DOWN = `printf '%s\\n' "$@" > "\${0%/*}/arguments"
/usr/bin/env > "\${0%/*}/environment"`

it('gets each text as one argument, and nothing of the environment but what finds the desktop', async () => {
  const directory = fakeProgram('notify-send', WRITES_DOWN)
  const env = { PATH: directory, DISPLAY: ':0', HOOKLINE_VAULT_PASSPHRASE_FILE: '/secret', API_KEY: 'hidden' }
  await desktopDelivery({ platform: 'linux', env })(taken(), AbortSignal.timeout(5_000))
  expect(readFileSync(join(directory, 'arguments'), 'utf8').split('\n')).toEqual([
    '--app-name=hookline',
    '--urgency=normal',
    '--',
    'hookline',
    '--version; $(touch x) &lt;img&gt; "a" \'b\'',
    '',
  ])
  expect(existsSync(join(directory, 'x'))).toBe(false)
  const passedOn = readFileSync(join(directory, 'environment'), 'utf8')
  expect(passedOn).toContain('DISPLAY=:0')
  expect(passedOn).not.toMatch(/secret|hidden/)
})

it('gets the text on macOS behind a script that stays the same', async () => {
  const directory = fakeProgram('osascript', WRITES_DOWN)
  await desktopDelivery({ platform: 'darwin', env: { PATH: directory } })(taken('" & quit'), AbortSignal.timeout(5_000))
  expect(readFileSync(join(directory, 'arguments'), 'utf8').split('\n').slice(-4)).toEqual([
    '--',
    '" & quit',
    'hookline',
    '',
  ])
})

it.each([
  ['is not there', () => tempDirectory(), 'not-supported', 'there is no notify-send on this machine'],
  ['fails', () => fakeProgram('notify-send', 'exit 3'), 'refused', 'notify-send failed with status 3'],
])('says so when the program %s', async (_what, makePath, code, message) => {
  const directory = makePath()
  const delivery = desktopDelivery({ platform: 'linux', env: { PATH: directory } })(taken(), AbortSignal.timeout(5_000))
  await expect(delivery).rejects.toMatchObject({ code, message, mayRetry: false })
})

it('ends a program that hangs', async () => {
  const directory = fakeProgram('notify-send', `echo $$ > "\${0%/*}/pid"; exec /bin/sleep 600`)
  const stop = new AbortController()
  const delivery = desktopDelivery({ platform: 'linux', env: { PATH: directory } })(taken(), stop.signal)
  while (!existsSync(join(directory, 'pid'))) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await expect(delivery).rejects.toMatchObject({ code: 'timeout' })
})

it('says on Windows that it cannot, and what can', async () => {
  const delivery = desktopDelivery({ platform: 'win32', env: {} })(taken(), AbortSignal.timeout(5_000))
  await expect(delivery).rejects.toMatchObject({ code: 'not-supported', hint: expect.stringContaining('telegram') })
})
