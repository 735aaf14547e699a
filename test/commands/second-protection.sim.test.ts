// `trail`, `oco` and `take` beside a protection that covers the position already: asked about at a terminal, refused elsewhere, as a second stop is.
import { describe, expect, it } from 'vitest'
import { restingOrders } from '../../harness/commands/account-state.ts'
import { deciding } from '../../harness/commands/answering.ts'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import type { StartedRun } from '../../harness/commands/started-run.ts'
import { asTwo } from '../../harness/venues/as-two.ts'
import { warnOfTargets } from '../../src/commands/trading/protective-stop.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

const STOP = 'buy 0.02 stop -1%'
const TARGET = ['buy 0.02', 'take at +4%'] as const
const BOTH = 'buy 0.02 stop -1% tp +4%'
const PROTECTS = /covered: order \S+ \(stop sell 0\.02 .*\) already protects the BTCUSDT long \| add `replace` for this/
const TAKES = /covered: order \S+ \(take-profit .*\) already takes the profit of the BTCUSDT long \| add `replace`/
const TAKES_WITH_STOP =
  /covered: order p2 \(stop .*\) already takes the profit of the BTCUSDT long \| `amend p2 tp <price>` moves it/

const SECOND = [
  ['trail 1%', [STOP], PROTECTS],
  ['trail 1% 50%', [STOP], PROTECTS],
  ['trail 1%', ['buy 0.02', 'oco at +4% stop -2%'], PROTECTS],
  ['oco at +2% stop -2%', [STOP], PROTECTS],
  ['oco at +2% stop -2%', [...TARGET], TAKES],
  ['take at +5%', [...TARGET], TAKES],
  ['take 50% at +5%', [...TARGET], TAKES],
  ['take at +5%', [BOTH], TAKES_WITH_STOP],
] as const

/** @param answers of the person at the terminal; `pipe`: a pipe cannot ask */
async function stage(before: readonly string[], answers: readonly boolean[] | 'pipe' = []) {
  const { terminal, asked } = deciding(answers === 'pipe' ? undefined : [...answers])
  const session = await createSession({ terminal })
  for (const line of before) await session.run(line)
  return { session, asked }
}

/** Moves the clock until the run has ended. */
async function finish(session: CommandSession, run: StartedRun): Promise<boolean> {
  while (!run.ended) await session.advance(250)
  return run.done
}

const count = async (session: CommandSession) => (await restingOrders(session)).length

const NO_MONEY = new ExchangeError('insufficient-funds', 'the venue takes no stop')

