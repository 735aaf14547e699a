// From an empty directory to a filled order, the way the README tells it, in a real terminal.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isPrompt, openTerminal, post } from '../../harness/process/hookline.ts'
import type { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'

const HOOK = 'hook create dip "buy $250 BTCUSDT stop -2%"'
const CURL_LINE = /curl -sS .*http:\/\/127\.0\.0\.1:53219\/hook\/[0-9a-f]{32}$/

/** Creates the hook and reads the curl line off the screen. */
async function readCurlLine(terminal: PseudoTerminal): Promise<string> {
  terminal.send(`${HOOK}\r`)
  const find = () => terminal.lines().flatMap((line) => CURL_LINE.exec(line)?.[0] ?? [])
  await terminal.until(() => find().length > 0)
  return find()[0] ?? ''
}

async function tellStory(pasteIntoShell: (curlLine: string) => Promise<string>): Promise<void> {
  const terminal = await openTerminal(tempDirectory())
  const curlLine = await readCurlLine(terminal)
  await terminal.until((screen) => isPrompt(screen.typed()))
  terminal.send('posit')
  await terminal.until((screen) => screen.typed().endsWith('> posit'))

  expect(JSON.parse(await pasteIntoShell(curlLine))).toEqual({
    ok: true,
    runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    command: 'buy $250 BTCUSDT stop -2%',
  })
  await terminal.shows('[hook:dip] bought 0.')
  await terminal.shows('[hook:dip] order ')
  await terminal.until((screen) => screen.typed().endsWith('> posit'))

  terminal.send('ions\r')
  await terminal.until((screen) => screen.lines().some((line) => /^BTCUSDT +long +0\.\d/.test(line)))
  terminal.send('orders\r')
  await terminal.until((screen) => screen.lines().some((line) => /BTCUSDT +sell +stop +0\.\d.* reduce/.test(line)))
  terminal.send('exit\r')
  expect(await terminal.exit()).toBe(0)
}

async function runInShell(line: string): Promise<string> {
  return (await promisify(execFile)('bash', ['-c', line])).stdout
}

async function requestWithoutCurl(line: string): Promise<string> {
  const token = /X-Hook-Token: ([0-9a-f]{32})/.exec(line)?.[1] ?? ''
  return (await post(/http:\S+$/.exec(line)?.[0] ?? '', token)).body
}

const hasCurl = spawnSync('curl', ['--version']).error === undefined

describe("the newcomer's story", () => {
  it('leads to a position and its stop when the printed curl line is pasted into a shell', async ({ skip }) => {
    skip(!hasCurl, 'curl is not installed; the next test makes the same request without it')
    await tellStory(runInShell)
  })

  it("leads there too when the curl line's request is made with node:http", () => tellStory(requestWithoutCurl))
})
