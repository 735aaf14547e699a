import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'

const CHOP = '--candles examples/candles/chop.csv'
const LINE = '"buy $1000 BTCUSDT stop -0.5% tp 1%"'
const WHEN = '--when "rsi(14, 1m) crosses above 40"'

const terminalOf = (columns: number): Terminal =>
  ({ columns: () => columns, clear() {}, history: () => [], quit() {}, askHidden: async () => '' }) satisfies Terminal

/** Files of the directory, and what is in them. */
function filesOf({ directory }: CommandSession): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

describe('hook replay', () => {
  it('reports what a line would have done, and what candles do not tell', async () => {
    const session = await createSession()
    const text = (await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`)).join('\n').replaceAll(/^print /gm, '')
    expect(text).toContain(
      'a line on BTCUSDT, 360 candles of 1m\nfrom  2026-01-05 12:00:00 to 2026-01-05 18:00:00 UTC\n',
    )
    expect(text).toMatch(/^fires {10}\d+: \d+ done$/m)
    for (const title of ['fills', 'profit', 'max drawdown', 'trades', 'R', 'in the market'])
      expect(text).toMatch(new RegExp(`^${title} {2}`, 'm'))
    for (const what of ['queue:', 'depth:', 'path:', 'delay:', 'funding:']) expect(text).toContain(`  ${what}`)
    expect(text).toContain('info nothing was sent; past results do not predict future results')
  })

  it('says what a line that only adds holds at the end, in place of trades and R', async () => {
    const session = await createSession()
    const text = (await session.run(`hook replay ${WHEN} "buy $100 BTCUSDT" ${CHOP}`))
      .join('\n')
      .replaceAll(/^print /gm, '')
    expect(text).toMatch(/^trades {9}none closed: long [\d.]+ is open, -?\+?\$[\d.,]+ unrealized$/m)
    expect(text).not.toMatch(/^R {2}/m)
    expect(text).not.toContain('not known')
  })

  it('touches no account, no journal, no file and no switch, and runs under a halt and a panic', async () => {
    const session = await createSession()
    await session.run('buy 0.01 BTCUSDT stop -2%')
    await session.run('halt')
    const before = filesOf(session)
    const [journal, positions] = [[...session.journal], await session.run('positions')]
    const lines = await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`)
    expect(lines.join('\n')).toMatch(/^print fires {10}[1-9]/m)
    expect(session.journal).toEqual(journal)
    expect(filesOf(session)).toEqual(before)
    expect(await session.run('positions')).toEqual(positions)
    await session.run('panic')
    expect((await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`)).join('\n')).toMatch(/^print fires {10}[1-9]/m)
    expect(session.ports.panic.read()).toBeDefined()
  })

  it('takes a stored hook with its condition and limits, though it is paused or dry; or another condition', async () => {
    const session = await createSession()
    await session.run('hook create dip "buy $1000 BTCUSDT stop -0.5%" --when "last > 1" --cooldown 30m --dry')
    await session.run('hook edit dip --when "last > 65000"')
    await session.run('hook pause dip')
    const of = async (line: string) => JSON.parse((await session.run(line)).join('\n').replaceAll(/^print /gm, ''))
    const stored = await of(`hook replay dip ${CHOP} --json`)
    expect(stored).toMatchObject({ type: 'hook-replay', hook: 'dip', when: 'last > 65000' })
    const states = stored.fires.map(({ run }: { run?: { state: string } }) => run?.state)
    expect(new Set(states)).toEqual(new Set(['done', 'skipped']))
    expect(await of(`hook replay dip ${CHOP} --when "every 30m" --json`)).toMatchObject({ when: 'every 30m' })
  })

  it('answers programs with exact figures, the same bytes each time', async () => {
    const session = await createSession()
    const [first, again] = [
      await session.run(`hook replay ${WHEN} ${LINE} ${CHOP} --json`),
      await session.run(`hook replay ${WHEN} ${LINE} ${CHOP} --json`),
    ]
    expect(again).toEqual(first)
    const data = JSON.parse(first.join('\n').replaceAll(/^print /gm, ''))
    expect(Object.keys(data)).toEqual(expect.arrayContaining(['fires', 'fills', 'profit', 'deepestFall', 'unknown']))
    expect(data.fires[0]).toMatchObject({ at: expect.any(Number), price: expect.any(String), run: { state: 'done' } })
    const csv = (await session.run(`hook replay ${WHEN} ${LINE} ${CHOP} --csv`)).join('\n').split('\n')
    expect(csv[0]).toBe('print kind,time,price,side,amount,fee,pnl,run,state,text')
    expect(csv.filter((row) => row.startsWith('print fire,'))).toHaveLength(data.fires.length)
    expect(csv.filter((row) => row.startsWith('print fill,'))).toHaveLength(data.fills.length)
  })

  it.each([80, 120])('fits a terminal of %i columns, and draws what the account was worth', async (columns) => {
    const session = await createSession({ terminal: terminalOf(columns) })
    const lines = (await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`, { source: 'repl' })).join('\n').split('\n')
    const rows = lines.filter((line) => /[\u2801-\u28ff]/.test(line))
    expect(rows.length).toBeGreaterThan(1)
    const widest = Math.max(...lines.map((line) => line.replace(/^(print|info|warn) /, '').length))
    expect(widest).toBeLessThanOrEqual(columns)
  })

  it('reads the candles of the account in pages', async () => {
    const session = await createSession()
    const text = (await session.run(`hook replay --when "close(1h) > sma(3)" ${LINE} --since 4d`)).join('\n')
    // What an indicator needs before them is not counted.
    expect(text).toContain('a line on BTCUSDT, 96 candles of 1h\n')
    expect(text).toContain('from  2025-12-28 00:00:00 to 2026-01-01 00:00:00 UTC\n')
  })

  it.each([
    [`hook replay ${CHOP}`, "the hook's name or id is missing"],
    [`hook replay nope ${CHOP}`, 'no hook is named'],
    [`hook replay ${WHEN} ${CHOP}`, 'a hook, or a command in quotes, is missing'],
    [`hook replay ${WHEN} ${LINE}`, 'a replay takes candles from one place'],
    [`hook replay ${WHEN} ${LINE} ${CHOP} --since 3d`, 'a replay takes candles from one place'],
    [`hook replay ${WHEN} ${LINE} --candles nowhere.csv`, 'nowhere.csv: no such file'],
    [`hook replay --when "rsi(14" ${LINE} ${CHOP}`, 'error bad-condition'],
    [`hook replay ${WHEN} "boy $1 BTCUSDT" ${CHOP}`, 'unknown command'],
    [`hook replay ${WHEN} "buy {size:usd<=500} BTCUSDT" ${CHOP}`, 'the command takes values from an alert'],
    [
      `hook replay --when "ETHUSDT last > 1" ${LINE} ${CHOP}`,
      'the condition judges ETHUSDT, and the command trades BTCUSDT',
    ],
    [`hook replay --when "funding > 0" ${LINE} ${CHOP}`, 'candles have no funding'],
    [`hook replay ${WHEN} ${LINE} ${CHOP} --frame 1h`, 'a file has its own frame'],
    [`hook replay ${WHEN} ${LINE} --since 1d --frame 2h`, '`2h` is not a frame'],
    [`hook replay ${WHEN} ${LINE} ${CHOP} --balance none`, '`none` is not a balance'],
    [`hook replay ${WHEN} ${LINE} ${CHOP} --account other`, 'no account other found'],
    [`hook replay ${WHEN} ${LINE} ${CHOP} --csv --json`, '`--csv` and `--json` exclude each other'],
  ])('refuses %s', async (line, message) => {
    const session = await createSession()
    expect((await session.run(line)).join('\n')).toContain(message)
  })

  it('knows the market however its symbol is typed', async () => {
    const session = await createSession()
    const line = '"buy $1000 btc stop -0.5%"'
    const text = (await session.run(`hook replay --when "btcusdt last < 64900" ${line} ${CHOP}`)).join('\n')
    expect(text).toContain('a line on BTCUSDT, 360 candles of 1m')
    expect(text).toMatch(/fires {10}\d+: \d+ done/)
  })

  it('of a hook without a condition asks for one', async () => {
    const session = await createSession()
    await session.run('hook create plain "buy $1000 BTCUSDT"')
    expect((await session.run(`hook replay plain ${CHOP}`)).join('\n')).toContain('hook plain has no condition')
  })

  it.each(['web', 'hook'] as const)('is for the terminal alone: not for a %s', async (source) => {
    const session = await createSession()
    const text = (await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`, { source })).join('\n')
    expect(text).toContain('only')
    expect(text).not.toContain('fires  ')
  })

  it('is refused while another one runs, and reports what there is when it is stopped', async () => {
    const session = await createSession()
    const first = session.start(`hook replay ${WHEN} ${LINE} ${CHOP}`)
    expect((await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`)).join('\n')).toContain(
      'a replay is running already',
    )
    await first.done
    expect(first.lines.join('\n')).toContain('fires  ')
    expect((await session.run(`hook replay ${WHEN} ${LINE} ${CHOP}`)).join('\n')).toContain('fires  ')
  })
})
