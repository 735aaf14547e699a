// What the ticket previews is the order that is then placed: the same line, amounts and prices, on a paper account.
import { describe, expect, it } from 'vitest'
import { createSession } from '../../../harness/commands/command-session.ts'
import type { PreviewOrder } from '../../../src/protocol/preview.ts'
import { EMPTY_TICKET, type Ticket } from '../../../src/web/pages/trade/ticket/ticket.ts'
import { writeTicket } from '../../../src/web/pages/trade/ticket/ticket-line.ts'
import { actOf, consequencesOf, refusalsOf } from '../../../src/web/preview/consequences.ts'

const FIGURES = ['symbol', 'side', 'type', 'amount', 'price', 'triggerPrice', 'reduceOnly', 'postOnly'] as const
const figuresOf = (order: Partial<PreviewOrder>) => Object.fromEntries(FIGURES.map((name) => [name, order[name]]))

async function tryTicket(change: Partial<Ticket>, before?: string) {
  const session = await createSession()
  if (before !== undefined) await session.run(before)
  await session.settle()
  const from = session.journal.length
  const written = writeTicket({ ...EMPTY_TICKET, ...change }, 'BTCUSDT')
  if (!('line' in written)) throw new Error(JSON.stringify(written))
  const preview = await session.ports.preview({ command: written.line, source: 'web' })
  await session.run(written.line)
  await session.settle()
  const sent = session.journal
    .slice(from)
    .map((line) => JSON.parse(line))
    .filter((line) => line.t === 'intent')
  const isOwn = (intent: { protects?: unknown }) => intent.protects === undefined
  return { preview, sent, orders: sent.filter(isOwn).map(({ order }) => figuresOf(order)) }
}

describe('what a ticket previews', () => {
  it.each<[string, Partial<Ticket>, act: string, before?: string]>([
    ['a market order', { size: '500' }, 'Buy 0.007 BTC at the market'],
    ['half of what is free', { size: '50', unit: 'percent' }, 'Buy 0.076 BTC at the market'],
    ['a limit', { kind: 'limit', size: '500', price: '-1%', postOnly: true }, 'Buy 0.007 BTC at 64,350'],
    ['a stop for what is held', { kind: 'stop', trigger: '-2%' }, 'Stop: sell 0.02 BTC at 63,700', 'buy 0.02'],
    [
      'a stop that enters',
      { kind: 'stop', aim: 'enter', size: '0.01', unit: 'base', trigger: '+1%' },
      'Stop: buy 0.01 BTC at 65,650',
    ],
    ['a scale', { kind: 'scale', size: '900', slices: '3', from: '-1%', to: '-3%' }, 'Place 3 orders'],
  ])('is what is placed: %s', async (_what, change, act, before) => {
    const { preview, orders } = await tryTicket(change, before)
    expect(preview).toMatchObject({ ok: true, errors: [] })
    expect(preview.orders.map(figuresOf)).toEqual(orders)
    expect(actOf(preview)).toBe(act)
  })

  it('is where its stop and its target are placed', async () => {
    const { preview, sent } = await tryTicket({ size: '500', stop: '-2%', target: '+4%' })
    const protection = sent.find(({ protects }) => protects !== undefined)?.order
    expect(protection).toMatchObject({
      triggerPrice: preview.orders[0]?.stop?.triggerPrice,
      takeProfitPrice: preview.orders[0]?.takeProfit?.triggerPrice,
    })
  })

  it('is as much as loses the typed money at its stop, which moves with it', async () => {
    const near = await tryTicket({ size: '50', unit: 'risk', stop: '-1%', target: '2R' })
    const far = await tryTicket({ size: '50', unit: 'risk', stop: '-2%' })
    expect(near.orders).toMatchObject([{ amount: near.preview.orders[0]?.amount }])
    const [few, many] = [far, near].map(({ preview }) => Number(preview.orders[0]?.amount))
    expect(many).toBeGreaterThan(Number(few) * 1.5)
    // The net of the stop is what the size was allowed to lose, but for the lot.
    expect(Number(near.preview.orders[0]?.stop?.net)).toBeGreaterThanOrEqual(-50)
    expect(Number(near.preview.orders[0]?.stop?.net)).toBeLessThan(-49)
    expect(consequencesOf(near.preview)).toContainEqual({ title: 'Reward to risk, after fees', value: '1.7 R' })
  })

  it("is a limit whose stop is as far from it as the ticket says, not from the market's price", async () => {
    const { preview } = await tryTicket({ kind: 'limit', size: '500', price: '64000', stop: '-2%', target: '+1%' })
    expect(preview.orders[0]).toMatchObject({
      stop: { triggerPrice: '62720' },
      takeProfit: { triggerPrice: '64640' },
    })
  })

  it('is what a task then trades', async () => {
    const { preview } = await tryTicket({ kind: 'twap', size: '1000', slices: '10', lasts: '30m' })
    expect(actOf(preview)).toBe('Start the twap: buy 0.015')
    expect(preview.orders).toEqual([])
  })
})

