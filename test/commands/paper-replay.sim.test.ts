// `paper replay` at the prompt, with real files.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

const START_S = Date.UTC(2026, 0, 5, 12) / 1000

/** One candle a minute, at 100, 101, 102, … */
const rows = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => {
    const price = 100 + from + index
    return `${START_S + 60 * (from + index)},${price},${price},${price},${price},1\n`
  }).join('')

async function open(content = rows(30)) {
  const session = await createSession()
  const path = join(session.directory, 'mine.csv')
  writeFileSync(path, content)
  return { ...session, path }
}

describe('paper replay', () => {
  it('leaves every other account as it is', async () => {
    const { run, path } = await open()
    await run('buy 0.01; buy 0.01 at -1%')
    const before = [await run('positions'), await run('orders'), await run('balance')]
    await run(`paper replay "${path}" --background`)
    expect([await run('positions'), await run('orders'), await run('balance')]).toEqual(before)
  })

  it('is traded on by its own account, and its orders are told as any others', async () => {
    const { run, path, advance } = await open()
    await run(`paper replay "${path}" --background --speed 60`)
    await run('account use replay')
    expect((await run('buy 1 BTCUSDT')).join('\n')).toMatch(/^success bought 1 BTCUSDT at 100.1/)
    await advance(10_000)
    expect((await run('paper replay status'))[0]).toMatch(/^print BTCUSDT 110.0, 10 of 30 candles, .*\$10,009/)
  })

  it('gives the prompt back while it runs, and prints its progress there once a minute', async () => {
    const { start, path, advance, settle } = await open()
    let waits = 0
    const replaying = start(`paper replay "${path}" --speed 1`, { onWait: () => void waits++ })
    const watched = start(`paper replay "${path}" --account other --speed 1`)
    while (waits === 0 || watched.lines.length === 0) await settle()
    await advance(59_000)
    expect(replaying.lines.filter((line) => line.includes('candles, account worth'))).toEqual([])
    expect(watched.lines.filter((line) => line.includes('candles, account worth')).length).toBeGreaterThan(5)
    await advance(2_000)
    expect(replaying.lines.filter((line) => line.includes('candles, account worth'))).toHaveLength(1)
    replaying.abort()
    watched.abort()
    await Promise.all([replaying.done, watched.done])
    expect(waits).toBe(1)
  })

  it('stops at Ctrl-C: its prices stand still and what was traded stays', async () => {
    const { start, run, path, advance, settle } = await open()
    const replaying = start(`paper replay "${path}"`)
    while (replaying.lines.length === 0) await settle()
    await advance(5000)
    replaying.abort()
    expect(await replaying.done).toBe(false)
    await advance(10_000)
    expect((await run('paper replay status'))[0]).toMatch(/^print BTCUSDT 105.0, 5 of 30 candles, .*stopped$/)
  })

  it('ends when another begins on the account', async () => {
    const { start, run, path, advance, settle } = await open()
    const first = start(`paper replay "${path}"`)
    while (first.lines.length === 0) await settle()
    await advance(2000)
    await run(`paper replay "${path}" --background --speed 1`)
    await advance(5000)
    expect(await first.done).toBe(true)
    expect((await run('paper replay status'))[0]).toMatch(/^print BTCUSDT 100.0, 0 of 30 candles, .*running$/)
  })

  it('begins again on its own account, and cancels what rests there', async () => {
    const { run, path } = await open()
    await run(`paper replay "${path}" --background`)
    await run('account use replay')
    await run('buy 1 at 90; buy 1')
    await run(`paper replay "${path}" --background`)
    expect([await run('orders'), await run('positions')]).toEqual([['info no open orders'], ['info no open positions']])
    expect((await run('balance')).join('\n')).toMatch(/\$10,000.00/)
  })

  it('never takes an account that somebody has traded on by itself', async () => {
    const { run, path } = await open()
    await run('buy 0.01')
    expect(await run(`paper replay "${path}" --account paper`)).toEqual([
      "error already-exists: account paper is not a replay's, and a replay would end what it holds | name another: `--account practice2` makes it",
    ])
    expect(await run('positions')).not.toEqual(['info no open positions'])
  })

  it('tells the gaps of a file', async () => {
    const { run, path } = await open(rows(3) + rows(2, 10) + rows(2, 14))
    expect((await run(`paper replay "${path}" --background`))[0]).toBe(
      'warn 2 gaps, the longest of 7 candles before line 4: a replay continues right after a gap',
    )
  })

  it.each([
    ['a bad line', `${rows(2)}oops\n`, 'error bad-candles: mine.csv: line 3 has no time as'],
    ['nothing in it', '', 'error bad-candles: mine.csv: the file has no candles'],
    ['one long line', 'x'.repeat(200_000), 'error bad-candles: mine.csv: line 1 is longer than 1000 characters'],
  ])('refuses a file with %s, and changes nothing', async (_what, content, error) => {
    const { run, path, ports } = await open(content)
    expect((await run(`paper replay "${path}"`))[0]?.startsWith(error)).toBe(true)
    expect(ports.accounts.find('replay')).toBeUndefined()
  })

  it('refuses what is not a file, or not there', async () => {
    const { run, directory } = await open()
    mkdirSync(join(directory, 'folder'))
    expect((await run(`paper replay "${join(directory, 'folder')}"`))[0]).toMatch(
      /bad-candles: folder: it is not a regular file/,
    )
    expect((await run(`paper replay "${join(directory, 'none.csv')}"`))[0]).toMatch(
      /bad-candles: none.csv: no such file/,
    )
  })

  it.each(['0', '3601', '1.5', 'fast'])('refuses a speed of %s', async (speed) => {
    const { run, path } = await open()
    expect((await run(`paper replay "${path}" --speed ${speed}`))[0]).toMatch(
      /is not a speed \| use a number from 1 to 3600/,
    )
  })

  it('refuses a symbol that the paper market has not', async () => {
    const { run, path } = await open()
    expect((await run(`paper replay "${path}" FOOUSDT`))[0]).toMatch(
      /^error bad-symbol: the paper market has no FOOUSDT/,
    )
  })

  it('says that there is none', async () => {
    const { run } = await open()
    for (const line of ['paper replay', 'paper replay stop']) {
      expect((await run(line))[0]).toMatch(/^error not-found: no replay on account replay \| /)
    }
  })

  it.each(['hook', 'web'] as const)('is refused to a %s', async (source) => {
    const { run, path } = await open()
    expect((await run(`paper replay "${path}"`, { source }))[0]).toMatch(/^error /)
  })
})
