// The unmodified class of ccxt over real sockets that break: what it leaves behind, what it keeps alive, and what an account hears all the same.
import { afterEach, describe, expect, it } from 'vitest'
import type { StartedVenue } from './binance-sockets.ts'
import { startData, startVenue } from './binance-sockets.ts'

const started: StartedVenue[] = []
afterEach(async () => {
  for (const venue of started.splice(0)) await venue.stop()
})

async function start(): Promise<StartedVenue> {
  const venue = await startVenue()
  started.push(venue)
  venue.exchange.subscribe((event) => venue.events.push(event))
  await expect.poll(() => venue.sockets(), { interval: 5 }).toBe(1)
  await isLive(venue)
  return venue
}

/** Live, with a socket, and nothing of the last gap left. */
async function isLive(venue: StartedVenue): Promise<void> {
  await expect.poll(() => [venue.exchange.stream, venue.sockets()], { interval: 5 }).toEqual(['live', 1])
}

/** A loss after so long, on the clock of the account, is a first one: sooner ones are taken for a venue that cannot be streamed. */
const STABLE_MS = 31_000

async function passes({ now }: StartedVenue, ms: number): Promise<void> {
  const until = now() + ms
  await expect.poll(now, { interval: 5 }).toBeGreaterThan(until)
}

/**
 * Cuts all connections once the account is live, and waits until it has noticed: it is stale, or it listens anew. An account that does not
 * rely on its stream, since a look has just found what the stream had not told yet, asks as if there were none and need not become stale.
 */
async function lose(venue: StartedVenue): Promise<void> {
  let before: { readonly gaps: number; readonly opened: number } | undefined
  const cut = () => {
    // In the turn in which it is live: one that silence has made stale reports no second gap.
    if (before === undefined && venue.exchange.stream === 'live' && venue.sockets() === 1) {
      before = { gaps: gapsOf(venue), opened: venue.opened() }
      venue.cut()
    }
    return before
  }
  await expect.poll(cut, { interval: 2 }).toBeDefined()
  const has = (count: number, more: number | undefined) => more !== undefined && count > more
  await expect
    .poll(() => has(gapsOf(venue), before?.gaps) || has(venue.opened(), before?.opened), { interval: 2 })
    .toBe(true)
}

const gapsOf = ({ events }: StartedVenue) =>
  events.filter((event) => event.type === 'stream' && event.state === 'stale').length
const fillsOf = ({ events }: StartedVenue) =>
  events.flatMap((event) => (event.type === 'trade' ? [event.trade.id] : []))
const endsOf = ({ events }: StartedVenue) =>
  events.flatMap((event) => (event.type === 'order' && event.order.status === 'closed' ? [event.order.id] : []))

