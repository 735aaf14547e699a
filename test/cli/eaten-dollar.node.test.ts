// `$25` in double quotes, in a real shell, at each door that a shell stands in front of: nothing is bought, and nothing is stored.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, exec } from '../../harness/process/hookline.ts'

function shell(directory: string, script: string): Promise<{ readonly output: string; readonly code: number }> {
  writeFileSync(join(directory, 'config.json'), '{ "listener": { "enabled": false } }')
  const line = `hookline() { "${process.execPath}" "${BINARY}" "$@"; }\n${script}`
  return new Promise((resolve) => {
    execFile('bash', ['-c', line], { env: environmentOf(directory) }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, code: typeof error?.code === 'number' ? error.code : 0 }),
    )
  })
}

describe('a dollar amount that the shell replaces', () => {
  it.each([
    'hookline exec "buy $25 ETHUSDT"',
    'hookline exec --json "buy $25 ETHUSDT"',
    'hookline exec "position long $250 ETHUSDT"',
    'hookline exec "buy $10.50 ETHUSDT"',
    'echo "buy $20.05 ETHUSDT" | hookline --strict',
    'hookline hook create oops "buy $10.50 ETHUSDT"',
    'hookline buy $25 ETHUSDT',
    'echo "buy $25 ETHUSDT" | hookline --strict',
    'hookline --strict <<END\nbuy $25 ETHUSDT\nEND',
    'hookline hook create oops "buy $25 ETHUSDT; stop at -2%"',
    'hookline hook create oops "buy $25 ETHUSDT; stop at -2%" --json',
    `hookline exec "hook create oops 'buy $25 ETHUSDT'"`,
    `hookline exec "alias oops 'buy $25 ETHUSDT'"`,
  ])('%s is refused, with the spelling that a shell leaves alone', async (script) => {
    const directory = tempDirectory()
    const { output, code } = await shell(directory, script)
    expect(output).toMatch(/(25|10\.50)usd/)
    expect(code).not.toBe(0)
    const after = await exec(directory, 'fills; orders; hook list; alias')
    expect(after).not.toMatch(/ETHUSDT|oops/)
  })

  it.each([
    ['guards set paper order $500', 'guards', /\$0\.00/],
    ['set @x $250', 'set', /@x/],
    ['buy 250usd ETHUSDT; stop ETHUSDT at $entry -1% replace', 'orders', /ETHUSDT/],
  ])('%s keeps nothing of what the shell left', async (line, look, kept) => {
    const directory = tempDirectory()
    const { output, code } = await shell(directory, `hookline exec "${line}"`)
    expect([output, code]).toEqual([expect.stringMatching(/double quotes/), 1])
    expect(await exec(directory, look)).not.toMatch(kept)
  })

  it('is a limit in a spelling that a shell leaves alone', async () => {
    const { output, code } = await shell(tempDirectory(), 'hookline exec "guards set paper order 500usd"')
    expect([output, code]).toEqual([expect.stringMatching(/order \$500\.00/), 0])
  })

  it.each(['250$', '250usd', '250u'])('%s is money in a shell', async (size) => {
    const { output, code } = await shell(tempDirectory(), `hookline exec "buy ${size} ETHUSDT"`)
    expect([output, code]).toEqual([expect.stringMatching(/bought .* ETHUSDT/), 0])
  })
})
