// Every line of docs/recipes.md runs, and does at its time what its recipe says.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../harness/commands/command-session.ts'
import { CANDLE_MS, type Candle, type CandleInterval } from '../../src/exchange/market.ts'
import { WITH_SECRETS } from './notice-stages.ts'

const paper = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8')

/** By heading: the lines of its block. */
const recipes = new Map(
  [...paper.matchAll(/^## (.+)\n[\s\S]*?^```hookline\n([\s\S]*?)^```$/gm)].map(([, title = '', block = '']) => [
    title,
    block.trim().split('\n'),
  ]),
)

const HOUR = 3_600_000

/** BTCUSDT is at 65,000, ETHUSDT at 3,000, 2026-01-01 00:00 UTC, a Thursday. Bars close at the prices that `hours` had. */
async function createStage() {
  const session = await createSession(WITH_SECRETS)
  const { market, useExchange: connectTo } = session
  const { exchange } = market
  const closes = new Map<number, string>()
  const fetchCandles = async (_symbol: string, interval: CandleInterval, limit: number): Promise<readonly Candle[]> => {
    const ms = CANDLE_MS[interval]
    const now = Math.floor(market.now() / ms) * ms
    return Array.from({ length: limit }, (_, index) => {
      const at = now - (limit - 1 - index) * ms
      const close = closes.get(at + ms) ?? `${3000 + (index % 2)}`
      return { at, open: close, high: close, low: close, close, volume: '1' }
    })
  }
  connectTo(
    new Proxy(exchange, {
      get(target, key) {
        if (key === 'fetchCandles') return fetchCandles
        const value = Reflect.get(target, key) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  )
  const until = async (at: number) => {
    if (at - market.now() > 10_000) await market.leap(at - 5_000 - market.now())
    await session.advance(at - market.now() + 3_000)
  }
  return {
    session,
    /** A little after this time. */
    until,
    async price(symbol: string, price: string) {
      market.setPrice(symbol, price)
      await session.advance(3_000)
    },
    async hours(...prices: readonly string[]) {
      for (const price of prices) {
        const closesAt = (Math.floor(market.now() / HOUR) + 1) * HOUR
        closes.set(closesAt, price)
        await until(closesAt)
      }
    },
    held: async () =>
      (await exchange.fetchPositions()).map(({ side, symbol, amount }) => `${side} ${amount} ${symbol}`),
    orders: async () =>
      (await exchange.fetchOpenOrders()).map(
        ({ type, side, amount, price, triggerPrice }) => `${type} ${side} ${amount} at ${triggerPrice ?? price}`,
      ),
    lastTask: () => session.ports.tasks.list()[0],
  }
}

type Stage = Awaited<ReturnType<typeof createStage>>

function writeHook({ directory }: CommandSession): void {
  mkdirSync(directory, { recursive: true })
  const row = { id: 'b'.repeat(32), name: 'dip', secret: 'a'.repeat(32), command: 'echo ok', createdAt: 1 }
  writeFileSync(join(directory, 'hooks.json'), JSON.stringify({ hooks: [row] }))
}

interface Play {
  readonly before?: (stage: Stage) => unknown
  /** What happens once its lines were typed, and what they have done then. */
  readonly after: (stage: Stage) => Promise<void>
}

const PLAYS: Readonly<Record<string, Play>> = {
  'Buy $50 each Monday': {
    async after({ until, held }) {
      await until(Date.UTC(2026, 0, 5, 7, 59))
      expect(await held()).toEqual([])
      // 09:00 in Berlin, in winter.
      await until(Date.UTC(2026, 0, 5, 8))
      expect(await held()).toEqual(['long 0.01 ETHUSDT'])
      await until(Date.UTC(2026, 0, 12, 8))
      expect(await held()).toEqual(['long 0.02 ETHUSDT'])
    },
  },
  'Close at a time': {
    before: ({ session }) => session.run('buy 0.01 BTCUSDT'),
    async after({ session, until, held }) {
      expect(await held()).toHaveLength(1)
      await until(Date.UTC(2026, 0, 1, 14, 30))
      expect(await held()).toEqual([])
      await session.run('buy 0.01 BTCUSDT')
      await until(Date.UTC(2026, 0, 1, 20, 55))
      expect(await held()).toEqual([])
    },
  },
  'Move the stop to the entry after a profit of 1R': {
    async after({ price, orders, held }) {
      expect(await orders()).toEqual([expect.stringMatching(/^stop sell 0.036 at 63700/)])
      await price('BTCUSDT', '65900')
      expect(await orders()).toEqual([expect.stringMatching(/at 63700/)])
      await price('BTCUSDT', '66500')
      // The entry and 0.1 % of it.
      expect(await orders()).toEqual([expect.stringMatching(/^stop sell 0.036 at 65065/)])
      await price('BTCUSDT', '65000')
      expect(await held()).toEqual([])
    },
  },
  'Pause a hook around the news': {
    before: ({ session }) => writeHook(session),
    async after({ session, until }) {
      const pause = () => session.ports.hooks.resolve('dip').paused
      await until(Date.UTC(2026, 0, 2, 13, 24))
      expect(pause()).toBeUndefined()
      await until(Date.UTC(2026, 0, 2, 13, 25))
      expect(pause()).toMatchObject({ why: 'news', until: expect.any(Number) })
      expect(Math.round(((pause()?.until ?? 0) - Date.UTC(2026, 0, 2, 13, 25)) / 60_000)).toBe(35)
      await until(Date.UTC(2026, 11, 4, 13, 25))
      expect(pause()).toMatchObject({ until: expect.any(Number) })
    },
  },
  'Add on a fall': {
    async after({ session, price, held, orders }) {
      await session.advance(3_000)
      expect(await held()).toEqual(['long 0.003 BTCUSDT'])
      expect((await orders()).filter((order) => order.startsWith('limit buy'))).toHaveLength(3)
      await price('BTCUSDT', '63500')
      expect(await held()).toEqual(['long 0.009 BTCUSDT'])
      // Its target: all of it is sold, and what rests is taken back.
      await price('BTCUSDT', '67200')
      await session.advance(5_000)
      expect(await held()).toEqual([])
      expect(await orders()).toEqual([])
      await price('BTCUSDT', '59900')
      expect((await orders()).filter((order) => order.startsWith('limit buy'))).toHaveLength(5)
    },
  },
  'Trade a range': {
    async after({ session, price, held, orders, lastTask }) {
      await session.advance(5_000)
      expect(await held()).toEqual(['long 0.006 BTCUSDT'])
      expect(await orders()).toHaveLength(5)
      await price('BTCUSDT', '66700')
      expect(lastTask()?.doing).toMatch(/1 round made \$3.0/)
      await price('BTCUSDT', '61300')
      await session.advance(8_000)
      expect(await held()).toEqual([])
      expect(lastTask()).toMatchObject({ status: 'done' })
    },
  },
  'Report a price to the phone': {
    async after({ price, session }) {
      await price('BTCUSDT', '70100')
      const alerts = session.ports.tasks.list().filter(({ kind }) => kind === 'alert')
      expect(alerts).toContainEqual(
        expect.objectContaining({ status: 'done', reason: expect.stringContaining('look at the chart') }),
      )
    },
  },
  'Buy when the RSI turns up': {
    async after({ session, hours, held }) {
      expect(session.ports.hooks.resolve('turn').when).toMatchObject({ symbol: 'ETHUSDT' })
      await hours('2900', '2800', '2700', '2600')
      expect(await held()).toEqual([])
      await hours('2950')
      expect(await held()).toEqual(['long 0.03 ETHUSDT'])
    },
  },
}

describe('a recipe', () => {
  it('is played, each of them', () => {
    expect([...recipes.keys()]).toEqual(Object.keys(PLAYS))
  })

  it.each([...recipes])('%s', async (title, lines) => {
    const stage = await createStage()
    const play = PLAYS[title]
    await play?.before?.(stage)
    for (const line of lines) {
      const run = stage.session.start(line)
      expect(await run.done, `${line}: ${run.lines.join('\n')}`).toBe(true)
    }
    await play?.after(stage)
  })
})