describe('a second protection', () => {
  it.each(
    SECOND.flatMap(([line, before, refusal]) =>
      (['exec', 'hook', 'web', 'pipe'] as const).map((source) => [line, before, source, refusal] as const),
    ),
  )('`%s` after %j is refused for %s, and nothing is sent or begun', async (line, before, source, refusal) => {
    const { session, asked } = source === 'pipe' ? await stage(before, 'pipe') : await stage(before)
    const resting = await restingOrders(session)
    const run = session.start(line, { source: source === 'pipe' ? 'repl' : source })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(refusal)
    expect(await restingOrders(session)).toEqual(resting)
    expect(session.ports.tasks.list()).toEqual([])
    expect(asked).toEqual([])
  })

  it.each(SECOND)('`%s` after %j asks at a terminal', async (line, before, refusal) => {
    const { session, asked } = await stage(before, [false, true])
    const resting = await restingOrders(session)
    expect((await session.run(line)).join('\n')).toMatch(refusal)
    expect(await restingOrders(session)).toEqual(resting)
    expect((await session.run(line)).join('\n')).not.toContain('error')
    expect(await count(session)).toBe(resting.length + 1)
    expect(asked).toEqual(Array(2).fill(expect.stringMatching(/already \w+ .*; place another\? y or n >$/)))
  })

  it.each([
    ['stop at -0.05%', 'the stop is 32.5 from last'],
    ['trail 0.05%', 'the stop is 32.5 from last'],
    ['oco at +2% stop -0.05%', 'the stop is 32.5 from last'],
    ['oco at +0.05% stop -0.05%', 'the take-profit is 32.5 from last'],
  ])('`%s` that is near as well is asked about once, with both reasons', async (line, near) => {
    const { session, asked } = await stage(['buy 0.01; stop at -3%'], [false, true])
    const resting = await restingOrders(session)
    expect((await session.run(line)).join('\n')).toContain('error near-stop')
    expect(await restingOrders(session)).toEqual(resting)
    expect((await session.run(line)).join('\n')).not.toContain('error')
    expect(await count(session)).toBe(resting.length + 1)
    expect(asked).toHaveLength(2)
    for (const question of asked) {
      expect(question).toContain(near)
      expect(question).toMatch(/inside spread and fees .*already protects the BTCUSDT long; place it\? y or n >$/)
    }
    const piped = await stage(['buy 0.01; stop at -3%'], 'pipe')
    expect((await piped.session.run(line)).join('\n')).toContain('error near-stop')
    expect((await piped.session.run(`${line} add`)).join('\n')).toContain('error near-stop')
    expect((await piped.session.run(`${line} add --near`)).join('\n')).not.toContain('error')
  })

  it.each(SECOND)('`%s add` after %j stands beside it, for a hook', async (line, before) => {
    const { session, asked } = await stage(before)
    const resting = await restingOrders(session)
    expect(await session.start(`${line} add`, { source: 'hook' }).done).toBe(true)
    expect(await count(session)).toBe(resting.length + 1)
    expect(asked).toEqual([])
  })

  it('`trail 1% replace` names the take-profit that goes with the stop that it replaces, and the line that places it again', async () => {
    for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
      const { session } = await stage([BOTH])
      const line = session.start('trail 1% replace', { source })
      expect(await finish(session, line)).toBe(true)
      const [, again = ''] =
        /warn the take-profit at 6\d,\d+ was canceled with its stop; `(.*)` places it again/.exec(
          line.lines.join('\n'),
        ) ?? []
      expect(await session.start(again, { source }).done).toBe(true)
      expect(await restingOrders(session)).toHaveLength(2)
    }
  })

  it.each([
    ['base', 'take 2.0 BTCUSD at 70000 add'],
    ['quote', 'take $2 BTCUSD at 70000 add'],
  ] as const)('and its size in the unit of a market whose amounts are in %s', (amountUnit, line) => {
    const stop = { id: 'p2', symbol: 'BTCUSD', side: 'sell', type: 'stop', status: 'canceled', amount: '2' } as const
    const counts = { filled: '0', remaining: '2', triggerPrice: '60000', takeProfitPrice: '70000' } as const
    const said: string[] = []
    const order = { ...stop, ...counts, postOnly: false, reduceOnly: true, timestamp: 0 }
    warnOfTargets({ out: { warn: (text) => said.push(text) } }, [order], { symbol: 'BTCUSD', amountUnit })
    expect(said).toEqual([`the take-profit at 70,000 was canceled with its stop; \`${line}\` places it again`])
  })

  it.each([
    ['trail 1% replace', [STOP], ['sell stop 0.02 @ 64350, no profit']],
    ['oco at +2% stop -2% replace', [STOP], ['sell stop 0.02 @ 63700, 66300 profit']],
    ['oco at +2% stop -2% replace', [...TARGET], ['sell stop 0.02 @ 63700, 66300 profit']],
    ['oco at +2% stop -2% replace', [BOTH], ['sell stop 0.02 @ 63700, 66300 profit']],
    ['take at +5% replace', [...TARGET], ['sell take-profit 0.02 @ 68250, no profit']],
  ])('`%s` after %j takes its place', async (line, before, orders) => {
    for (const source of ['repl', 'exec', 'web', 'hook'] as const) {
      const { session, asked } = await stage(before)
      expect(await finish(session, session.start(line, { source }))).toBe(true)
      expect(await restingOrders(session)).toEqual(orders)
      expect(asked).toEqual([])
    }
  })

  it('of a venue that holds two orders is replaced as well', async () => {
    const { session } = await stage(['buy 0.02', 'stop at -1%', 'take at +4%'])
    session.useExchange(asTwo(session.market.exchange))
    const run = session.start('oco at +2% stop -2%', { source: 'hook' })
    expect(await run.done).toBe(false)
    expect(run.lines.join('\n')).toMatch(PROTECTS)
    const again = session.start('oco at +2% stop -2% replace', { source: 'hook' })
    expect(await finish(session, again)).toBe(true)
    await session.advance(1_000)
    expect(await restingOrders(session)).toEqual([
      expect.stringContaining('sell stop 0.02 @ 63700'),
      expect.stringContaining('sell limit 0.02'),
    ])
  })

  it('never takes the stop away with a take-profit of the same order', async () => {
    const { session } = await stage([BOTH])
    const resting = await restingOrders(session)
    expect((await session.run('take at +5% replace')).join('\n')).toMatch(TAKES_WITH_STOP)
    expect(await restingOrders(session)).toEqual(resting)
  })

  it('of two words only one is meant', async () => {
    const { session } = await stage([])
    for (const line of ['trail 1%', 'oco at +2% stop -1%', 'take at +4%']) {
      expect((await session.run(`${line} add replace`))[0]).toMatch(
        /bad-argument: `replace` contradicts or repeats `add`/,
      )
    }
  })
})

