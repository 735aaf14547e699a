// `dca` and `grid` as they are typed: what they refuse, what they show before they begin, and what they begin.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { spotOver } from '../../harness/venues/spot-market.ts'
import { preview as schema } from '../../src/protocol/preview.ts'

const DCA = 'dca buy $1000 BTCUSDT into 4 every -1%'
const GRID = 'grid $1000 BTCUSDT into 5 from -4% to +4%'

/** BTCUSDT stands at 65,000 (bid 64,999.9, ask 65,000.1, lot 0.001), ETHUSDT at 3,000 (lot 0.01); 10,000 USDT are free. */
async function errorOf(line: string, ...before: readonly string[]): Promise<string | undefined> {
  const session = await createSession()
  for (const each of before) await session.run(each)
  const said = await session.run(line)
  expect(session.ports.tasks.list()).toEqual([])
  return said.find((each) => each.startsWith('error '))?.slice('error '.length)
}

describe('a ladder is refused before it begins', () => {
  it.each([
    [
      'dca buy $200 into 4 every -1%',
      'below-minimum: a part of 0 BTC is below the minimum BTCUSDT order, 0.001 BTC | type fewer parts, or a larger size',
    ],
    [
      'dca buy $5000 into 40 every -3%',
      'bad-argument: part 40 would be at zero or below | type into 34 at most, or a smaller step',
    ],
    [
      'dca buy $1000 into 4 every -1% stop -2%',
      'bad-argument: the stop at 63,700 comes before the last part at 63,050 | type a stop below 63,050, fewer parts, or a smaller step',
    ],
    ['dca buy $1000 into 4 every -0.01', 'bad-argument: two parts would rest at one price | type a larger step'],
    [
      'dca buy $5 into 4 every -1%',
      'below-minimum: $5 is below the minimum BTCUSDT order | type at least $65.01 (0.001 BTC)',
    ],
    [
      'grid $1000 into 5 from 48000 to 52000',
      'bad-price: BTCUSDT is at 65,000, outside 48,000 to 52,000 | type a range around it, such as from -4% to +4%',
    ],
    [
      'grid $2000 into 20 from -0.2% to +0.2%',
      'no-profit: a step of 0.02% on BTCUSDT is less than the 0.04% that its two orders pay in fees | type fewer steps, or prices further apart',
    ],
    [
      'grid $200 into 5 from -4% to +4%',
      'below-minimum: a step of 0 BTC is below the minimum BTCUSDT order, 0.001 BTC | type fewer steps, or a larger size',
    ],
  ])('%s', async (line, refusal) => {
    expect(await errorOf(line)).toEqual(refusal)
  })

  it('a grid beside a short', async () => {
    expect(await errorOf(GRID, 'sell 0.01')).toBe(
      'bad-argument: a short of 0.01 BTC is open on BTCUSDT, and a grid is long | type `close BTCUSDT` first',
    )
  })

  it.each([DCA, GRID])('by a guard of its first order: %s', async (line) => {
    expect(await errorOf(line, 'guards set paper order $100')).toMatch(/^guarded: the order is worth \$19\d/)
  })

  it.each([DCA, GRID])('under a halt, in simulation and under panic: %s', async (line) => {
    for (const stop of ['halt', 'sim on', 'panic']) {
      expect(await errorOf(line, stop)).toMatch(/^(halted|held|simulated|guarded|panic)/)
    }
  })
})

describe('a cancel', () => {
  it.each(['repl', 'exec', 'web', 'hook'] as const)(
    'names what a grid has filled and no stop ends, from %s',
    async (source) => {
      const session = await createSession()
      await session.run('grid $3000 into 5 from 60000 to 70000')
      await session.advance(3_000)
      const said = await session.run('tasks cancel --all', { source })
      expect(said.at(-1)).toBe('warn the BTCUSDT long of 0.018 BTC has no stop: `stop BTCUSDT at -2%` places one')
      expect(said.filter((line) => line.includes('has no stop'))).toHaveLength(1)
    },
  )

  it.each([
    ['has a stop', 'dca buy $1000 into 3 every -1% stop -5%'],
    ['has filled nothing', 'scale buy $500 into 2 from -1% to -2%'],
  ])('names nothing where the task %s', async (_what, line) => {
    const session = await createSession()
    await session.run(line)
    await session.advance(3_000)
    expect((await session.run('tasks cancel --all')).join()).not.toContain('has no stop')
  })
})

describe('after a halt', () => {
  it('`resume` names each task that it leaves paused, and the line that lets it go on', async () => {
    const session = await createSession()
    await session.run(DCA)
    await session.run('halt')
    await session.advance(3_000)
    const [{ id = '', paused } = {}] = session.ports.tasks.list()
    expect(paused).toBe(true)
    const name = id.slice(0, 8)
    expect(await session.run('resume')).toContain(`warn dca ${name} is still paused; \`tasks resume ${name}\``)
    expect((await session.run(`tasks resume ${name}`)).join('\n')).not.toContain('error')
    await session.run('halt')
    await session.run('tasks cancel --all')
    expect((await session.run('resume')).join('\n')).not.toContain('still paused')
  })
})

