// `trail` and `oco` as they are typed: what they refuse before anything begins, and what they begin.
import { describe, expect, it } from 'vitest'
import { deciding } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'
import { asTwo } from '../../harness/venues/as-two.ts'
import { noticesTo } from '../../src/app/notices.ts'

/** BTCUSDT is at 65,000, and bought at 65,000.1. */
async function session(...before: readonly string[]) {
  const made = await createSession()
  for (const each of before) await made.run(each)
  return made
}

const anonymous = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/(?<=trail |oco |show |cancel )[0-9a-f]{8}\b/g, 'a1b2c3'))

describe('a task that protects is refused before it begins', () => {
  it.each([
    ['trail 1%', 'no-position: no position on BTCUSDT | `positions` lists them'],
    ['oco at +2% stop -1%', 'no-position: no position on BTCUSDT | `positions` lists them'],
    ['trail 1% NOPE', 'unknown-symbol: paper has no market NOPE | `markets` lists them'],
  ])('where there is nothing to protect: %s', async (line, refusal) => {
    expect(await (await session()).run(line)).toEqual([`error ${refusal}`])
  })

  it.each([
    ['trail 70000', 'bad-stop: a distance of 70,000 leaves no price for the stop | BTCUSDT trades at 65,000'],
    ['trail 0.01', 'bad-stop: a distance of 0.01 is too small | the smallest step of BTCUSDT is 0.1'],
    ['trail 1% after 64000', 'bad-price: BTCUSDT is at 65,000, past 64,000 | leave out after: the trail begins now'],
    ['trail 1% 0.0001', 'below-minimum: 0.0001 is less than one lot of BTCUSDT | type at least $64.35 (0.001 BTC)'],
    [
      'oco at -2% stop -1%',
      'bad-stop: a sell take-profit goes above the last price, and 63,700 is below it | type `stop BTCUSDT at 63700` for a stop',
    ],
    [
      'oco at +2% stop +1%',
      'bad-stop: a sell stop goes below the last price, and 65,650 is above it | type `take BTCUSDT at 65650` for a take-profit',
    ],
  ])('where it could not do its work: %s', async (line, refusal) => {
    const made = await session('buy 0.01')
    expect(await made.run(line)).toEqual([`error ${refusal}`])
    expect(made.ports.tasks.list()).toEqual([])
  })

  it('in simulation', async () => {
    const made = await session('buy 0.01', 'sim on')
    expect(await made.run('trail 1%')).toEqual([
      expect.stringMatching(/^error simulated: .*, so the task was not started/),
    ])
    expect(made.ports.tasks.list()).toEqual([])
  })
})

