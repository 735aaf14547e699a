// A symbol's market, and an account's portfolio, that somebody looks at without changing the focus.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { TAPE_TRADES } from '../../../src/exchange/market.ts'
import { type Frame, WIRE_LIMITS } from '../../../src/protocol/frames.ts'

async function start(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options)
  const client = await WsClient.welcomed(app)
  const type = (command: string) => app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
  return { app, client, type }
}

/** Frames until one of them has it. */
async function until(client: WsClient, has: (frame: Frame<'state:market'>) => boolean) {
  for (;;) {
    const frame = await client.nextFrame('state:market')
    if (has(frame)) return frame
  }
}

describe('market:watch', () => {
  it('tells price, history, the candle that forms, the book and the last 24 hours, and what can be traded', async () => {
    const { client } = await start()
    client.send({ t: 'market:watch', id: 'w', symbol: 'BTCUSDT', interval: '5m' })
    const seen: Frame<'state:market'>[] = []
    await until(client, (frame) => {
      seen.push(frame)
      return ['market', 'ticker', 'book', 'candles', 'day'].every((part) =>
        seen.some((each) => Object.hasOwn(each, part)),
      )
    })
    for (const { id, account, exchange, symbol, interval } of seen.filter((frame) => frame.exchange !== ''))
      expect([id, account, exchange, symbol, interval]).toEqual(['w', 'paper', 'paper', 'BTCUSDT', '5m'])
    const history = seen.find(({ whole }) => whole)?.candles ?? []
    expect(history).toHaveLength(WIRE_LIMITS.candles)
    for (const [index, [at]] of history.entries()) expect(at - (history[index - 1]?.[0] ?? at - 300_000)).toBe(300_000)
    expect(seen.find(({ market }) => market)?.market).toMatchObject({ base: 'BTC', quote: 'USDT', tick: '0.1' })
    const day = seen.find((frame) => frame.day)?.day
    expect([Number(day?.low), Number(day?.open), Number(day?.high)]).toEqual(
      [Number(day?.low), Number(day?.open), Number(day?.high)].sort((x, y) => x - y),
    )
    const book = seen.find((frame) => frame.book)?.book
    expect([book?.bids.length, book?.asks.length]).toEqual([WIRE_LIMITS.bookLevels, WIRE_LIMITS.bookLevels])
    expect(Number(book?.bids[0]?.[0])).toBeLessThan(Number(book?.asks[0]?.[0]))
    const next = await until(client, ({ candles, whole }) => candles !== undefined && whole === undefined)
    expect(next.candles?.at(-1)?.[4]).toBe(next.ticker?.last)
    expect(next.candles?.length).toBeLessThanOrEqual(3)
  })

  it('tells the trades of others too where they are asked for, and never else', async () => {
    const { client } = await start()
    client.send({ t: 'market:watch', id: 'plain', symbol: 'BTCUSDT' })
    client.send({ t: 'market:watch', id: 'w', symbol: 'BTCUSDT', tape: true })
    const seen: Frame<'state:market'>[] = []
    await until(client, (frame) => seen.push(frame) > 0 && seen.filter(({ tape }) => tape !== undefined).length === 2)
    expect(seen.filter(({ tape }) => tape !== undefined).map(({ id }) => id)).toEqual(['w', 'w'])
    const tapes = seen.flatMap(({ tape }) => (tape === undefined ? [] : [tape]))
    for (const tape of tapes) {
      expect(tape).toHaveLength(TAPE_TRADES)
      expect(tape.map(([at]) => at)).toEqual(tape.map(([at]) => at).sort((x, y) => x - y))
    }
    // What is new comes to what was known.
    expect(tapes[1]?.slice(0, 10)).toEqual(tapes[0]?.slice(-TAPE_TRADES + 1).slice(0, 10))
  })

  it('tells the candles of a replay alone: none from before it began, and all anew as another one begins', async () => {
    const { client, type } = await start()
    const file = join(tempDirectory(onTestFinished), 'mine.csv')
    writeFileSync(file, '1767614400,100,110,90,105\n1767614460,105,110,100,108\n')
    const begin = Date.now()
    await type(`paper replay "${file}" --background`)
    client.send({ t: 'market:watch', id: 'w', account: 'replay', symbol: 'BTCUSDT', interval: '1m' })
    const first = await until(client, ({ whole }) => whole === true)
    expect(first.replayedSince).toBeGreaterThanOrEqual(begin)
    expect(first.candles?.every(([at]) => at + 60_000 > begin)).toBe(true)
    await type(`paper replay "${file}" --background`)
    const second = await until(client, ({ replayedSince }) => replayedSince !== first.replayedSince)
    const anew = second.whole === true ? second : await until(client, ({ whole }) => whole === true)
    expect(anew.replayedSince).toBeGreaterThan(first.replayedSince ?? 0)
    client.send({ t: 'market:watch', id: 'p', account: 'paper', symbol: 'BTCUSDT' })
    expect((await until(client, ({ id, whole }) => id === 'p' && whole === true)).replayedSince).toBeUndefined()
  })

  it('comes at most four times a second for each watch, and only while it is watched', async () => {
    const { client } = await start()
    client.send({ t: 'market:watch', id: 'w', symbol: 'BTCUSDT' })
    await until(client, ({ book }) => book !== undefined)
    const begin = performance.now()
    for (let n = 0; n < 6; n += 1) await client.nextFrame('state:market')
    expect(performance.now() - begin).toBeGreaterThanOrEqual(4 * WIRE_LIMITS.marketMs)
    client.send({ t: 'market:unwatch', id: 'w' })
    await client.settled()
    const count = client.received.length
    client.send({ t: 'market:watch', id: 'v', symbol: 'ETHUSDT' })
    await until(client, ({ id }) => id === 'v')
    expect(client.received.slice(count).filter((text) => text.includes('"id":"w"'))).toEqual([])
  })

  it('shares one look among all who watch the same, and gives who comes later all of it', async () => {
    const { app, client } = await start()
    client.send({ t: 'market:watch', id: 'a', symbol: 'BTCUSDT' })
    await until(client, ({ whole }) => whole === true)
    const late = await WsClient.welcomed(app)
    late.send({ t: 'market:watch', id: 'b', symbol: 'btcusdt' })
    const first = await late.nextFrame('state:market')
    expect(first).toMatchObject({ id: 'b', whole: true, ticker: {}, market: {} })
    expect(first.candles?.length).toBe(WIRE_LIMITS.candles)
  })

  it('says that it is stale since when, why there is nothing, and goes on by itself', async () => {
    const { client, type } = await start()
    client.send({ t: 'market:watch', id: 'w', symbol: 'BTCUSDT' })
    await until(client, ({ ticker }) => ticker !== undefined)
    await type('paper faults gap 2')
    const stale = await until(client, ({ staleSince }) => staleSince !== undefined)
    expect(stale.staleSince).toBeLessThanOrEqual(Date.now())
    await until(client, ({ staleSince, ticker }) => staleSince === undefined && ticker !== undefined)
    client.send({ t: 'market:watch', id: 'x', symbol: 'NOSUCHUSDT' })
    const none = await until(client, ({ id }) => id === 'x')
    expect(none.problem).toMatch(/NOSUCHUSDT/)
    client.send({ t: 'market:watch', id: 'y', symbol: 'BTCUSDT', account: 'nobody' })
    expect((await until(client, ({ id }) => id === 'y')).problem).toMatch(/no account nobody found/)
  })

  it('is refused beyond so many, with hidden accounts, and to strangers; a watch that is named again takes its place', async () => {
    const { app, client } = await start()
    for (let n = 0; n < WIRE_LIMITS.marketsPerSession; n += 1)
      client.send({ t: 'market:watch', id: `w${n}`, symbol: 'BTCUSDT' })
    client.send({ t: 'market:watch', id: 'w0', symbol: 'ETHUSDT' })
    client.send({ t: 'market:watch', id: 'over', symbol: 'BTCUSDT' })
    expect(await client.nextFrame('error')).toEqual({
      t: 'error',
      id: 'over',
      error: `more than ${WIRE_LIMITS.marketsPerSession} markets of this session are watched`,
    })
    await until(client, ({ id, symbol }) => id === 'w0' && symbol === 'ETHUSDT')
    const stranger = await WsClient.hello({ label: 'stranger' })
    stranger.send({ t: 'market:watch', id: 's', symbol: 'BTCUSDT' })
    app.writeConfig({ listener: { accountSync: false } })
    const ended = new Set<string | undefined>()
    while (ended.size < WIRE_LIMITS.marketsPerSession) {
      const { id, error } = await client.nextFrame('error')
      expect(error).toBe('accountSync disabled')
      ended.add(id)
    }
    client.send({ t: 'market:watch', id: 'no', symbol: 'BTCUSDT' })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'no', error: 'accountSync disabled' })
    await stranger.settled()
    expect(stranger.received).toEqual([])
  })
})

