// `$25` in double quotes, in a real shell, at each door that a shell stands in front of: nothing is bought, and nothing is stored.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, exec } from '../../harness/process/hookline.ts'

const directory = tempDirectoryOfFile()

function shell(script: string): Promise<{ readonly output: string; readonly code: number }> {
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
    const { output, code } = await shell(script)
    expect(output).toMatch(/(25|10\.50)usd/)
    expect(code).not.toBe(0)
  })

  it.each(['guards set paper order $500', 'set @x $250', 'buy 250usd ETHUSDT; stop ETHUSDT at $entry -1% replace'])(
    '%s is refused for what the shell left',
    async (line) => {
      const { output, code } = await shell(`hookline exec "${line}"`)
      expect([output, code]).toEqual([expect.stringMatching(/double quotes/), 1])
    },
  )

  it('has bought and stored nothing', async () => {
    expect(await exec(directory, 'fills; orders; hook list; alias; set')).not.toMatch(/ETHUSDT|oops|@x/)
    expect(await exec(directory, 'guards')).not.toMatch(/\$0\.00/)
  })

  it('is a limit in a spelling that a shell leaves alone', async () => {
    const { output, code } = await shell('hookline exec "guards set paper order 500usd"')
    expect([output, code]).toEqual([expect.stringMatching(/order \$500\.00/), 0])
  })

  it.each(['250$', '250usd', '250u'])('%s is money in a shell', async (size) => {
    const { output, code } = await shell(`hookline exec "buy ${size} ETHUSDT"`)
    expect([output, code]).toEqual([expect.stringMatching(/bought .* ETHUSDT/), 0])
  })
})
