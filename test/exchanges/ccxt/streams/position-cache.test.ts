// What is held need not be asked for while nothing can have changed it.
import { describe, expect, it } from 'vitest'
import type { Position } from '../../../../src/exchange/order.ts'
import { PositionCache } from '../../../../src/exchanges/ccxt/streams/position-cache.ts'
import { createClock, flush } from './scripted-account.ts'

function stage() {
  const clock = createClock()
  const answers: ((rows: readonly Position[] | Error) => void)[] = []
  let isReported = true
  const held = new PositionCache({
    read: () =>
      new Promise((resolve, reject) => {
        answers.push((rows) => (rows instanceof Error ? reject(rows) : resolve(rows)))
      }),
    isReported: () => isReported,
    now: clock.now,
    after(ms, work) {
      const stop = clock.every(ms, () => {
        stop()
        work()
      })
    },
  })
  return {
    held,
    clock,
    answers,
    tell(next: boolean) {
      isReported = next
    },
    async answer(rows: readonly Position[] | Error) {
      answers.shift()?.(rows)
      await flush()
    },
  }
}

const LONG: Position = {
  symbol: 'BTCUSDT',
  side: 'long',
  amount: '1',
  entryPrice: '100',
  settle: 'USDT',
  notional: '100',
}

/** Read once, and asked about. */
async function known() {
  const staged = stage()
  const reading = staged.held.read()
  await staged.answer([LONG])
  await reading
  expect(staged.held.known()).toEqual([LONG])
  return staged
}

describe('what an account holds', () => {
  it('is known from the last reading, for 40 s', async () => {
    const { held, clock } = await known()
    await clock.advance(40_000)
    expect(held.known()).toEqual([LONG])
    await clock.advance(1)
    expect(held.known()).toBeUndefined()
  })

  it('is not known where fills are not told at once', async () => {
    const { held, tell } = await known()
    tell(false)
    expect(held.known()).toBeUndefined()
  })

  it('is not known from the moment that an order is sent until it was read after its answer', async () => {
    const { held, clock, answer } = await known()
    let arrive = (_: string): void => {}
    const sent = held.changing(() => new Promise<string>((resolve) => (arrive = resolve)))
    expect(held.known()).toBeUndefined()
    const before = held.read()
    await answer([LONG])
    await before
    expect(held.known()).toBeUndefined()
    arrive('placed')
    expect(await sent).toBe('placed')
    expect(held.known()).toBeUndefined()
    await clock.advance(10)
    await answer([])
    expect(held.known()).toEqual([])
  })

  it('is not known from a reading that a fill has overtaken', async () => {
    const { held, answer } = await known()
    const reading = held.read()
    held.changed()
    await answer([LONG])
    expect(await reading).toEqual([LONG])
    expect(held.known()).toBeUndefined()
  })

  it('is waited for where it is being read already', async () => {
    const { held, clock, answers, answer } = await known()
    held.changed()
    await clock.advance(10)
    const reading = held.known()
    expect(reading).toBeInstanceOf(Promise)
    expect(answers).toHaveLength(1)
    await answer([])
    expect(await reading).toEqual([])
  })

  it('is read once after the last of several fills', async () => {
    const { held, clock, answers } = await known()
    for (let fill = 0; fill < 5; fill += 1) {
      held.changed()
      await clock.advance(5)
    }
    expect(answers).toHaveLength(0)
    await clock.advance(5)
    expect(answers).toHaveLength(1)
  })

  it('is read again for who has asked about it, twice, and for nobody else', async () => {
    const { held, clock, answers, answer } = await known()
    let readings = 0
    for (let fill = 0; fill < 5; fill += 1) {
      held.changed()
      await clock.advance(10)
      readings += answers.length
      await answer([LONG])
    }
    expect(readings).toBe(2)
  })

  it('is not known after a reading that failed', async () => {
    const { held, clock, answer } = await known()
    held.changed()
    await clock.advance(10)
    await answer(new Error('no answer'))
    expect(held.known()).toBeUndefined()
  })
})

describe('before an order that adds', () => {
  const BUY = { symbol: 'BTCUSDT', side: 'buy' } as const
  const SELL = { symbol: 'BTCUSDT', side: 'sell' } as const
  const sent = async () => undefined

  it('what was read last serves after orders of its own side, which are read again behind it', async () => {
    const { held } = await known()
    await held.changing(sent, BUY)
    await held.changing(sent, { ...SELL, symbol: 'ETHUSDT' })
    expect(held.known()).toBeUndefined()
    expect(held.known(BUY)).toEqual([LONG])
    expect(held.known({ ...BUY, symbol: 'SOLUSDT' })).toEqual([LONG])
  })

  it.each([
    ['it goes against what is held', BUY, SELL],
    ['an order of the other side was sent since', SELL, BUY],
    ['something else was sent since', undefined, BUY],
  ])('what was read last does not serve where %s', async (_why, earlier, next) => {
    const { held } = await known()
    await held.changing(sent, earlier)
    expect(held.known(next)).toBeUndefined()
  })

  it('what was read last does not serve after an order that was sent while it was read again', async () => {
    const { held, answer } = await known()
    await held.changing(sent, BUY)
    const again = held.read()
    await held.changing(sent, SELL)
    expect(held.known(BUY)).toBeUndefined()
    await answer([LONG])
    await again
    expect(held.known(BUY)).toBeUndefined()
  })
})