describe('portfolio:watch', () => {
  it('tells of an account that is not in focus, under its id, and leaves the focus as it is', async () => {
    const { app, client } = await start()
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    client.send({ t: 'subscribe', topics: ['focus'] })
    client.send({ t: 'portfolio:watch', id: 'p', account: 'second', symbol: 'ETHUSDT' })
    const empty = await client.nextFrame('state:portfolio')
    expect(empty).toMatchObject({ id: 'p', account: 'second', symbol: 'ETHUSDT', positions: [] })
    client.send({ t: 'cmd:exec', id: 'c', command: 'buy 0.5', account: 'second', symbol: 'ETHUSDT' })
    let frame = await client.nextFrame('state:portfolio')
    while (frame.positions.length === 0) frame = await client.nextFrame('state:portfolio')
    expect(frame.positions).toMatchObject([{ symbol: 'ETHUSDT', amount: '0.5', leverage: expect.any(String) }])
    expect(await client.nextFrame('state:focus')).toMatchObject({ account: 'paper', symbol: 'BTCUSDT' })
    expect(client.untaken.filter(({ t }) => t === 'state:focus')).toEqual([])
    client.send({ t: 'portfolio:unwatch', id: 'p' })
    await client.settled()
    const count = client.received.length
    client.send({ t: 'cmd:exec', id: 'd', command: 'close', account: 'second', symbol: 'ETHUSDT' })
    await client.nextFrame('cmd:done')
    await client.nextFrame('cmd:done')
    expect(client.received.slice(count).filter((text) => text.includes('state:portfolio'))).toEqual([])
  })

  it('says once why an account does not answer: what the page names is what its command meets', async () => {
    const { app, client } = await start()
    await app.app.ports.accounts.add({ name: 'dead', exchange: 'bitmex', apiKey: 'k', secret: 's' })
    client.send({ t: 'portfolio:watch', id: 'p', account: 'dead' })
    const { id, error } = await client.nextFrame('error')
    expect([id, error]).toEqual(['p', expect.stringContaining('account dead is on bitmex')])
    client.send({ t: 'cmd:exec', id: 'c', command: 'buy $100', account: 'dead' })
    const done = await client.nextFrame('cmd:done')
    expect(done).toMatchObject({ id: 'c', success: false, error })
    expect(client.received.filter((text) => text.includes('state:portfolio'))).toEqual([])
  })

  it('is refused beyond so many and with hidden accounts', async () => {
    const { app, client } = await start()
    for (let n = 0; n <= WIRE_LIMITS.portfoliosPerSession; n += 1) client.send({ t: 'portfolio:watch', id: `p${n}` })
    expect(await client.nextFrame('error')).toMatchObject({ id: `p${WIRE_LIMITS.portfoliosPerSession}` })
    app.writeConfig({ listener: { accountSync: false } })
    for (let n = 0; n < WIRE_LIMITS.portfoliosPerSession; n += 1)
      expect(await client.nextFrame('error')).toMatchObject({ error: 'accountSync disabled' })
  })
})
