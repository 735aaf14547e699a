// The stop and take-profit of an entry that has not filled: shown, checked as the entry moves, and changed before anything is sent.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

async function stage(line = 'buy 0.01 at 60000 stop 58800 tp 63000') {
  const session = await createSession()
  await session.run(line)
  await session.settle()
  const resting = () => session.market.exchange.fetchOpenOrders()
  const linesOf = (kind: string) =>
    session.journal.map((line) => JSON.parse(line)).filter(({ t }: { t: string }) => t === kind)
  const foresee = (command: string) => session.ports.preview({ command, source: 'web' })
  return { ...session, resting, linesOf, foresee }
}

describe('the bracket of an entry that rests', () => {
  it('has other prices before the entry fills, and protects with them after', async () => {
    const session = await stage()
    expect(await session.run('amend p1 stop 59000')).toEqual([
      'success order p1 is followed by: stop at 59,000, take-profit at 63,000',
    ])
    expect(await session.run('amend p1 tp 62000')).toEqual([
      'success order p1 is followed by: stop at 59,000, take-profit at 62,000',
    ])
    session.market.setPrice('BTCUSDT', '59900')
    await session.advance(2_000)
    expect(await session.resting()).toMatchObject([{ type: 'stop', triggerPrice: '59000', takeProfitPrice: '62000' }])
  })

  it.each(['close all', 'close BTCUSDT', 'flip', 'sell 0.02'])(
    'waits on, can be changed and protects after a position on the symbol is gone: %s',
    async (line) => {
      const session = await stage()
      await session.run('buy 0.02')
      await session.run(line)
      await session.advance(10_000)
      expect(await session.run('amend p1 stop 59000')).toEqual([
        'success order p1 is followed by: stop at 59,000, take-profit at 63,000',
      ])
      await session.run('close all')
      session.market.setPrice('BTCUSDT', '59900')
      await session.advance(2_000)
      expect(await session.resting()).toMatchObject([{ type: 'stop', triggerPrice: '59000', takeProfitPrice: '63000' }])
    },
  )

  it('stands under its entry in `orders`, and with it in the data of `orders` and `watch`', async () => {
    const session = await stage()
    await session.run('buy 0.02 at 59000')
    const rows = (await session.run('orders')).join('\n').split('\n')
    expect(rows.map((row) => row.replace(/ {2,}/g, ' | ').trim())).toEqual([
      expect.stringMatching(/^print id \| symbol \| side \| type \| amount \| filled \| price \| flags \| placed/),
      expect.stringMatching(/^print p1 \| BTCUSDT \| buy \| limit \| 0\.01 \| 0 \| 60,000\.0 \| 2026-/),
      'print | └ at fill | sell | stop | 0.01 | 58,800.0',
      'print | └ at fill | sell | take-profit | 0.01 | 63,000.0',
      expect.stringMatching(/^print p2 \| BTCUSDT \| buy \| limit \| 0\.02 \| 0 \| 59,000\.0 \| 2026-/),
    ])
    const entry = {
      id: 'p1',
      stop: { triggerPrice: '58800', pnl: '-12' },
      takeProfit: { triggerPrice: '63000', pnl: '30' },
    }
    for (const line of ['orders', 'watch --once']) {
      const run = session.start(line)
      await run.done
      expect(run.data.flatMap((each) => (each as { orders?: unknown[] }).orders ?? [])).toMatchObject([
        entry,
        { id: 'p2' },
      ])
    }
    expect((await session.run('watch --once')).join('\n')).toMatch(
      /p1 +BTCUSDT +buy .*60,000.*\nprint +└ at fill +sell +stop +0\.01 +58,800\.0\nprint +└ at fill +sell +take-profit +0\.01 +63,000\.0$/m,
    )
    session.market.setPrice('BTCUSDT', '59900')
    await session.advance(2_000)
    expect((await session.run('orders')).join('\n')).not.toContain('at fill')
  })

  it.each([
    ['amend p1 stop -1%', 'success order p1 is followed by: stop at 59,400, take-profit at 63,000'],
    ['amend p1 stop $last -10%', 'success order p1 is followed by: stop at 58,500, take-profit at 63,000'],
    ['amend p1 tp +2%', 'success order p1 is followed by: stop at 58,800, take-profit at 61,200'],
  ])('counts from the price of its entry: %s', async (line, said) => {
    const session = await stage()
    expect(await session.run(line)).toEqual([said])
  })

  it('is written down before anything else knows of it', async () => {
    const session = await stage()
    await session.run('amend p1 stop 59000')
    expect(session.linesOf('protection')).toMatchObject([
      { protection: { triggerPrice: '59000', takeProfitPrice: '63000' } },
    ])
  })

  it('lets its entry go where the stop was before, once the stop is moved', async () => {
    const session = await stage()
    expect((await session.foresee('move p1 to 58000')).errors).toMatchObject([{ code: 'bad-stop' }])
    await session.run('amend p1 stop 57000')
    expect(await session.run('move p1 to 58000')).toEqual([
      'success order p1 is now: buy 0.01 BTCUSDT at 58,000; its stop stays at 57,000 and its take-profit stays at 63,000',
    ])
  })

  it.each([
    ['a stop above the entry', 'amend p1 stop 61000', /^error bad-stop: /],
    ['a profit below the entry', 'amend p1 tp 59500', /^error bad-stop: /],
    ['both at once', 'amend p1 at 60500 stop 59000', /^error bad-price: an entry and its protection/],
  ])('stays as it is at %s', async (_what, line, refusal) => {
    const session = await stage()
    expect(await session.run(line)).toEqual([expect.stringMatching(refusal)])
    expect(session.linesOf('protection')).toEqual([])
  })

  it('is not made up for an order that has none', async () => {
    const session = await stage('buy 0.01 at 60000')
    expect(await session.run('amend p1 stop 59000')).toEqual([
      'error bad-price: no stop is attached to order p1, a limit order | `orders` lists each entry with the stop and the target that follow its fill',
    ])
  })

  it('is not that of a stop order, which `move` moves', async () => {
    const session = await stage('buy 0.01; stop at -2%')
    expect(await session.run('amend p2 stop -1%')).toEqual([
      'error bad-price: no stop is attached to order p2, a stop order | `move p2 to <price>` moves its trigger',
    ])
    expect((await session.run('move p2 to -1%')).join()).toContain('is now')
  })

  it('stays as it is where nothing is sent', async () => {
    const session = await stage()
    expect(await session.run('amend p1 stop 59000 --dry')).toEqual([
      'info simulated: would change order p1 to then a stop at 59,000, then a take-profit at 63,000',
    ])
    await session.run('sim on')
    await session.run('amend p1 stop 59000')
    expect(session.linesOf('protection')).toEqual([])
  })

  it('is in the preview of a move, with what each makes from there', async () => {
    const session = await stage()
    const { changes } = await session.foresee('move p1 to 61000')
    expect(changes).toMatchObject([
      {
        id: 'p1',
        price: '61000',
        stop: { triggerPrice: '58800', pnl: '-22' },
        takeProfit: { triggerPrice: '63000', pnl: '20' },
      },
    ])
    const moved = await session.foresee('amend p1 stop 59000')
    expect(moved).toMatchObject({
      ok: true,
      changes: [{ id: 'p1', stop: { triggerPrice: '59000', pnl: '-10' }, takeProfit: { triggerPrice: '63000' } }],
    })
    expect(session.linesOf('protection')).toEqual([])
  })
})