describe('the consequences of a line', () => {
  async function foreseen(before: string, line: string) {
    const session = await createSession()
    await session.run(before)
    await session.settle()
    const preview = await session.ports.preview({ command: line, source: 'web' })
    return consequencesOf(preview).map(({ title, value }) => `${title}: ${value}`)
  }

  it('name the fees that a limit’s stop counts, where its own fee is another', async () => {
    const rows = await foreseen('echo', 'buy 0.1 BTCUSDT at 64000 po stop 63000')
    expect(rows).toContain('Fee, as maker: 1.28 USDT')
    expect(rows.find((row) => row.startsWith('If the stop'))).toMatch(/^If the stop is hit, after taker fees: −10[67]/)
    const taken = await foreseen('echo', 'buy 0.01 BTCUSDT stop 63000')
    expect(taken.find((row) => row.startsWith('If the stop'))).toMatch(/^If the stop is hit, after fees: /)
  })

  it('are what a moved entry would make, with its stop and its target where they wait', async () => {
    expect(await foreseen('buy 0.01 at 60000 stop 58800 tp 63000', 'move p1 to 61000')).toEqual([
      'Changes p1: 61,000',
      'Margin: 61.00 USDT, 10×',
      'If the stop is hit, after fees: −22.66 USDT',
      'If the target is hit, after fees: +19.32 USDT',
      'Reward to risk, after fees: 0.85 R',
    ])
    expect(await foreseen('buy 0.01 at 60000 stop 58800 tp 63000', 'amend p1 stop 59000')).toEqual([
      'Margin: 60.00 USDT, 10×',
      'If the stop is hit, after fees: −10.65 USDT',
      'If the target is hit, after fees: +29.32 USDT',
      'Reward to risk, after fees: 2.75 R',
    ])
  })

  it('are what a moved stop would make, after the fees of the whole trade', async () => {
    expect(await foreseen('buy 0.01; stop at -2%', 'move p2 to 63000')).toEqual([
      'Changes p2: 63,000',
      'If it fills there, after fees: −20.71',
    ])
  })

  it('are what a twap comes to in all, and where it leaves the position', async () => {
    expect(await foreseen('buy 0.01', 'twap buy $1000 BTCUSDT into 10 over 30m')).toEqual([
      'Starts a twap: buy 0.015 BTC for 975.00 USDT',
      'Rounded down: 2.50 % less than asked',
      'In 10 orders: of at most 0.002 BTC',
      'Ends within: 30m',
      'Fee, as taker: 0.54 USDT',
      'Margin: 97.50 USDT, 10×',
      'Position in BTCUSDT: 0.010 → 0.025 BTC',
    ])
  })

  it('are the settings that a line makes', async () => {
    expect(await foreseen('buy 0.01', 'leverage BTCUSDT 5')).toContain('Sets the leverage of BTCUSDT: 5')
  })

  it('are all legs of a scale, also where the first is refused', async () => {
    const session = await createSession()
    await session.run('halt')
    const command = 'scale buy $900 BTCUSDT into 3 from -1% to -3%'
    const preview = await session.ports.preview({ command, source: 'web' })
    const [first, ...others] = preview.orders.map(({ refused }) => refused?.code)
    expect([first, others]).toEqual(['halted', ['not-sent', 'not-sent']])
    const titles = consequencesOf(preview).map(({ title }) => title)
    expect(titles.filter((title) => title.startsWith('At '))).toHaveLength(3)
    expect(refusalsOf(preview)).toContain('not sent: another order of the line is refused')
  })

  it('are what a chase comes to, and what one that reduces realizes', async () => {
    const rows = await foreseen('buy 0.01', 'chase sell 0.01 BTCUSDT reduce')
    expect(rows).toEqual([
      'Starts a chase: sell 0.01 BTC for 650.00 USDT, reduce-only',
      expect.stringMatching(/^First order: at /),
      'Ends within: 1h',
      expect.stringMatching(/^Fee, as maker: /),
      expect.stringMatching(/^Realizes, at current prices, after fees: /),
      'Position in BTCUSDT: 0.01 → 0 BTC',
    ])
  })

  it('are what fills at once, where a change goes through the market', async () => {
    expect(await foreseen('buy $500 at -2%', 'move p1 to 65500')).toEqual([
      'Changes p1: 65,500',
      'Fills at once: 0.007 BTC about 65,000.1 for 455.00 USDT',
      'Fee, as taker: 0.25 USDT',
      'Margin: 45.50 USDT, 10×',
      'Position in BTCUSDT: 0 → 0.007 BTC',
    ])
  })

  it('are the totals first, then each order in a row', async () => {
    expect(await foreseen('echo', 'scale buy $900 into 3 from -1% to -3%')).toEqual([
      '3 limit buys, worth: 891.15 USDT',
      'Fees: 0.18 USDT',
      'Margin: 89.12 USDT',
      'At 64,350: 0.004 BTC, 257.40 USDT',
      'At 63,700: 0.005 BTC, 318.50 USDT',
      'At 63,050: 0.005 BTC, 315.25 USDT',
      'Position in BTCUSDT: 0 → 0.014 BTC',
    ])
  })

  it('have one number of digits for the amounts of a symbol', async () => {
    const rows = await foreseen('buy 0.023 BTCUSDT', 'buy 0.04 BTCUSDT')
    expect(rows[0]).toMatch(/^You buy: 0\.040 BTC/)
    expect(rows).toContain('Position in BTCUSDT: 0.023 → 0.063 BTC')
  })

  it.each([
    ['close', 'Realizes, after fees: −1.43 USDT'],
    ['close all', 'Realizes, after fees: −1.77 USDT'],
    ['nuke', 'Realizes, after fees: −1.77 USDT'],
    ['halt paper --flatten', 'Realizes, after fees: −1.77 USDT'],
    ['flip BTCUSDT', 'Realizes, after fees: −1.43 USDT'],
    ['position short 0.02 BTCUSDT', 'Realizes, after fees: −1.43 USDT'],
    ['sell 0.05', 'Realizes, after fees: −1.43 USDT'],
    ['sell 0.01 at +2%', 'If it fills, after fees: +12.51 USDT'],
    ['stop at -2%', 'If it is hit, after fees: −27.42 USDT'],
    ['sell 0.01 at +2% reduce', 'If it fills, after fees: +12.51 USDT'],
  ])('of %s are what it realizes: %s', async (line, expected) => {
    const rows = await foreseen('buy 0.02 BTCUSDT; buy 0.1 ETHUSDT', line)
    expect(rows.join('|')).toContain(expected)
  })

  it('are after the same fees before the entry fills, at its stop, and at the close there', async () => {
    const made = async (before: string, line: string) =>
      (await foreseen(before, line)).find((row) => row.startsWith('If'))?.split(': ')[1]
    const [drafted, placed] = [
      await made('echo', 'buy 0.02 BTCUSDT stop 63000'),
      await made('buy 0.02 BTCUSDT', 'stop at 63000'),
    ]
    expect(placed).toBe(drafted)
  })

  it('have no realized figure for an order on the side of the position', async () => {
    const rows = await foreseen('buy 0.02 BTCUSDT', 'buy 0.01 at -1%')
    expect(rows.filter((row) => /^(?:Realizes|If it)/.test(row))).toEqual([])
  })
})