describe('a trail that is typed', () => {
  it.each(['halt', 'halt --reducing', 'panic'])('is begun under %s', async (before) => {
    const made = await session('buy 0.01', before)
    expect(await made.run('trail 1%')).toContainEqual(expect.stringMatching(/^success trail /))
    expect(await made.market.exchange.fetchOpenOrders()).toMatchObject([{ type: 'stop', reduceOnly: true }])
  })

  it('rests its stop, and follows', async () => {
    const made = await session('buy 0.01')
    expect(anonymous(await made.run('trail 1%'))).toContain(
      'success trail a1b2c3: keeps a stop for 0.01 BTCUSDT 1% below the best price, first at 64,350 (`tasks show a1b2c3`, `tasks cancel a1b2c3`)',
    )
    await made.advance(1_000)
    made.market.setPrice('BTCUSDT', '66000')
    await made.advance(2_000)
    expect(await made.market.exchange.fetchOpenOrders()).toMatchObject([
      { type: 'stop', side: 'sell', amount: '0.01', triggerPrice: '65340', reduceOnly: true },
    ])
    expect(made.ports.tasks.list()).toMatchObject([
      { kind: 'trail', status: 'running', protective: true, price: '65340' },
    ])
  })

  it.each(
    ['move p2 to -3%', 'amend p2 at -3%', 'move BTCUSDT -3%'].flatMap((line) =>
      (['repl', 'exec', 'hook', 'web'] as const).map((source) => [line, source] as const),
    ),
  )('is named where its stop is moved by hand, which it would put back: `%s` of %s', async (line, source) => {
    const made = await session('buy 0.01')
    await made.run('trail 1%')
    await made.advance(1_000)
    const before = await made.market.exchange.fetchOpenOrders()
    expect(anonymous(await made.run(line, { source }))).toEqual([
      'error order-of-task: order p2 is moved by trail a1b2c3 | `tasks cancel a1b2c3` ends it',
    ])
    expect(await made.market.exchange.fetchOpenOrders()).toEqual(before)
  })

  it('takes over what is added, so that no line says it had no stop', async () => {
    const made = await session('buy 0.01')
    await made.run('trail 1%')
    await made.advance(1_000)
    expect((await made.run('buy 0.02')).join('\n')).not.toContain('has no stop')
    await made.advance(5_000)
    expect(await made.market.exchange.fetchOpenOrders()).toMatchObject([{ type: 'stop', amount: '0.03' }])
  })

  it.each([
    ['for a part', 'trail 1% 0.01', ''],
    ['that is paused', 'trail 1%', 'tasks pause trail'],
  ])('%s takes nothing over', async (_which, line, after) => {
    const made = await session('buy 0.01')
    await made.run(line)
    await made.advance(1_000)
    if (after !== '') await made.run(after.replace('trail', made.ports.tasks.list()[0]?.id ?? ''))
    expect((await made.run('buy 0.02')).join('\n')).toContain('has no stop')
  })

  it('is above the price for a short', async () => {
    const made = await session('sell 0.01')
    expect(anonymous(await made.run('trail 1%'))).toEqual([
      expect.stringContaining('keeps a stop for 0.01 BTCUSDT 1% above the best price, first at 65,650'),
    ])
  })

  it('begins at once where the profit is there already', async () => {
    const made = await session('buy 0.01')
    made.market.setPrice('BTCUSDT', '66000')
    const [line, ...rest] = await made.run('trail 1% after +0.5%')
    expect(line).toContain('first at 65,340')
    expect(rest).toEqual([])
  })

  it('says when it is canceled that the position has no stop of it any more', async () => {
    const made = await session('buy 0.01', 'trail 1%')
    await made.advance(1_000)
    expect(await made.run('tasks cancel --all')).toEqual([
      expect.stringMatching(/^success trail [0-9a-f]{8} is canceled; nothing filled, nothing rests$/),
      'warn canceled from a terminal; this task no longer protects the position on BTCUSDT, long 0.01 BTC: `stop BTCUSDT at -2%` places a stop',
    ])
    expect((await made.run('stop BTCUSDT at -2%')).join()).not.toContain('error')
  })

  it.each([
    [
      'a part of it is covered',
      'trail 1% 0.01',
      'long 0.03 BTC; order p2 covers 0.02 BTC of it: `stop 0.01 BTCUSDT at -2% add` covers the rest',
    ],
    ['all of it is', 'stop at -3% 0.01 add; trail 1% 0.01 add', 'long 0.03 BTC; 2 other stops cover it'],
  ])('says when it is canceled what other stops cover: %s', async (_which, line, says) => {
    const made = await session('buy 0.03', 'stop 0.02 at -4%')
    expect((await made.run(line)).join()).not.toContain('error')
    await made.advance(1_000)
    const printed = (await made.run('tasks cancel --all')).join('\n')
    expect(printed).toContain(`this task no longer protects the position on BTCUSDT, ${says}`)
    const offered = /`(stop .*)`/.exec(printed)?.[1]
    if (offered !== undefined) expect((await made.run(offered)).join()).not.toContain('error')
    const stops = await made.market.exchange.fetchOpenOrders()
    expect(stops.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(0.03)
  })

  it.each(['tasks cancel --all', 'kill all'])('`%s` asks at a terminal, and names the stops that end', async (line) => {
    const answers: boolean[] = []
    const { terminal, asked } = deciding(answers)
    const made = await createSession({ terminal })
    expect(await made.run(line)).toEqual(['info no tasks are running'])
    await made.run('every 1h (price)')
    await made.run('buy 0.01; trail 1%')
    await made.advance(1_000)
    expect(await made.run(line)).toEqual(['error cancelled: nothing canceled; every task continues'])
    expect(anonymous(asked).map((each) => each.replace(/every [0-9a-f]{8}/, 'every ID'))).toEqual([
      'end 2 tasks: every ID on BTCUSDT, trail a1b2c3 on BTCUSDT with its stop? y or n >',
    ])
    expect(made.ports.tasks.list().every(({ status }) => status === 'running')).toBe(true)
    answers.push(true)
    expect((await made.run(line)).filter((each) => each.includes(' is canceled'))).toHaveLength(2)
    expect(asked).toHaveLength(2)
    await made.run('trail 1%')
    expect((await made.run(`${line} --yes`)).join('\n')).toContain(' is canceled')
    expect(asked).toHaveLength(2)
  })

  it('is canceled in one line: the terminal prints no second one of it', async () => {
    const printed: string[] = []
    const { task: onTaskReport } = noticesTo(({ text }) => void printed.push(text))
    const made = await createSession({ onTaskReport })
    await made.run('every 1h (price)')
    await made.advance(1_000)
    expect(anonymous(await made.run('tasks cancel --all'))).toEqual([
      expect.stringMatching(/^success every [0-9a-f]{8} is canceled$/),
    ])
    expect(printed).toEqual([])
    await made.run('buy 0.01; trail 1%')
    await made.advance(1_000)
    const nuked = await made.run('nuke --yes')
    expect(nuked.filter((line) => / \(trail on BTCUSDT\) is canceled$/.test(line))).toHaveLength(1)
    expect(printed).toEqual([])
  })

  it('says that another one runs on the symbol', async () => {
    const made = await session('buy 0.01', 'trail 2%')
    expect(await made.run('trail 1% add')).toContainEqual(
      expect.stringMatching(/^warn trail [0-9a-f]{8} runs on BTCUSDT too, with a stop of its own: `tasks cancel /),
    )
  })

  it('is one for each symbol', async () => {
    const made = await session('buy 0.01', 'buy 1 ETHUSDT')
    await made.run('trail 1% BTCUSDT,ETHUSDT')
    expect(
      made.ports.tasks
        .list()
        .map(({ symbol }) => symbol)
        .toSorted(),
    ).toEqual(['BTCUSDT', 'ETHUSDT'])
  })

  it('may come from a hook or a page, behind an entry, and as an alias', async () => {
    const made = await session('alias guard "trail 1%"')
    await made.run('buy 0.01; guard', { source: 'hook' })
    await made.run('sell 1 ETHUSDT; trail 1% ETHUSDT', { source: 'web' })
    expect(made.ports.tasks.list()).toHaveLength(2)
  })
})

describe('an oco that is typed', () => {
  it('is one order, and no task, where the venue holds both', async () => {
    const made = await session('buy 0.01')
    expect(await made.run('oco at +2% stop -1%')).toEqual([
      'success order p2: stop sell 0.01 BTCUSDT at 64,350 tp 66,300 is open, reduce-only',
      'info paper: stop and target share one order',
    ])
    expect(made.ports.tasks.list()).toEqual([])
  })

  it('is a task with two orders elsewhere', async () => {
    const made = await session('buy 0.01')
    made.useExchange(asTwo(made.market.exchange))
    expect(anonymous(await made.run('oco at +2% stop -1%'))).toEqual([
      'success oco a1b2c3: keeps a take-profit at 66,300 and a stop at 64,350 for 0.01 BTCUSDT (`tasks show a1b2c3`, `tasks cancel a1b2c3`)',
    ])
    await made.advance(1_000)
    expect(await made.market.exchange.fetchOpenOrders()).toMatchObject([
      { type: 'stop', triggerPrice: '64350', reduceOnly: true },
      { type: 'limit', price: '66300', reduceOnly: true },
    ])
  })

  it('never covers more than is held', async () => {
    const made = await session('buy 0.01')
    expect(await made.run('oco 5.0 at +2% stop -1%')).toContain(
      'success order p2: stop sell 0.01 BTCUSDT at 64,350 tp 66,300 is open, reduce-only',
    )
  })
})

describe('a task that protects, under the limits of its account', () => {
  it('rests and moves its stop, however small an order may be and however few there may be', async () => {
    const made = await session('buy 0.01', 'guards set paper order $100', 'guards set paper rate 1')
    await made.run('trail 1%')
    await made.advance(1_000)
    for (const price of ['66000', '67000', '68000']) {
      made.market.setPrice('BTCUSDT', price)
      await made.advance(2_000)
    }
    expect(await made.market.exchange.fetchOpenOrders()).toMatchObject([{ type: 'stop', triggerPrice: '67320' }])
  })
})

describe('a task whose order a command replaces', () => {
  const ENDED = 'this task no longer protects the position on BTCUSDT'

  it.each([
    ['oco at +3% stop -1%', 'oco at +5% stop -2% replace', `its stop and its take-profit were replaced; ${ENDED}`],
    ['oco at +3% stop -1%', 'stop at -2% replace', 'the stop was replaced: only the take-profit rests now'],
    ['oco at +3% stop -1%', 'cancel p2', 'the stop was canceled by a command: only the take-profit rests now'],
    ['trail 1%', 'oco at +5% stop -2% replace', `its stop was replaced; ${ENDED}`],
    ['trail 1%', 'stop at -2% replace', `its stop was replaced; ${ENDED}`],
    ['trail 1%', 'trail 2% replace', `its stop was replaced; ${ENDED}`],
    ['trail 1%', 'cancel p2', `its stop was canceled by a command; ${ENDED}`],
  ])('says so: `%s`, `%s`', async (begun, line, says) => {
    const made = await createSession({ exchange: asTwo })
    await made.run('buy 0.01')
    await made.run(begun)
    await made.advance(2_000)
    const task = made.ports.tasks.list()[0]?.id ?? ''
    const lines = await made.run(line)
    await made.advance(8_000)
    expect(lines.join('\n')).not.toContain('with a stop of its own')
    const { reason } = made.ports.tasks.list().find(({ id }) => id === task) ?? {}
    const history = await made.ports.tasks.history(task)
    expect([...history.map(({ text }) => text), reason]).toContain(says)
  })
})

it('a task whose stop another hookline replaces says so', async () => {
  const made = await session('buy 0.01', 'trail 1%')
  await made.advance(2_000)
  const { exchange } = made.market
  const [stop] = await exchange.fetchOpenOrders('BTCUSDT')
  if (stop === undefined) throw new Error('no stop rests')
  const { symbol, side, amount } = stop
  const placed = { symbol, side, amount, type: 'stop', triggerPrice: '63000', reduceOnly: true } as const
  await exchange.createOrder({ ...placed, clientOrderId: 'f'.repeat(32) })
  const line = {
    t: 'changed',
    at: made.market.now(),
    account: 'paper',
    ref: { symbol, id: stop.id },
    change: 'canceled',
  }
  ;(made.journal as string[]).push(JSON.stringify(line))
  await exchange.cancelOrder({ symbol, id: stop.id })
  await made.advance(8_000)
  expect(made.ports.tasks.list()).toMatchObject([
    { status: 'cancelled', reason: 'its stop was replaced; this task no longer protects the position on BTCUSDT' },
  ])
})
