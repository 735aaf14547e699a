// `positions`: what covers each position and what is bare, what was risked, and which columns a narrow terminal shows.
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession, type SessionOptions } from '../../harness/commands/command-session.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order } from '../../src/exchange/order.ts'
import type { PositionDetailRow } from '../../src/protocol/rows.ts'

async function stage(before: readonly string[], options: SessionOptions = {}): Promise<CommandSession> {
  const session = await createSession(options)
  for (const line of before) expect((await session.run(line)).join('\n')).not.toContain('error')
  return session
}

async function rowsOf(session: CommandSession): Promise<readonly PositionDetailRow[]> {
  const run = session.start('positions')
  await run.done
  const [data] = run.data as unknown as readonly { readonly positions: readonly PositionDetailRow[] }[]
  return data?.positions ?? []
}

async function moveTo(session: CommandSession, price: string): Promise<void> {
  session.market.setPrice('BTCUSDT', price)
  await session.market.advance(1000)
}

describe('what covers a position', () => {
  it.each([
    ['nothing', ['buy 0.01'], '0.01', 'bare'],
    ['a stop of all of it', ['buy 0.01', 'stop at -2%'], '0', '63,700.0'],
    ['a stop of a part', ['buy 0.01', 'stop 40% at -2%'], '0.006', '63,700.0, 0.006 bare'],
    ['two stops, the nearer one first', ['buy 0.01', 'stop 50% at -3%', 'stop 50% at -2%'], '0', '63,700.0 +1'],
    ['a stop-limit', ['buy 0.01', 'stop at -2% limit -0.2%'], '0', '63,700.0 limit'],
    ['a take-profit is no stop', ['buy 0.01', 'take at +2%'], '0.01', 'bare'],
    ['the stop of a short', ['sell 0.01', 'stop at +2%'], '0', '66,300.0'],
    ['a stop of the other market', ['buy 0.01', 'buy 1 ETHUSDT stop -2%'], '0.01', 'bare'],
    ['a limit on the other side', ['buy 0.01', 'sell 0.01 at +1%'], '0.01', 'bare'],
    ['a position that has grown', ['buy 0.01 stop -2%', 'buy 0.01'], '0.01', '63,700.0, 0.01 bare'],
  ])('%s', async (_what, before, uncovered, shown) => {
    const session = await stage(before)
    const [row] = await rowsOf(session)
    expect(row).toMatchObject({ symbol: 'BTCUSDT', uncovered })
    const [heading = '', ...lines] = (await session.run('positions')).flatMap((line) => line.split('\n'))
    const line = lines.find((each) => each.includes('BTCUSDT')) ?? ''
    expect(heading).toMatch(/ stop /)
    expect(` ${line} `).toContain(` ${shown} `)
  })

  it('a stop that finds nothing left is not counted', async () => {
    const session = await stage(['buy 0.01', 'stop 50% at -3%', 'stop 50% at -2%', 'close 50%'])
    const [near, far] = (await rowsOf(session))[0]?.stops ?? []
    expect([near?.price, near?.closes, far?.price, far?.closes]).toEqual(['63700', undefined, '63050', '0'])
    const shown = (await session.run('positions')).join('\n')
    expect(shown).toContain(' 63,700.0 ')
    expect(shown).not.toContain('+1')
  })

  it('targets are take-profits and reduce-only limits, the nearest first', async () => {
    const session = await stage(['buy 0.01', 'take 50% at +4%', 'sell 0.002 at +3% reduce', 'sell 0.001 at +2%'])
    const [row] = await rowsOf(session)
    expect(row?.targets).toMatchObject([
      { type: 'limit', price: '66950', amount: '0.002' },
      { type: 'take-profit', price: '67600', amount: '0.005' },
    ])
    expect((await session.run('positions')).join('\n')).toContain(' 66,950.0 +1')
  })

  const whole: Order = {
    id: 'w1',
    symbol: 'BTCUSDT',
    side: 'sell',
    type: 'stop',
    amount: '0',
    filled: '0',
    remaining: '0',
    triggerPrice: '60000',
    reduceOnly: true,
    postOnly: false,
    status: 'open',
    closesPosition: true,
    timestamp: 1,
  }

  it.each([
    ['a stop of the whole position covers it', whole, '0'],
    [
      'a take-profit of the whole position does not',
      { ...whole, type: 'take-profit', triggerPrice: '70000' } as const,
      '0.01',
    ],
  ])('%s', async (_what, order, uncovered) => {
    const session = await stage(['buy 0.01'], {
      exchange: (paper) => ({ ...paper, fetchOpenOrders: async () => [order] }),
    })
    const [row] = await rowsOf(session)
    expect(row?.uncovered).toBe(uncovered)
    expect([...(row?.stops ?? []), ...(row?.targets ?? [])]).toEqual([
      { id: 'w1', type: order.type, price: order.triggerPrice },
    ])
  })

  it('is not known where the venue does not list its orders', async () => {
    let isSilent = false
    const session = await stage(['buy 0.01 stop -2%'], {
      exchange: (paper) => ({
        ...paper,
        fetchOpenOrders: async () => {
          if (isSilent) throw new ExchangeError('network', 'no answer from the venue')
          return paper.fetchOpenOrders()
        },
      }),
    })
    isSilent = true
    const [row] = await rowsOf(session)
    expect(row).not.toHaveProperty('uncovered')
    expect(row).not.toHaveProperty('stops')
    const lines = await session.run('positions')
    expect(lines[0]).toBe('warn open orders are unknown, so stops and targets are not shown: no answer from the venue')
    expect(lines.join('\n')).toMatch(/ \? +\$0\.00$/m)
  })
})