/** What keeps the process running, by kind. */
function whatKeepsAlive(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const REFERRED = ['Timeout', 'TCPSocketWrap', 'TCPServerWrap'] as const
const counted = () => REFERRED.map((kind) => whatKeepsAlive()[kind] ?? 0)

describe('an account on real sockets', () => {
  it('hears a fill once, however often the stream tells it', async () => {
    const venue = await start()
    venue.place(1)
    venue.fill(1, 3)
    await expect.poll(() => endsOf(venue)).toEqual(['1'])
    expect(fillsOf(venue)).toEqual(['100001'])
  })

  it('hears what was filled in a gap when it is live again', async () => {
    const venue = await start()
    venue.place(1)
    await expect.poll(() => venue.events.length).toBe(1)
    venue.refuse(true)
    await lose(venue)
    venue.fill(1, 0)
    venue.refuse(false)
    await isLive(venue)
    expect([fillsOf(venue), endsOf(venue)]).toEqual([['100001'], ['1']])
    const states = venue.events.flatMap((event) => (event.type === 'stream' ? [event.state] : []))
    expect(states).toEqual(['stale', 'resynced'])
  })

  it('says why the stream was lost, once', async () => {
    const venue = await start()
    await lose(venue)
    await isLive(venue)
    expect(venue.problems).toHaveLength(1)
    expect(JSON.stringify(venue.problems.map(String))).not.toMatch(/listenKey|key\d/)
  })
})

describe('fifty lost connections', () => {
  it('leave no socket, subscription or timer behind, and not one fill is missing or told twice', async () => {
    const venue = await start()
    venue.place(1)
    await expect.poll(() => venue.events.length).toBe(1)
    await lose(venue)
    await isLive(venue)
    const before = { kept: venue.kept(), alive: counted(), listeners: process.listenerCount('warning') }
    const expected = ['1']
    for (let round = 2; round <= 51; round += 1) {
      venue.place(round)
      expected.push(`${round}`)
      if (round % 3 === 0) venue.fill(round - 1, 2)
      await lose(venue)
      if (round % 3 !== 0) venue.fill(round - 1, 0)
      await isLive(venue)
      await passes(venue, STABLE_MS)
    }
    venue.fill(51, 1)
    await expect.poll(() => endsOf(venue).length, { interval: 20 }).toBe(51)
    expect([...fillsOf(venue)].sort()).toEqual(expected.map((id) => String(100_000 + Number(id))).sort())
    expect([...endsOf(venue)].sort()).toEqual([...expected].sort())
    // Nearly each was a gap: the account relied on its stream.
    expect(gapsOf(venue)).toBeGreaterThan(40)
    expect(venue.sockets()).toBe(1)
    expect(venue.kept()).toEqual(before.kept)
    expect(process.listenerCount('warning')).toBe(before.listeners)
    // Each of them may be one more at the moment of looking: a look at the account is under way.
    for (const [index, count] of counted().entries()) expect(count).toBeLessThanOrEqual((before.alive[index] ?? 0) + 1)
  })
})

describe('prices on real sockets', () => {
  it('are told as they come, with the book, and go on after lost connections', async () => {
    const venue = await startData()
    const heard = () => ({
      last: venue.events.flatMap((event) => (event.type === 'ticker' ? [event.ticker.last] : [])).at(-1),
      bid: venue.events.flatMap((event) => (event.type === 'book' ? [event.book.bids[0]] : [])).at(-1),
    })
    const states = () => venue.events.flatMap((event) => (event.type === 'stream' ? [event.state] : []))
    await expect.poll(states).toEqual(['live'])
    await expect.poll(() => venue.sockets()).toBeGreaterThan(1)
    for (let round = 1; round <= 4; round += 1) {
      await expect
        .poll(
          () => {
            venue.price(`${56_000 + round}`)
            return heard().last
          },
          { interval: 5 },
        )
        .toBe(`${56_000 + round}`)
      venue.cut()
      await expect.poll(() => venue.sockets(), { interval: 5 }).toBeGreaterThan(1)
    }
    await venue.stop()
    // The venue's side of a connection ends a turn or two after ours.
    await expect.poll(() => venue.sockets(), { interval: 5 }).toBe(0)
    expect(states()).not.toContain('stale')
  })

  it('have a book that follows its changes', async () => {
    const venue = await startData()
    await expect.poll(() => venue.sockets()).toBeGreaterThan(1)
    let from = 10
    await expect
      .poll(
        () => {
          venue.level(from, '7')
          from += 1
          return venue.events.some((event) => event.type === 'book' && event.book.bids[0]?.[1] === '7')
        },
        { interval: 20 },
      )
      .toBe(true)
    await venue.stop()
  })
})

describe('the end of an account', () => {
  it.each(['up', 'down'] as const)(
    'leaves nothing that keeps the process alive while its stream is %s',
    async (state) => {
      const idle = await startVenue()
      await idle.stop()
      const before = counted()
      const venue = await start()
      if (state === 'down') {
        venue.refuse(true)
        // It may be live again at once, by asking: that it has noticed is told.
        await lose(venue)
      }
      await venue.stop()
      started.length = 0
      expect(venue.sockets()).toBe(0)
      // Sockets that were destroyed are gone some turns later, and so are the timers of this very test.
      const left = before.map(() => Number.POSITIVE_INFINITY)
      for (let turn = 0; turn < 100; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve))
        for (const [index, count] of counted().entries()) left[index] = Math.min(left[index] ?? count, count)
      }
      expect(left.map((count, index) => count - (before[index] ?? 0)).filter((more) => more > 0)).toEqual([])
    },
  )
})
