// What speaks to OpenID providers is a part of the bundle that no start pays for: it is evaluated when somebody signs in.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BINARY } from '../../harness/process/hookline.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-part-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The first thing that the library does is to look where it runs; nothing else of hookline does. */
const WITNESS = join(directory, 'witness.cjs')
writeFileSync(
  WITNESS,
  `let isLoaded = false
   Object.defineProperty(globalThis, 'navigator', { get: () => { isLoaded = true }, configurable: true })
   process.on('exit', () => process.stderr.write('LOADED ' + isLoaded + '\\n'))`,
)

function loads(args: readonly string[]): boolean {
  const env = { ...process.env, HOOKLINE_CONFIG_DIR: join(directory, 'config') }
  const { stderr } = spawnSync(process.execPath, ['--require', WITNESS, BINARY, ...args], { env, encoding: 'utf8' })
  return JSON.parse(/^LOADED (.*)$/m.exec(stderr)?.[1] ?? 'null')
}

describe('the library for signing in', () => {
  it.each([[['exec', 'status']], [['whoami']], [['logout']], [['login']]])(
    'is not evaluated by `hookline %j`',
    (args) => {
      expect(loads(args)).toBe(false)
    },
  )

  it('is evaluated once a provider is asked', () => {
    expect(loads(['login', '--issuer', 'http://127.0.0.1:1'])).toBe(true)
  })
})