describe('what was risked', () => {
  it('is what the position loses at the stop of its entry, and R counts from it', async () => {
    const session = await stage(['buy 0.01 stop -2%'])
    await moveTo(session, '66300')
    const [row] = await rowsOf(session)
    // Entered at 65,000.1 with a stop at 63,700.
    expect(row).toMatchObject({ risk: '13.001', movePercent: '2.00', r: '1.00' })
    expect((await session.run('positions')).join('\n')).toContain(' +1.00R ')
  })

  it('is that of the first stop, wherever it was moved since', async () => {
    const session = await stage(['buy 0.01 stop -2%'])
    await moveTo(session, '66300')
    await session.run('move p2 to 65500')
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '13.001', r: '1.00', stops: [{ price: '65500' }] })
  })

  it('of a short is above its entry', async () => {
    const session = await stage(['sell 0.01 stop +2%'])
    await moveTo(session, '66000')
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '13.001', r: '-0.77' })
  })

  it('of what is left after a part was closed is as much less', async () => {
    const session = await stage(['buy 0.02 stop -2%', 'close 50%'])
    await moveTo(session, '66300')
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '13.001', r: '1.00' })
  })

  it('of two entries is the sum of both', async () => {
    const session = await stage(['buy 0.01 stop -2%', 'buy 0.01 stop -1%'])
    expect((await rowsOf(session))[0]?.risk).toBe('19.502')
  })

  it('counts a stop of the same line', async () => {
    const session = await stage(['buy 0.01; stop at -2%'])
    expect((await rowsOf(session))[0]?.risk).toBe('13.001')
  })

  it.each([
    ['stop at -2%', '13.001'],
    ['trail 1%', '6.501'],
  ])('counts the first stop of a later line: %s', async (line, risk) => {
    const session = await stage(['buy 0.01', line])
    await session.advance(2_000)
    expect((await rowsOf(session))[0]?.risk).toBe(risk)
  })

  it('counts for each entry its own stop, or the first that was placed for as much afterwards', async () => {
    const session = await stage(['buy 0.01 stop -2%', 'buy 0.01', 'stop at -1% replace', 'stop at -0.5% replace'])
    await moveTo(session, '66300')
    // 13.001 of the first entry, and 6.501 of the second.
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '19.502', r: '1.33' })
    await session.run('close')
    expect((await session.run('trades')).join('\n')).toContain(' +1.26R ')
  })

  it('counts no stop that was placed once the trade was closed', async () => {
    const session = await stage(['buy 0.01', 'close'])
    await moveTo(session, '65100')
    for (const line of ['buy 0.01 stop -2%', 'stop at -1% replace', 'close']) await session.run(line)
    const run = session.start('trades')
    await run.done
    const { trades } = run.data.find(({ type }) => type === 'trades') as unknown as { trades: { r?: string }[] }
    expect(trades.map(({ r }) => r !== undefined)).toEqual([false, true])
  })

  it('is that of the first price of a stop of the same line, too', async () => {
    const session = await stage(['buy 0.01; stop at -2%', 'move p2 to 64500'])
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '13.001', stops: [{ price: '64500' }] })
  })

  it('is that of the stop as its entry filled, wherever it was moved before and after', async () => {
    const session = await stage(['buy 0.01 at -1% stop -1% tp +5%', 'amend p1 stop 63350'])
    session.market.setPrice('BTCUSDT', '64340')
    await session.advance(2_000)
    const [stop] = (await session.market.exchange.fetchOpenOrders()).filter(({ type }) => type === 'stop')
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '10', stops: [{ price: '63350' }] })
    await session.run(`move ${stop?.id} to 64000`)
    session.market.setPrice('BTCUSDT', '65350')
    await session.advance(2_000)
    expect((await rowsOf(session))[0]).toMatchObject({ risk: '10', r: '1.00', stops: [{ price: '64000' }] })
    // Everything that counts in R has the same one.
    expect((await session.run('take 50% at 2R add')).join('\n')).toContain('at 66,350 is open')
    await session.run('close')
    for (const line of ['trades', 'session']) expect((await session.run(line)).join('\n')).toMatch(/\b0\.95R?\b/)
  })

  it.each([
    ['without a stop', ['buy 0.01']],
    ['with a stop of a part in the same line', ['buy 0.01; stop 50% at -2%']],
    ['of which one entry had none', ['buy 0.01 stop -2%', 'buy 0.01']],
  ])('is not known of a position %s', async (_what, before) => {
    const session = await stage(before)
    const [row] = await rowsOf(session)
    expect(row).not.toHaveProperty('risk')
    expect(row).not.toHaveProperty('r')
    expect((await session.run('positions')).join('\n')).not.toMatch(/ R /)
  })

  it('is not known where the position is not what the journal has', async () => {
    const session = await stage(['buy 0.01 stop -2%'])
    await session.market.exchange.createOrder({
      clientOrderId: 'f'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
    })
    const [row] = await rowsOf(session)
    expect(row).toMatchObject({ amount: '0.02', uncovered: '0.01' })
    expect(row).not.toHaveProperty('risk')
  })
})