describe('without a question', () => {
  it.each([
    ['the rest of the position', ['buy 0.02', 'stop 50% at -1%'], 'trail 2% 50%'],
    ['the rest of the profit', ['buy 0.02', 'take 50% at +4%'], 'take 50% at +5%'],
    ['a stop beside a take-profit', [...TARGET], 'trail 1%'],
    ['a take-profit beside a stop', [STOP], 'take at +4%'],
    ['a trail that waits for its profit', [STOP], 'trail 1% after +3%'],
    ['the trailed rest of a ladder', [], 'buy 0.04 stop -2% tp 25% 1R, 25% 2R, trail 1%'],
  ])('%s is protected', async (_what, before, line) => {
    const { session, asked } = await stage(before)
    expect(await session.start(line, { source: 'hook' }).done).toBe(true)
    expect((await session.run('positions')).join('\n')).not.toContain('error')
    expect(asked).toEqual([])
  })
})

it('a trail that waits for its profit replaces nothing: the position would be bare until then', async () => {
  const { session } = await stage([STOP])
  expect((await session.run('trail 1% after +3% replace')).join('\n')).toMatch(
    /bad-argument: until BTCUSDT reaches 66,950\.2, this trail places no stop \| leave out replace/,
  )
  expect(await count(session)).toBe(1)
})

it('a trail that waits for its profit names the stop that protects until then', async () => {
  const { session } = await stage([STOP])
  expect((await session.run('trail 1% after +3%')).join('\n')).toMatch(
    /info until BTCUSDT reaches 66,950\.2 this trail places no stop; until then p\d+ protects the position$/m,
  )
})

const BUSY = new ExchangeError('unavailable', 'the venue is busy')

/** A venue that answers every stop so. */
const refusing = (error: ExchangeError) => (exchange: Exchange) =>
  new Proxy(asTwo(exchange), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'createOrder') return value
      return async (...order: Parameters<Exchange['createOrder']>) =>
        order[0].type === 'stop' ? { kind: 'refused', error } : target.createOrder(...order)
    },
  })

it('what a trail replaces stays until the stop of the trail rests, and is named where that takes too long', async () => {
  const { session } = await stage([STOP])
  session.useExchange(refusing(BUSY)(session.market.exchange))
  const run = session.start('trail 2% replace', { source: 'hook' })
  expect(await finish(session, run)).toBe(true)
  expect(run.lines.join('\n')).toMatch(/the new stop does not rest yet, so what it replaces stays: `cancel p2` once/)
  expect(await restingOrders(session)).toEqual(['sell stop 0.02 @ 64350, no profit'])
})

it.each(['trail 2% replace', 'oco at +2% stop -2% replace'])(
  '`%s` ends with its task, where the position is gone before its stop rests',
  async (line) => {
    const { session } = await stage([STOP])
    session.useExchange(refusing(BUSY)(session.market.exchange))
    const run = session.start(line)
    while (!run.lines.some((each) => each.startsWith('success'))) await session.settle()
    await session.run('close', { source: 'exec' })
    expect(await finish(session, run)).toBe(false)
    expect(run.lines.at(-1)).toMatch(
      /^error task-ended: the (trail|oco) has ended, and its stop was not placed: the position is closed/,
    )
  },
)

