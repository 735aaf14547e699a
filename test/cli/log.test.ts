// The log file: what strangers can cause stays small, and nobody else can read it.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/cli/log.ts'
import { tempDirectory } from '../support/temp-directory.ts'

const linesOf = (path: string) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

describe('the log', () => {
  it('is readable by its owner only', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    createLog(path).write('info', 'started')
    await expect.poll(() => linesOf(path)).toMatchObject([{ msg: 'started', pid: process.pid }])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('keeps what strangers cause to one line a second, and counts the rest', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    let now = 0
    const log = createLog(path, () => now)
    for (let index = 0; index < 10_000; index++) log.writeSeldom('warn', 'refused', { index })
    now = 1_000
    log.writeSeldom('warn', 'refused', { index: 'last' })
    await expect.poll(() => linesOf(path)).toMatchObject([{ index: 0 }, { index: 'last', leftOut: 9_999 }])
  })

  it('keeps one backup of a file that has grown too large, also while it runs', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    const log = createLog(path)
    log.write('info', 'first')
    await expect.poll(() => linesOf(path)).toHaveLength(1)
    writeFileSync(path, `${'x'.repeat(6_000_000)}\n`)
    for (let index = 0; index < 1_000; index++) log.write('info', 'more')
    await expect.poll(() => existsSync(`${path}.1`)).toBe(true)
    await expect.poll(() => statSync(path).size).toBeLessThan(1_000_000)
  })

  it('does not throw when the file cannot be written', () => {
    expect(() => createLog('/nowhere/at/all/hookline.log').bug(new Error('x'))).not.toThrow()
  })
})