it('what was risked is not known where the entry price is not that of the fills', async () => {
  let entry: string | undefined
  const session = await stage(['buy 0.01 stop -2%'], {
    exchange: (paper) => ({
      ...paper,
      fetchPositions: async () =>
        (await paper.fetchPositions()).map((position) => ({ ...position, entryPrice: entry ?? position.entryPrice })),
    }),
  })
  expect((await rowsOf(session))[0]?.risk).toBe('13.001')
  entry = '64000'
  expect((await rowsOf(session))[0]).not.toHaveProperty('risk')
})

describe('the columns', () => {
  const at = (columns: number) => ({
    terminal: { askHidden: async () => '', clear() {}, history: () => [], quit() {}, columns: () => columns },
  })
  const lines = ['leverage 10', 'buy 0.01 stop -2% tp +4%']

  it.each([60, 80, 100, 140, 200])(
    'fit a terminal of %i cells, side, amount, pnl and stop among them',
    async (columns) => {
      const session = await stage(lines, at(columns))
      const rows = (await session.run('positions'))
        .join('\n')
        .replace(/^print /gm, '')
        .split('\n')
      for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns)
      expect(rows[0]).toMatch(/^symbol +side +amount .* *pnl .*stop/)
    },
  )

  it('are all there in a pipe, and for a page whatever the terminal has', async () => {
    const all = /^print symbol +side +amount +value +entry +mark +leverage +margin +pnl +% +R +stop +target +realized$/m
    const piped = await stage(lines)
    expect((await piped.run('positions')).join('\n')).toMatch(all)
    const narrow = await stage(lines, at(60))
    expect((await narrow.run('positions', { source: 'web' })).join('\n')).toMatch(all)
    expect((await narrow.run('positions')).join('\n')).not.toMatch(all)
  })

  it('are left out from the least important on', async () => {
    const headingAt = async (columns: number) =>
      (await (await stage(lines, at(columns))).run('positions'))[0]?.split('\n')[0]
    const wide = await headingAt(112)
    const narrow = await headingAt(80)
    expect(wide).toContain('target')
    expect(wide).not.toContain('realized')
    expect(narrow).toMatch(/ R /)
    expect(narrow).toContain('target')
    expect(narrow).not.toContain('mark')
  })
})
