// The end of a stop that a command of this process brings about is one line: its own, and none of the run that placed the stop.
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

const ENTRY = 'buy 0.02 stop -1% tp +4%'

it.each([
  ['cancel', /^success canceled order p2: stop sell/],
  ['cancel all', /^success canceled order p2: stop sell/],
  ['cancel p2', /^success canceled order p2: stop sell/],
  ['stop at -2% replace', /^success canceled order p2: stop sell/],
  ['oco at +5% stop -2% replace', /^success canceled order p2: stop sell/],
  ['flip', /^info stop p2 \(sell .+\) ended with the long$/],
])('%s reports the stop once', async (line, reported) => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  const before = entry.lines.length
  const run = session.start(line)
  await run.done
  await session.advance(3_000)
  expect(run.lines.filter((each) => reported.test(each))).toHaveLength(1)
  expect(entry.lines.slice(before)).toEqual([])
})

it('flip reports a stop once that was placed by itself', async () => {
  const session = await createSession()
  await session.run('sell 0.02')
  const stop = session.start('stop at +2%')
  await stop.done
  const flip = session.start('flip')
  await flip.done
  await session.advance(3_000)
  expect(
    [...stop.lines, ...flip.lines].filter((each) => /stop p2 \(.+\) ended with the short/.test(each)),
  ).toHaveLength(1)
})

it.each(['close', 'position flat'])('%s leaves the line to the run that placed the stop', async (line) => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  const run = session.start(line)
  await run.done
  await session.advance(3_000)
  expect(run.lines.join('\n')).not.toContain('p2')
  expect(entry.lines.filter((each) => /stop p2 \(.+\) ended with the long/.test(each))).toHaveLength(1)
})

it('the end of a stop that a flip has only worked out is still reported', async () => {
  const session = await createSession()
  const entry = session.start(ENTRY)
  await entry.done
  await session.run('flip --dry')
  await session.run('close')
  await session.advance(3_000)
  expect(entry.lines.filter((each) => /stop p2 \(.+\) ended with the long/.test(each))).toHaveLength(1)
})

describe('what a change fills by going through the market', () => {
  it.each(['move BTCUSDT to +1% --far', 'amend BTCUSDT at +1% --far'])('%s reports once', async (line) => {
    const session = await createSession()
    const entry = session.start('buy 0.01 BTCUSDT at -2%')
    await entry.done
    const change = session.start(line)
    await change.done
    await session.advance(3_000)
    const reported = [...entry.lines, ...change.lines].filter((each) => each.includes('bought 0.01 BTCUSDT'))
    expect(reported).toEqual([expect.stringMatching(/^success order p1 went through the market: bought 0\.01 /)])
  })

  it('leaves what fills after it to the run that placed the order', async () => {
    const session = await createSession()
    const entry = session.start('buy 0.1 BTCUSDT at -2%')
    await entry.done
    await session.market.exchange.paper.setFaults({ partialFills: 1 })
    const change = session.start('move BTCUSDT to +1% --far')
    await change.done
    await session.advance(10_000)
    const amounts = [...change.lines, ...entry.lines].flatMap((each) => /bought (\S+) BTCUSDT/.exec(each)?.[1] ?? [])
    expect(amounts.length).toBeGreaterThan(1)
    expect(Decimal.sum(...amounts).toFixed()).toBe('0.1')
  })

  it('leaves a fill of before to the run that placed the order where the change is refused', async () => {
    const session = await createSession({
      exchange: (paper) => ({
        ...paper,
        async editOrder() {
          session.market.setPrice('BTCUSDT', '63000')
          await session.market.advance(1_000)
          return { kind: 'refused', error: new ExchangeError('order-not-found', 'it has filled') }
        },
      }),
    })
    const entry = session.start('buy 0.01 BTCUSDT at -2%')
    await entry.done
    const change = session.start('move BTCUSDT to -1%')
    expect(await change.done).toBe(false)
    await session.advance(3_000)
    expect(entry.lines.filter((each) => each.includes('bought 0.01 BTCUSDT'))).toHaveLength(1)
  })
})
