// What a preview says is what a paper account then does: the same orders in the same order, and a refusal where there is one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommandSession, createSession } from '../../../harness/commands/command-session.ts'
import type { PreviewOrder } from '../../../src/protocol/preview.ts'

const size = fc.constantFrom('$80', '$250', '$1000', '0.003', '0.02', '$1', '5%')
const symbol = fc.constantFrom('', ' BTCUSDT', ' ETHUSDT', ' BTCUSDT,ETHUSDT')
const where = fc.constantFrom('', ' at -1%', ' at +0.1% ioc', ' best po', ' at -3%', ' at +20%')
const clauses = fc.constantFrom('', ' stop -2%', ' stop -2% tp +4%', ' tp +3%')
const part = fc.constantFrom('', ' 50%', ' $100', ' 33%')

const entry = fc
  .tuple(fc.constantFrom('buy', 'sell'), size, symbol, where, clauses)
  .map(([side, ...rest]) => `${side} ${rest.join('')}`)
const one = fc.oneof(
  { weight: 4, arbitrary: entry },
  fc.tuple(symbol, part).map(([on, share]) => `close${on}${share}`),
  fc
    .tuple(fc.constantFrom('long', 'short'), fc.constantFrom('$100', '$700', '0.01'))
    .map((words) => `position ${words.join(' ')}`),
  fc.constantFrom(
    'position flat',
    'stop at -1%',
    'take at +2%',
    'stop buy $200 at +1%',
    'sell 50% reduce',
    'close all',
    'oco at +5% stop -5%',
  ),
  fc.constantFrom(
    'scale buy $900 into 3 from -1% to -2%',
    'swarm sell $600 into 3',
    'repeat 2 (buy $80)',
    'nonsense',
    'buy 100',
  ),
)

/** Chains too: each step is tried on what the steps before it leave. */
const named = fc.array(one, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('; '))
/** Where one step names a symbol and a later one does not, the line is refused: most chains are all of the symbol in focus. */
const step = fc.oneof(
  { weight: 1, arbitrary: named },
  { weight: 2, arbitrary: named.map((line) => line.replace(/ (?:BTC|ETH)USDT(?:,ETHUSDT)?/g, '')) },
)

/** Of orders that come at once: what protects an entry follows it, and is its clause in a preview. */
async function placed(session: CommandSession, from: number): Promise<readonly unknown[]> {
  return session.journal
    .slice(from)
    .map((line) => JSON.parse(line))
    .filter((line) => line.t === 'intent' && line.protects === undefined)
    .map(({ order }) => bare(order))
}

function bare(order: Record<string, unknown> | PreviewOrder) {
  const { symbol, side, type, amount, price, triggerPrice, takeProfitPrice, reduceOnly, postOnly, timeInForce } =
    order as PreviewOrder
  return { symbol, side, type, amount, price, triggerPrice, takeProfitPrice, reduceOnly, postOnly, timeInForce }
}

describe('a preview on a paper account', () => {
  it('lists the orders that the line then sends, and fails where it fails', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 3 }), step, async (before, line) => {
        const session = await createSession()
        await session.run(before.join(' || '))
        await session.settle()
        const from = session.journal.length
        const preview = await session.ports.preview({ command: line, source: 'web' })
        const { orders, errors } = preview
        expect(session.journal.length).toBe(from)
        const run = session.start(line, { source: 'web' })
        const succeeded = await run.done
        await session.settle()
        const told = JSON.stringify({ before, line, errors, lines: run.lines })
        const sent = await placed(session, from)
        compared += orders.length
        // What an order at once finds to trade with is its fate: where that is nothing, the rest of the line does not run.
        const isCut = run.lines.some((said) => said.includes(' unfilled (IOC)'))
        expect(isCut ? orders.slice(0, sent.length).map(bare) : orders.map(bare), told).toEqual(sent)
        if (!isCut) expect(preview.ok, told).toBe(succeeded)
      }),
      // An entry that only reduces has nothing to protect.
      { numRuns: 60, examples: [[['swarm sell $600 into 3; buy $80'], 'buy 5% stop -2%']] },
    )
    expect(compared).toBeGreaterThan(0)
  }, 60_000)

  it.each([
    [
      'buy 0.004 BTCUSDT stop -2%',
      'the buy reduces a short: nothing to protect',
      'the buy reduced a short: nothing to protect',
    ],
    [
      'buy 0.02 BTCUSDT stop -2%',
      'the buy closes 0.009 BTC and opens a long of 0.011 BTC',
      '0.009 of the buy closed a short: 0.011 to protect',
    ],
    ['buy 0.004 BTCUSDT at -1% stop -2%', undefined, undefined],
  ])('of %s into a short says what there is to protect, as the run does', async (line, note, said) => {
    const session = await createSession()
    await session.run('sell 0.009 BTCUSDT')
    const { notes, orders, ok } = await session.ports.preview({ command: line, source: 'web' })
    expect([notes, ok]).toEqual([note === undefined ? [] : [note], true])
    expect(orders[0]?.stop === undefined).toBe(note?.includes('nothing to protect') === true)
    const lines = await session.run(line, { source: 'web' })
    expect(lines.filter((each) => each.includes('to protect'))).toEqual(
      said === undefined ? [] : [expect.stringContaining(said)],
    )
  })
})
