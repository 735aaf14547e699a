// hookline(1), as the build has made it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { BINARY, run } from '../../../harness/process/hookline.ts'
import { commands } from '../../../src/commands/catalogue.ts'

const PAGE = join(dirname(BINARY), 'hookline.1')

it('is what the program says of itself', async () => {
  const { stdout, code } = await run(tempDirectory(), ['man'])
  expect(code).toBe(0)
  expect(readFileSync(PAGE, 'utf8')).toBe(stdout)
})

it('is ASCII, and no line of text is taken for a request', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(page).toMatch(/^[\n -~]*$/)
  const requests = new Set([...page.matchAll(/^[.'](\w*)/gm)].map(([, name]) => name))
  expect([...requests].sort()).toEqual(['B', 'PP', 'RE', 'RI', 'RS', 'SH', 'SS', 'TH', 'TP'])
})

it('is shown by man with every command of the shell and of the prompt, and without a complaint', ({ skip }) => {
  skip(spawnSync('man', ['--version']).error !== undefined, 'man is not installed')
  const env = { PATH: process.env.PATH ?? '', MANWIDTH: '300', LC_ALL: 'C.UTF-8' }
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '-P', 'cat', '-l', PAGE], {
    encoding: 'utf8',
    env,
  })
  expect([stderr, status]).toEqual(['', 0])
  const text = stdout.replaceAll(/.\u0008/gu, '')
  for (const { name, summary } of commands) {
    expect(text).toMatch(new RegExp(`^ +${name}\\b`, 'm'))
    expect(text.replaceAll('`', '')).toContain(summary.replaceAll('`', ''))
  }
  expect(text).toContain('hookline service uninstall')
  expect(text).toContain('HOOKLINE_CONFIG_DIR')
})

it('is sound to mandoc', ({ skip }) => {
  skip(spawnSync('mandoc', ['-V']).error !== undefined, 'mandoc is not installed')
  const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'error', PAGE], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
