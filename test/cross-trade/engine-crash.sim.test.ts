// A process that dies at any point of its writing and sending: the next one finds out what became of every order before it plans anything.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CopierStage,
  copierOf,
  rowOf,
  type StagedEngine,
  stageCopier,
  withOrders,
} from '../../harness/cross-trade/copier-stage.ts'

/** In thousandths of a coin; the second copier trades the other way. */
type Trades = readonly number[]
const ROW = rowOf({ copiers: [copierOf({ weight: 0.7 }), copierOf({ account: 'other', weight: -1 })] })

/** An engine that dies at the point of its input and output that is counted to. */
async function startMortal(
  stage: CopierStage,
  diesAt: number,
): Promise<{ engine: StagedEngine; points: () => number }> {
  let points = 0
  const dead = new Promise<never>(() => {})
  let engine: StagedEngine | undefined
  /** @returns whether the process goes on */
  const pass = (): boolean => {
    points += 1
    if (points === diesAt) engine?.kill()
    return points < diesAt
  }
  const guarded = async <T>(act: () => Promise<T>): Promise<T> => {
    if (!pass()) return dead
    const result = await act()
    return pass() ? result : dead
  }
  engine = stage.start({
    file: (file) => ({
      ...file,
      append: (lines) => guarded(() => file.append(lines)),
      note: (lines) => guarded(() => file.note(lines)),
    }),
    exchange: (paper) => withOrders(paper, (request, context) => guarded(() => paper.createOrder(request, context))),
  })
  await stage.advance(1_500)
  return { engine, points: () => points }
}

/** Plays the trades with a process that dies at each of these points, one after the other. @returns how many points the last one passed */
async function play(trades: Trades, crashes: readonly number[]): Promise<{ stage: CopierStage; passed: number }> {
  const stage = stageCopier({ rows: [ROW] })
  // The row begins before anything is traded.
  const first = await stage.started()
  first.kill()
  const points = [...crashes]
  let diesAt = points.shift() ?? Number.POSITIVE_INFINITY
  let running = await startMortal(stage, diesAt)
  /** @returns whether there is another process now */
  const restart = async (): Promise<boolean> => {
    if (running.points() < diesAt) return false
    diesAt = points.shift() ?? Number.POSITIVE_INFINITY
    running = await startMortal(stage, diesAt)
    return true
  }
  for (const amount of trades) {
    if (amount !== 0) await stage.trade('master', amount > 0 ? 'buy' : 'sell', decimal(amount))
    await stage.advance(300)
    await restart()
  }
  // What never arrived is only known not to be there after a minute.
  do await stage.advance(70_000, 5_000)
  while (await restart())
  expect(running.engine.problems).toEqual([])
  return { stage, passed: running.points() }
}

/** `-1500` → `1.5`. */
function decimal(thousandths: number): string {
  return (Math.abs(thousandths) / 1000).toFixed(3).replace(/\.?0+$/, '')
}

async function expectInStep(stage: CopierStage, trades: Trades): Promise<void> {
  const master = trades.reduce((sum, amount) => sum + amount, 0)
  expect(Math.round(Number(await stage.position('master')) * 1000)).toBe(master)
  expect(Math.round(Number(await stage.position('copier')) * 1000)).toBe(Math.trunc((master * 7) / 10) + 0)
  expect(Math.round(Number(await stage.position('other')) * 1000)).toBe(-master + 0)
  expect(new Set(stage.sent).size).toBe(stage.sent.length)
}

describe('a crash', () => {
  it('at any line, before and after each order, doubles none and loses none', async () => {
    const trades = [1000, -2500]
    const { stage, passed } = await play(trades, [])
    await expectInStep(stage, trades)
    expect(passed).toBeGreaterThan(20)
    for (let point = 1; point <= passed; point += 1) {
      const { stage: crashed } = await play(trades, [point])
      await expectInStep(crashed, trades)
    }
  })

  it('of one process after the other, at any trades of the master, doubles none and loses none', async () => {
    const trade = fc.integer({ min: -2000, max: 2000 }).filter((amount) => amount === 0 || Math.abs(amount) > 10)
    await fc.assert(
      fc.asyncProperty(
        fc.array(trade, { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
        async (trades, crashes) => expectInStep((await play(trades, crashes)).stage, trades),
      ),
      { numRuns: 15 },
    )
  })
})
