// `hooks:replay`: what of a replay a page is answered, and what ends one.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HookReplayData } from '../../../src/commands/kit/data.ts'
import { type EndingAsker, replayQuestion } from '../../../src/listener/requests/questions.ts'
import { decodeServerFrame } from '../../../src/protocol/decode.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { tradesNote } from '../../../src/web/pages/hooks/hook-replay.tsx'

const REPLAYED: HookReplayData = {
  type: 'hook-replay',
  hook: 'dip',
  when: 'every 4h',
  command: 'buy $50 BTCUSDT',
  account: 'paper',
  symbol: 'BTCUSDT',
  frame: '1m',
  from: 1_000,
  to: 61_000,
  bars: 1,
  currency: 'USDT',
  balance: '10000',
  fires: [
    { at: 1_000, price: '100', run: { id: 'a', state: 'done' } },
    { at: 2_000, price: '100', run: { id: 'b', state: 'failed', error: 'refused' } },
    { at: 61_000, price: '100' },
  ],
  fills: [],
  profit: '-1.5',
  profitPercent: '-0.02',
  realized: '0',
  fees: '1.5',
  stats: { trades: 0, won: 0, lost: 0, even: 0, unknown: 0, sums: [] },
  inMarketPercent: '0.0',
  equity: [
    [1_000, '10000.00'],
    [61_000, '9998.50'],
  ],
  notes: [],
  unknown: ['funding: none is paid or received'],
}

function ask(data: Partial<HookReplayData>, signal = new AbortController().signal) {
  let given: AbortSignal | undefined
  const { 'hooks:replay': answer } = replayQuestion(async (_asked, until) => {
    given = until
    return { ...REPLAYED, ...data }
  })
  const by: EndingAsker = { clientId: 'c', origin: 'http://page', label: 'tab', isServed: true, signal }
  const answered = Promise.resolve(answer({ t: 'hooks:replay', id: 'q', hookId: 'h', days: 1 }, by))
  return { answered, signal: () => given }
}

describe('hooks:replay', () => {
  afterEach(() => vi.restoreAllMocks())

  it('counts fires by how they ended, and names why the first did not run', async () => {
    const frame = await ask({}).answered
    expect(frame).toMatchObject({
      fires: [
        { state: 'done', count: 1 },
        { state: 'failed', count: 1 },
        { state: 'unfilled', count: 1 },
      ],
      error: 'refused',
    })
    expect(decodeServerFrame(JSON.stringify(frame))).toEqual({ ok: true, frame })
  })

  it('has the newest fills, and says how many it left out', async () => {
    const fills = Array.from({ length: WIRE_LIMITS.replayFills + 3 }, (_, at) => ({
      at,
      side: 'buy' as const,
      amount: '1',
      price: '100',
    }))
    const { fills: kept, leftOut } = await ask({ fills }).answered
    expect([kept.length, kept[0]?.at, leftOut]).toEqual([WIRE_LIMITS.replayFills, 3, 3])
    expect(await ask({ fills: fills.slice(3) }).answered).not.toHaveProperty('leftOut')
  })

  it('says what is open and how often it was closed in part, where no trade is over', async () => {
    const fill = { at: 1, side: 'buy' as const, amount: '2', price: '100', pnl: '0' }
    const exit = { ...fill, side: 'sell' as const, amount: '1', pnl: '-3' }
    const open = { side: 'long' as const, amount: '1', entryPrice: '100', pnl: '0' }
    const frame = await ask({ fills: [fill, exit, exit], open }).answered
    expect(frame).toMatchObject({ trades: 0, exits: 2, open: { side: 'long', amount: '1' } })
    expect(tradesNote(frame)).toBe('long 1 open, 2 exits')
    expect(tradesNote({ exits: 2, winRate: '50.0', r: '1.2' })).toBe('50.0 % won, R 1.2')
  })

  it('ends with the session, and when it has taken too long', async () => {
    const late = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal)
    const session = new AbortController()
    const first = ask({}, session.signal)
    await first.answered
    expect(timeout).toHaveBeenCalledExactlyOnceWith(WIRE_LIMITS.replayMs)
    session.abort()
    expect(first.signal()?.aborted).toBe(true)
    const second = ask({})
    await second.answered
    expect(second.signal()?.aborted).toBe(false)
    late.abort()
    expect(second.signal()?.aborted).toBe(true)
  })
})
