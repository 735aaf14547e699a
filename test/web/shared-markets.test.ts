import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame } from '../../src/client/public.ts'
import { SharedMarkets } from '../../src/web/market-watches.ts'

type MarketFrame = Frame<'state:market'>
const BTC = { account: 'paper', symbol: 'BTCUSDT' }

/** Every watch that hookline was asked for, each to be told frames. */
function openMarkets() {
  const asked: {
    readonly interval: string | undefined
    isOver: boolean
    tell(frame: Partial<MarketFrame>): void
    refuse(error: string): void
  }[] = []
  const markets = new SharedMarkets({
    market({ interval }, onFrame, onRefused = () => {}) {
      const base = { ...BTC, t: 'state:market', id: '1', exchange: 'paper', interval: interval ?? '1m' } as const
      const watch = {
        interval,
        isOver: false,
        tell: (more: object) => onFrame({ ...base, ...more }),
        refuse: onRefused,
      }
      asked.push(watch)
      return () => {
        watch.isOver = true
      }
    },
  })
  const look = (watched: Parameters<typeof markets.market>[0]) => {
    const [frames, refusals]: [MarketFrame[], string[]] = [[], []]
    const end = markets.market(
      watched,
      (frame) => frames.push(frame),
      (error) => refusals.push(error),
    )
    return { frames, refusals, end }
  }
  return { markets, asked, look, open: () => asked.filter(({ isOver }) => !isOver).map(({ interval }) => interval) }
}

describe('markets of one page', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are watched once, whoever looks: the header alone, the chart with it, another interval, the header again', () => {
    const { asked, look, open } = openMarkets()
    const header = look(BTC)
    const hourly = look({ ...BTC, interval: '1h' })
    vi.runAllTimers()
    expect(asked.map(({ interval }) => interval)).toEqual(['1h'])
    asked[0]?.tell({ ticker: { last: '1' } as MarketFrame['ticker'] & object })
    expect([header.frames.length, hourly.frames.length]).toEqual([1, 1])
    hourly.end()
    const fiveMinutes = look({ ...BTC, interval: '5m' })
    expect(open()).toEqual(['5m'])
    asked[1]?.tell({})
    expect([header.frames.length, fiveMinutes.frames.length]).toEqual([2, 1])
    fiveMinutes.end()
    expect(open()).toEqual(['5m'])
    header.end()
    expect(open()).toEqual([])
  })

  it('are asked for without candles only where nobody wants candles', () => {
    const { look, open } = openMarkets()
    const header = look(BTC)
    expect(open()).toEqual([])
    vi.runAllTimers()
    expect(open()).toEqual([undefined])
    header.end()
    expect(open()).toEqual([])
    look(BTC).end()
    vi.runAllTimers()
    expect(open()).toEqual([])
  })

  it('are told whole to who comes later', async () => {
    const { asked, look } = openMarkets()
    look({ ...BTC, interval: '1h' })
    asked[0]?.tell({ candles: [[1, '1', '1', '1', '1', '1']], whole: true, staleSince: 5 })
    asked[0]?.tell({ candles: [[2, '2', '2', '2', '2', '2']] })
    const later = look(BTC)
    await Promise.resolve()
    const candles = [
      [1, '1', '1', '1', '1', '1'],
      [2, '2', '2', '2', '2', '2'],
    ]
    expect(later.frames).toMatchObject([{ candles, whole: true }])
    expect(later.frames[0]).not.toHaveProperty('staleSince')
    expect(asked).toHaveLength(1)
  })

  it('of two intervals at once are two watches', () => {
    const { look, open } = openMarkets()
    look({ ...BTC, interval: '1h' })
    look({ ...BTC, interval: '1d' })
    expect(open()).toEqual(['1h', '1d'])
  })

  it('that are refused tell all, and are asked for again by who comes next', () => {
    const { asked, look, open } = openMarkets()
    const first = look({ ...BTC, interval: '1h' })
    asked[0]?.refuse('no such account')
    expect(first.refusals).toEqual(['no such account'])
    look({ ...BTC, interval: '1h' })
    expect(open()).toEqual(['1h'])
    asked[1]?.tell({})
    expect(first.frames).toHaveLength(1)
  })

  it('show nothing of a connection that is gone', async () => {
    const { markets, asked, look } = openMarkets()
    look({ ...BTC, interval: '1h' })
    asked[0]?.tell({})
    markets.forget()
    const later = look(BTC)
    await Promise.resolve()
    expect(later.frames).toEqual([])
  })
})
