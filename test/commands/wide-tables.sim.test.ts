// Tables on a terminal of any width: no row is wider than it, the columns left out are named, and `--wide` or a pipe shows all.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { cellWidth } from '../../src/terminal/width.ts'

const TRADED = [
  'buy 0.013 stop -2% tp +4% #breakout',
  'note p1 "too late, after the news of the day"',
  'sell 0.007',
  'buy $1500 ETHUSDT stop -3%',
  'sell 100% ETHUSDT reduce',
  'buy 0.005 at -3%',
  'sell 0.004 at +6% reduce',
  'twap buy $500 into 5 over 1h',
  'trail 1% add',
  'hook create breakout-of-the-morning "buy $250 BTCUSDT stop -2% tp +4%; notify it is in, and its stop rests"',
  'hook pause breakout-of-the-morning',
] as const

const TABLES = [
  'session',
  'trades',
  'fills',
  'pnl',
  'pnl --by symbol',
  'orders',
  'orders --all',
  'tasks',
  'hook list',
  'positions',
] as const

interface Stage {
  /** @param columns absent: no terminal */
  rows(line: string, columns?: number, source?: 'web'): Promise<readonly string[]>
}

async function openStage(...more: readonly string[]): Promise<Stage> {
  let width: number | undefined
  const terminal = { askHidden: async () => '', clear() {}, history: () => [], quit() {}, columns: () => width }
  const session = await createSession({ terminal })
  for (const line of [...more, ...TRADED]) expect((await session.run(line)).join('\n'), line).not.toContain('error')
  return {
    async rows(line, columns, source) {
      width = columns
      const printed = await session.run(line, source === undefined ? {} : { source })
      const tables = printed.filter((text) => text.startsWith('print '))
      return tables.flatMap((text) => text.slice('print '.length).split('\n'))
    },
  }
}

describe('the tables of a terminal', () => {
  it('are not wider than it, from 60 to 200 cells, and a last line names what is left out', async () => {
    const { rows } = await openStage()
    for (const line of TABLES) {
      const all = await rows(line)
      expect(all.length, line).toBeGreaterThan(1)
      const widest = Math.max(...all.map(cellWidth))
      for (let columns = 60; columns <= 200; columns += 1) {
        const shown = await rows(line, columns)
        const what = `${line} at ${columns}`
        expect(Math.max(...shown.map(cellWidth)), what).toBeLessThanOrEqual(columns)
        if (widest <= columns) expect(shown, what).toEqual(all)
        else
          expect(shown.at(-1), what).toMatch(
            / hidden.*; `--wide` shows all$|^text is truncated; `--wide` shows it in full$/,
          )
      }
    }
  })

  it('are whole with --wide, in a pipe, and for a page', async () => {
    const { rows } = await openStage()
    for (const line of TABLES) {
      const all = await rows(line)
      expect(all.join('\n'), line).not.toContain('--wide')
      expect(await rows(`${line} --wide`, 60), line).toEqual(all)
      expect(await rows(line, 60, 'web'), line).toEqual(all)
    }
  })

  it.each(['trades #breakout', 'fills #breakout'])('%s shows the tags on a narrow terminal', async (line) => {
    const { rows } = await openStage()
    expect((await rows(line, 80)).join('\n')).toContain('#breakout')
  })

  it.each(['session --csv', 'trades --csv', 'orders --all --json', 'pnl --json', 'fills --csv'])(
    '`%s` hides nothing from programs',
    async (line) => {
      const { rows } = await openStage()
      expect(await rows(line, 60)).toEqual(await rows(line))
    },
  )

  it('lose the least important columns first', async () => {
    const { rows } = await openStage()
    expect((await rows('trades', 120)).at(-1)).toMatch(/^\d columns? hidden: .*note; `--wide` shows all$/)
    const narrow = await rows('trades', 60)
    expect(narrow[0]).toMatch(/symbol +side.* pnl/)
    expect(narrow.at(-1)).toBe('9 columns hidden; `--wide` shows all')
    expect((await rows('trades', 80))[0]).toMatch(/ amount +entry +pnl /)
    expect((await rows('orders', 60)).at(-1)).toBe('3 columns hidden; `--wide` shows all')
  })

  it.each([
    ['trades', ['pnl', 'net']],
    ['session', ['net']],
    ['pnl', ['net']],
    ['fills', ['price']],
    ['orders', ['price']],
    ['orders --all', ['state']],
    ['tasks', ['state']],
    ['hook list', ['name', 'state']],
    ['positions', ['pnl', 'stop']],
  ])('`%s` keeps its most important columns at 60 cells: %s', async (line, columns) => {
    const { rows } = await openStage(
      'account reset paper 2500000 --yes',
      'buy 8 stop -2%',
      'sell 4 reduce',
      'buy $200000 ETHUSDT',
      'close ETHUSDT',
      'buy $1500 SOLUSDT',
    )
    for (const width of [60, 80, 120, 200]) {
      const [heading = ''] = await rows(line, width)
      for (const column of columns) expect(heading.split(/ {2,}/), `${line} at ${width}`).toContain(column)
    }
    if (line === 'positions') expect((await rows(line, 60)).join('\n')).toMatch(/^SOLUSDT .* bare$/m)
  })

  it('`--wide` is an argument of tables alone', async () => {
    const { rows } = await openStage()
    expect(await rows('balance --wide')).toEqual([])
  })
})