it('a stop that the venue refuses for good ends the line at once, and what it would have replaced stays', async () => {
  const { session } = await stage([STOP])
  session.useExchange(refusing(NO_MONEY)(session.market.exchange))
  const run = session.start('trail 2% replace')
  expect(await finish(session, run)).toBe(false)
  expect(run.lines.at(-1)).toMatch(
    /^error task-ended: the trail has ended, and its stop was not placed: .*the venue takes no stop/,
  )
  expect(await restingOrders(session)).toEqual(['sell stop 0.02 @ 64350, no profit'])
})

it('the lines behind one that replaces run after a second, whether its stop rests or not', async () => {
  const { session } = await stage([STOP])
  session.useExchange(refusing(BUSY)(session.market.exchange))
  let waits = 0
  const run = session.start('trail 2% replace', { onWait: () => void waits++ })
  expect(await finish(session, run)).toBe(true)
  expect(waits).toBeGreaterThan(0)
})

describe('--dry of what replaces', () => {
  it.each([
    ['stop at -3% replace', 'buy 0.01; stop at -2%'],
    ['take at +5% replace', 'buy 0.01; take at +4%'],
    ['oco at +2% stop -1% replace', 'buy 0.01; stop at -2%'],
    ['trail 1% replace', 'buy 0.01; stop at -2%'],
  ])('`%s` lists what it would cancel, and cancels nothing', async (line, before) => {
    const session = await createSession()
    await session.run(before)
    const resting = await session.market.exchange.fetchOpenOrders()
    const said = await session.run(`${line} --dry`)
    expect(said.filter((each) => each.includes('would cancel')).join('\n')).toMatch(/simulated: would cancel .*p2/)
    const { cancels } = await session.ports.preview({ command: line, source: 'web' })
    expect(cancels).toMatchObject([{ id: 'p2' }])
    expect(await session.market.exchange.fetchOpenOrders()).toEqual(resting)
  })

  it('of a take-profit has its price under take-profit, and of a close its profit or loss', async () => {
    const session = await createSession()
    await session.run('buy 0.01')
    const headed = (await session.run('take at +5% --dry')).filter((line) => line.startsWith('print'))
    expect(headed[0]).toMatch(/ take-profit /)
    expect(headed[0]).not.toMatch(/ stop /)
    expect((await session.run('close --dry')).join('\n')).toMatch(/ pnl .*\n.* -\$0\.7[12]/)
  })
})

describe('`cancel` of a kind', () => {
  it.each([
    ['tps', 'type `cancel p4`'],
    ['limits', '`orders` lists the ids: an order is canceled by its id'],
  ])('is answered with the ids: %s', async (word, hint) => {
    const session = await createSession()
    await session.run('buy 0.02 stop -2%; stop 50% at -1% add; take at +4%; buy 0.01 at -3%')
    expect(await session.run(`cancel ${word}`)).toEqual([
      `error bad-argument: \`${word}\` is neither an open order nor a symbol | ${hint}`,
    ])
    expect(await session.market.exchange.fetchOpenOrders()).toHaveLength(4)
  })

  it('has no ids where nothing is open', async () => {
    const session = await createSession()
    expect((await session.run('cancel tps')).join()).toContain('`orders` lists the ids')
  })
})

it.each([
  ['stop at 66000', 'stop buy $250 at 66000'],
  ['stop at 64000', 'stop sell $250 at 64000'],
  ['stop at -2%', 'stop sell $250 at -2%'],
  ['stop at +100', 'stop buy $250 at +100'],
  ['stop buy at 64000', 'buy $250 at 64000'],
  ['stop sell at 66000', 'sell $250 at 66000'],
  ['stop buy at -2%', 'stop buy $250 at +2%'],
])('`%s` without a position is answered with the line that enters there', async (line, enters) => {
  const session = await createSession()
  expect(await session.run(line)).toEqual([
    `error bad-stop: no position on BTCUSDT to protect | to enter, type the size: \`${enters}\``,
  ])
  expect((await session.run(enters)).join()).toContain('is open')
})
