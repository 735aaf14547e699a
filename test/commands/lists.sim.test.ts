// A list, and a line of several orders, is sent whole or not at all, for what can be foreseen (behaviour 39).
import { describe, expect, it } from 'vitest'
import { positionsOf, restingOrders } from '../../harness/commands/account-state.ts'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'

const sent = ({ journal }: CommandSession): readonly string[] =>
  journal
    .map((line) => JSON.parse(line))
    .filter(({ t }) => t === 'intent')
    .map(({ order }) => order.symbol)

function person(...answers: boolean[]) {
  const asked: string[] = []
  const confirm = async (question: string) => {
    asked.push(question)
    return answers.shift() ?? false
  }
  const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
  return { asked, terminal }
}

/** $240 of ETHUSDT and $5,200 of BTCUSDT. */
const PAIR = 'buy 0.08 ETHUSDT,BTCUSDT'

describe('a list of which one would be refused sends nothing', () => {
  it.each<[string, string, RegExp, string?]>([
    ['order', 'guards set paper order $300', /^error BTCUSDT: the order is worth \$5,200\.01, and the limit is \$300/],
    ['position', 'guards set paper position $300', /^error BTCUSDT: the BTCUSDT position could grow to \$5,200\.01/],
    ['day', 'guards set paper day $5300', /^error BTCUSDT: today's orders \(UTC\) would be worth \$5,440\.0/],
    ['rate', 'guards set paper rate 1', /^error BTCUSDT: this is order 2 within a minute, and the limit is 1/],
    ['band', 'guards set paper band 1%', /^error ETHUSDT: .*more than 1%/, 'buy 0.08 ETHUSDT,BTCUSDT at +2%'],
    ['state', 'guards set paper order off; halt paper', /^error ETHUSDT: account paper was halted/],
    ['margin', 'echo', /^error BTCUSDT: .*margin/, 'buy 15.0 ETHUSDT,BTCUSDT --far'],
    [
      'a stop',
      'guards set paper order $300',
      /^error BTCUSDT: the order is worth/,
      'stop buy 0.08 ETHUSDT,BTCUSDT at +1%',
    ],
    ['a chase', 'guards set paper order $300', /^error BTCUSDT: the order is worth/, 'chase buy 0.08 ETHUSDT,BTCUSDT'],
    [
      'a twap',
      'guards set paper order $300',
      /^error BTCUSDT: the order is worth/,
      'twap buy 0.8 ETHUSDT,BTCUSDT into 2 over 1h',
    ],
  ])('for %s', async (_, before, says, line = PAIR) => {
    const session = await createSession()
    await session.run(before)
    const lines = await session.run(line)
    expect(
      lines.some((each) => says.test(each)),
      lines.join('\n'),
    ).toBe(true)
    expect(lines.at(-1)).toMatch(/^error none-placed: .* refused: no order was placed/)
    expect(sent(session)).toEqual([])
    expect(session.ports.tasks.list()).toEqual([])
  })

  it('for the rate, with the stops that follow each entry', async () => {
    const session = await createSession()
    await session.run('guards set paper rate 3')
    const lines = await session.run('buy 0.08 ETHUSDT,BTCUSDT stop -2% tp +2%')
    expect(lines[0]).toMatch(/^error BTCUSDT: this is order 4 within a minute, and the limit is 3/)
    expect(sent(session)).toEqual([])
  })

  it('for what is free on spot, at a venue that cannot try orders', async () => {
    const spot = (paper: Exchange): Exchange => {
      const { trial: _, ...rest } = paper
      const fetchBalances = async () => [{ currency: 'USDT', wallet: '5300', free: '5300', used: '0', total: '5300' }]
      return { ...rest, kind: 'spot', fetchBalances } as Exchange
    }
    const session = await createSession({ exchange: spot } satisfies SessionOptions)
    const lines = await session.run(PAIR)
    expect(lines[0]).toMatch(/^error BTCUSDT: it takes 5,200\.008 USDT, and 5,0\d\d\.\d+ is left/)
    expect(sent(session)).toEqual([])
  })

  it('for --max of a fire, and leaves all of it for the steps behind', async () => {
    const session = await createSession()
    const budget = { max: '5300' }
    const { orders, errors } = await session.ports.preview({ command: PAIR, source: 'hook', ...budget })
    expect(orders).toEqual([])
    expect(errors.map(({ code }) => code)).toContain('none-placed')
    const both = await session.ports.preview({ command: PAIR, source: 'hook', max: '5500' })
    expect(both.ok).toBe(true)
    expect(both.orders.map(({ symbol }) => symbol)).toEqual(['ETHUSDT', 'BTCUSDT'])
    const again = await session.ports.preview({ command: `${PAIR} || sell 0.08 ETHUSDT`, source: 'hook', ...budget })
    expect(again.orders.map(({ symbol }) => symbol)).toEqual(['ETHUSDT'])
  })
})

describe('a list at the terminal', () => {
  it('asks about each breach before the first order is sent, and sends none after a no', async () => {
    const { asked, terminal } = person(true, false)
    const session = await createSession({ terminal })
    await session.run('guards set paper order $200')
    const lines = await session.run(PAIR, { source: 'repl' })
    expect(asked).toHaveLength(2)
    expect(lines.at(-1)).toMatch(/^error none-placed: BTCUSDT refused/)
    expect(sent(session)).toEqual([])
  })

  it('asks once for each, and sends all after the yeses', async () => {
    const { asked, terminal } = person(true, true)
    const session = await createSession({ terminal })
    await session.run('guards set paper day $100')
    await session.run(PAIR, { source: 'repl' })
    expect(asked).toHaveLength(2)
    expect(sent(session)).toEqual(['ETHUSDT', 'BTCUSDT'])
  })

  it('asks nothing more once one was refused', async () => {
    const { asked, terminal } = person(false)
    const session = await createSession({ terminal })
    await session.run('guards set paper order $200')
    await session.run(PAIR, { source: 'repl' })
    expect(asked).toHaveLength(1)
  })
})

/** What is held before, the line, how many orders it is, and for each limit what its first order stays within. */
const SEVERAL: readonly (readonly [string, string, number, Readonly<Record<string, string>>])[] = [
  ['price', 'swarm buy 0.02 into 4', 4, { rate: '2', day: '$1000', position: '$1000' }],
  ['price', 'scale buy 0.02 into 4 from -1% to -3%', 4, { rate: '2', day: '$1000', position: '$1000' }],
  ['price', 'scale sell 0.02 into 4 from +1% to +3%', 4, { rate: '2', day: '$1000', position: '$1000' }],
  ['buy 0.02', 'swarm sell 0.06 into 4 flip', 4, { rate: '2', day: '$1500', position: '$1000' }],
  ['buy 0.02', 'scale sell 0.06 into 4 from +1% to +3% flip', 4, { rate: '2', day: '$1500', position: '$1000' }],
  ['buy 0.02', 'position short 0.04', 2, { rate: '2', day: '$1500', position: '$1000', order: '$2000' }],
  ['buy 0.02', 'flip', 2, { rate: '2', day: '$1500', position: '$1000', order: '$1000' }],
  ['sell 0.02', 'flip stop -2%', 2, { rate: '2', day: '$1500', position: '$1000', order: '$1000' }],
  ['price', 'buy 0.03 stop -2% tp 30% 1R, 30% 2R', 3, { rate: '4', day: '$1000', position: '$1000' }],
  ['price', PAIR, 2, { rate: '1', day: '$1000', position: '$1000', order: '$1000' }],
  ['price', 'stop buy 0.08 ETHUSDT,BTCUSDT at +1%', 2, { rate: '1', day: '$1000', position: '$1000', order: '$1000' }],
]
const CASES = SEVERAL.flatMap(([before, line, count, limits]) =>
  Object.entries(limits).map(([limit, max]) => ({ before, line, count, limit, max })),
)

describe('a line of several orders, of which a limit lets the first pass alone', () => {
  async function over({ before, limit, max }: (typeof CASES)[number], options: SessionOptions = {}) {
    const session = await createSession(options)
    await session.run(before)
    await session.run(`guards set paper ${limit} ${max} --yes`)
    const known = session.journal.length
    const intents = () => sent({ ...session, journal: session.journal.slice(known) })
    const account = async () => [await positionsOf(session), await restingOrders(session)]
    return { session, intents, account, held: await account() }
  }

  it.each(CASES)(
    '$line over $limit $max: sends nothing before the answer of a terminal, and nothing after a no',
    async (row) => {
      const answers: ((yes: boolean) => void)[] = []
      const confirm = (): Promise<boolean> => new Promise((resolve) => answers.push(resolve))
      const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
      const { session, intents, account, held } = await over(row, { terminal })
      const run = session.start(row.line, { source: 'repl' })
      await session.settle()
      await session.settle()
      expect([intents(), answers.length]).toEqual([[], 1])
      for (const answer of answers) answer(false)
      expect(await run.done).toBe(false)
      expect([intents(), await account()]).toEqual([[], held])
    },
  )

  it.each(CASES)('$line over $limit $max: is sent whole after a yes', async (row) => {
    const { asked, terminal } = person(true, true, true, true)
    const { session, intents } = await over(row, { terminal })
    const run = session.start(row.line, { source: 'repl' })
    expect(await run.done, run.lines.join('\n')).toBe(true)
    expect(asked.every((question) => /send it anyway/.test(question))).toBe(true)
    expect(intents().length).toBeGreaterThanOrEqual(row.count)
    if (!/,| tp /.test(row.line)) expect(asked).toHaveLength(1)
  })

  const elsewhere = CASES.flatMap((row) => (['exec', 'web', 'hook'] as const).map((source) => ({ ...row, source })))
  it.each(elsewhere)('$line over $limit $max from $source: is refused whole', async ({ source, ...row }) => {
    const { session, intents, account, held } = await over(row)
    const run = session.start(row.line, { source })
    expect(await run.done).toBe(false)
    // An alert ends the other side, whatever its size is.
    if (source === 'hook' && /^(?:flip|position)/.test(row.line)) return expect(await positionsOf(session)).toEqual([])
    expect([intents(), await account()]).toEqual([[], held])
  })
})

it.each([true, false])(
  'a scale of which each order breaks a limit asks once, about the largest of them: %s',
  async (yes) => {
    const { asked, terminal } = person(yes)
    const session = await createSession({ terminal })
    await session.run('guards set paper order $100 --yes')
    const run = session.start('scale buy 0.02 into 4 from -3% to -1%', { source: 'repl' })
    expect(await run.done).toBe(yes)
    expect(asked).toEqual([
      expect.stringMatching(
        /^account paper: the order is worth \$321\.75, and the limit is \$100\.00; send it anyway\?/,
      ),
    ])
    expect(sent(session)).toHaveLength(yes ? 4 : 0)
  },
)

describe('a list that fits', () => {
  it('is sent whole, each order counted once', async () => {
    const session = await createSession()
    await session.run('guards set paper day $5500')
    await session.run(PAIR)
    expect(sent(session)).toEqual(['ETHUSDT', 'BTCUSDT'])
    expect((await session.run('guards')).join('\n')).toMatch(/5,440/)
  })

  it('counts what only reduces for nothing', async () => {
    const session = await createSession()
    await session.run(`${PAIR}; guards set paper day $1`)
    await session.run('sell 0.08 ETHUSDT,BTCUSDT')
    expect(await session.market.exchange.fetchPositions()).toEqual([])
  })

  it('is worked out in a preview on what the steps before it leave', async () => {
    const session = await createSession()
    const { ok, errors } = await session.ports.preview({
      command: 'buy 1.2 BTCUSDT; buy 0.3 ETHUSDT,BTCUSDT',
      source: 'repl',
    })
    const lines = await session.run('buy 1.2 BTCUSDT; buy 0.3 ETHUSDT,BTCUSDT')
    expect(ok, JSON.stringify(errors)).toBe(!lines.some((line) => line.startsWith('error')))
  })
})
