// The log file: what strangers can cause stays small, and nobody else can read it.
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createLog, SELDOM } from '../../src/app/log.ts'
import { logRefusals } from '../../src/app/open-listener.ts'

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

  it('keeps what strangers cause all day to one line a minute', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    let now = 0
    const log = createLog(path, () => now)
    const hourMs = 3_600_000
    for (; now < hourMs; now += SELDOM.pauseMs) log.writeSeldom('warn', 'refused', { now })
    await expect.poll(() => linesOf(path).length).toBeGreaterThan(0)
    const lines = linesOf(path)
    expect(lines.length).toBeLessThanOrEqual(SELDOM.burst + hourMs / SELDOM.refillMs)
    const told = lines.reduce((sum, { leftOut = 0 }) => sum + leftOut, lines.length)
    expect(told).toBeGreaterThan((hourMs - 2 * SELDOM.refillMs) / SELDOM.pauseMs)
  })

  it('has after a day of all that strangers can cause, at its longest, what it had before', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    let now = 0
    const log = createLog(path, () => now)
    log.write('warn', 'before')
    const { onWrongToken, onForeignPage, onRefusedUpgrade } = logRefusals(log, (text) => text)
    const longest = '\u00e9'.repeat(16_384)
    for (; now < 24 * 60 * SELDOM.refillMs; now += SELDOM.refillMs / 2) {
      onWrongToken({ id: 'h'.repeat(32), name: longest })
      onForeignPage(longest)
      onRefusedUpgrade(longest)
      log.writeSeldom('warn', 'refused a client that did not prove itself', { label: 'é'.repeat(300) })
    }
    await expect
      .poll(() => linesOf(path).filter(({ msg }) => msg === 'refused a WebSocket').length)
      .toBeGreaterThan(1_400)
    const all = [...linesOf(`${path}.1`), ...linesOf(path)]
    expect(all.filter(({ msg }) => msg === 'before')).toHaveLength(1)
  })

  it('does not let one refusal hide another', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    const log = createLog(path, () => 0)
    for (let index = 0; index < 100; index++) log.writeSeldom('warn', 'refused a WebSocket')
    log.writeSeldom('warn', 'refused a fire')
    await expect.poll(() => linesOf(path).map(({ msg }) => msg)).toEqual(['refused a WebSocket', 'refused a fire'])
  })

  it('keeps one backup of a file that has grown too large, also while it runs', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    const log = createLog(path)
    log.write('info', 'first')
    await expect.poll(() => linesOf(path)).toHaveLength(1)
    writeFileSync(path, `${'x'.repeat(6_000_000)}\n`)
    const isBackedUp = () => {
      log.write('info', 'more')
      return existsSync(`${path}.1`)
    }
    await expect.poll(isBackedUp).toBe(true)
    expect(statSync(path).size).toBeLessThan(1_000_000)
  })

  it.runIf(existsSync('/dev/full'))('survives a full disk', async () => {
    const path = join(tempDirectory(), 'hookline.log')
    symlinkSync('/dev/full', path)
    const log = createLog(path)
    for (let index = 0; index < 10; index++) log.write('warn', 'lost', { index })
    log.bug(new Error('lost too'))
    // Were its error nobody's, this process would end before the next line is here.
    rmSync(path)
    const isHere = () => {
      log.write('info', 'kept')
      return linesOf(path).length > 0
    }
    await expect.poll(isHere).toBe(true)
  })

  it('does not throw when the file cannot be written', () => {
    expect(() => createLog('/nowhere/at/all/hookline.log').bug(new Error('x'))).not.toThrow()
  })
})