describe('at a terminal', () => {
  async function typed(line: string, answer: boolean) {
    const asked: string[] = []
    const confirm = async (question: string) => {
      asked.push(question)
      return answer
    }
    const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
    const session = await createSession({ terminal })
    return { said: await session.run(line), asked, session }
  }

  it.each([
    ['dca', DCA],
    ['grid', GRID],
  ])('a %s shows its parts and its worst-case loss, and begins with a yes alone', async (kind, line) => {
    const declined = await typed(line, false)
    expect(declined.asked).toEqual([`start the ${kind === 'dca' ? 'DCA' : kind}? y or n >`])
    expect(declined.said.some((each) => each.startsWith('info no stop: the worst case is a loss of $'))).toBe(true)
    expect(declined.said.at(-1)).toBe(`error canceled: canceled: no ${kind === 'dca' ? 'DCA' : kind} was started`)
    expect(declined.session.ports.tasks.list()).toEqual([])
    const accepted = await typed(line, true)
    const began = accepted.said.findIndex((each) => each.startsWith(`success ${kind} `))
    const worst = accepted.said.findIndex((each) => each.startsWith('info no stop: the worst case is '))
    expect(began).toBeGreaterThan(worst)
    expect(accepted.said.filter((each) => each.startsWith('info no stop: the worst case is '))).toHaveLength(1)
  })
})

describe.each(['hook', 'web', 'exec'] as const)('from %s', (source) => {
  it.each([
    ['dca', DCA],
    ['grid', GRID],
  ])('a %s begins without a question, and prints its plan', async (kind, line) => {
    const session = await createSession()
    const run = session.start(line, { source })
    expect(await run.done, run.lines.join('\n')).toBe(true)
    expect(run.lines[0]).toMatch(`success ${kind} `)
    expect(run.lines.some((each) => each.startsWith('info no stop: the worst case is a loss of $'))).toBe(true)
    expect(session.ports.tasks.list()).toMatchObject([{ kind, status: 'running' }])
    expect(run.data).toContainEqual(
      expect.objectContaining({ type: 'task-plan', kind, worst: expect.objectContaining({ currency: 'USDT' }) }),
    )
  })
})

describe('a preview', () => {
  async function look(session: CommandSession, command: string) {
    const preview = await session.ports.preview({ command, source: 'web' })
    expect(schema.parse(preview)).toEqual(preview)
    return preview.tasks[0]
  }

  it('has the parts of a dca, their average and the loss at the stop', async () => {
    const session = await createSession()
    expect(await look(session, `${DCA} stop -6%`)).toMatchObject({
      kind: 'dca',
      side: 'buy',
      amount: '0.012',
      parts: [
        { price: '65000.1', amount: '0.003' },
        { price: '64350', amount: '0.003' },
        { price: '63700', amount: '0.003' },
        { price: '63050', amount: '0.003' },
      ],
      average: '64025.025',
      worst: { currency: 'USDT', at: '61100', pnl: expect.stringMatching(/^-35\.\d+$/) },
      margin: { amount: '76.83003', currency: 'USDT', leverage: '10' },
    })
    expect(session.ports.tasks.list()).toEqual([])
  })

  it('has the steps of a grid, and what the least of them makes', async () => {
    const session = await createSession()
    expect(await look(session, GRID)).toMatchObject({
      kind: 'grid',
      amount: '0.015',
      stepProfit: expect.stringMatching(/^3\.03\d+$/),
      worst: { currency: 'USDT', at: '0' },
    })
  })
})

describe('on spot', () => {
  it.each([
    [DCA, /^info no stop: the worst case is a loss of \$7\d\d.\d\d$/],
    [GRID, /^info no stop: the worst case is a loss of \$9\d\d.\d\d$/],
    ['dca sell 0.004 into 2 every +1%', /^info it only sells coins, so it cannot lose$/],
  ])('%s', async (line, worst) => {
    const session = await createSession({ exchange: (paper) => spotOver(paper, '0.5') })
    const said = await session.run(line)
    expect(said.find((each) => /worst case|cannot lose/.test(each))).toMatch(worst)
  })
})

describe('what runs', () => {
  it('is listed, canceled by `kill`, and cancels what rests', async () => {
    const session = await createSession()
    await session.run(DCA)
    await session.advance(2_000)
    expect(await session.run('tasks')).toContainEqual(expect.stringMatching(/dca/))
    expect((await session.run('orders')).join('\n')).toMatch('63,700')
    const [task] = session.ports.tasks.list()
    await session.run(`kill ${task?.id.slice(0, 8)}`)
    expect(session.ports.tasks.list()[0]).toMatchObject({
      status: 'cancelled',
      reason: 'canceled from a terminal; it holds 0.003 BTC, without a stop of its own',
    })
    expect((await session.run('orders')).join('\n')).not.toMatch('63,700')
  })

  it('ends when its position is closed', async () => {
    const session = await createSession()
    await session.run(DCA)
    await session.advance(3_000)
    await session.run('close')
    await session.advance(4_000)
    const [{ status, reason } = {}] = session.ports.tasks.list()
    expect([status, reason]).toEqual([
      'done',
      expect.stringMatching(/^the position is closed; \d orders were canceled$/),
    ])
    expect(await session.run('orders')).toEqual([expect.stringMatching(/no /)])
  })
})
