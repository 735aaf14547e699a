// Whatever gets lost, comes twice or comes late: each fill is told once, no ended order opens again, and in the end all is told.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../../harness/tiers/runs.ts'
import type { OwnStreams } from '../../../../src/exchanges/ccxt/streams/own-streams.ts'
import { startAccount } from './scripted-account.ts'

type Step =
  | { readonly kind: 'place' | 'cancel' | 'ack'; readonly order: number }
  | { readonly kind: 'fill'; readonly order: number; readonly tells: number }
  | { readonly kind: 'late' | 'drop' | 'fail' | 'mend' }
  | { readonly kind: 'wait'; readonly ms: number }

const order = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('place' as const, 'cancel' as const, 'ack' as const), order }),
  fc.record({ kind: fc.constant('fill' as const), order, tells: fc.nat(7) }),
  fc.record({ kind: fc.constantFrom('late' as const, 'drop' as const, 'fail' as const, 'mend' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(4_000) }),
)

async function play(steps: readonly Step[], own: OwnStreams) {
  // What was opened in a gap, by whomever, is found by what is held.
  const venue = startAccount({ tellsPositions: true, own })
  const { account, clock, orders, hold, orderStream, tradeStream, rest } = venue
  await venue.listen()
  /** What a stream has said, and may say again. */
  const said: (() => void)[] = []
  const say = (act: () => void): void => {
    said.push(act)
    act()
  }
  const acts: { readonly [Kind in Step['kind']]: (step: Step) => void } = {
    place: (at) => change(at, (held) => held ?? venue.order({ id: idOf(at), amount: '4' })),
    ack: (at) => {
      const held = orders.get(idOf(at))
      if (held !== undefined) account.note(held)
    },
    cancel: (at) =>
      change(at, (held) => held && { ...held, status: held.status === 'open' ? 'canceled' : held.status }),
    fill(at) {
      const held = orders.get(idOf(at))
      if (held?.status !== 'open' || at.kind !== 'fill') return
      const filled = Number(held.filled) + 1
      const next = { ...held, filled: `${filled}`, remaining: `${4 - filled}` }
      const trade = venue.trade({ id: `${held.id}-${filled}`, orderId: held.id })
      hold(filled === 4 ? { ...next, status: 'closed' as const } : next, trade)
      const now = orders.get(held.id)
      if ((at.tells & 1) > 0) say(() => tradeStream.say(trade))
      if ((at.tells & 2) > 0) say(() => orderStream.say(now))
      if ((at.tells & 4) > 0) say(() => tradeStream.say(trade))
    },
    late: () => said.at(said.length >> 1)?.(),
    drop: () => venue.dropAll(),
    fail() {
      rest.failure = new Error('no network')
    },
    mend() {
      rest.failure = undefined
    },
    wait: () => {},
  }
  function change(at: Step, next: (held: ReturnType<typeof venue.order> | undefined) => typeof held): void {
    const held = orders.get(idOf(at))
    const now = next(held)
    if (now === undefined || now === held) return
    hold(now)
    say(() => orderStream.say(now))
  }
  for (const each of steps) {
    acts[each.kind](each)
    await clock.advance(each.kind === 'wait' ? each.ms : 1)
  }
  rest.failure = undefined
  await clock.advance(120_000)
  return venue
}

function idOf(step: Step): string {
  return 'order' in step ? `o${step.order}` : ''
}

const KINDS: readonly (readonly [name: string, own: OwnStreams])[] = [
  ['whose rows are whole', { orders: [{}], fills: [{}], triggers: 'streamed', isProven: true }],
  ['whose rows are hints', { orders: [{ isHint: true }], fills: [{ isHint: true }], triggers: 'streamed' }],
  ['of orders alone', { orders: [{ isHint: true }], fills: [], triggers: 'streamed' }],
]

describe.each(KINDS)('the streams of an account, %s, whatever gets lost, comes twice or comes late', (_name, own) => {
  it('tell each fill once and each order to its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { account, events, orders, trades } = await play(steps, own)
        const fills = events.flatMap((event) => (event.type === 'trade' ? [event.trade.id] : []))
        expect([...fills].sort()).toEqual(trades.map(({ id }) => id).sort())
        for (const { id, status, filled } of orders.values()) {
          const told = events.flatMap((event) => (event.type === 'order' && event.order.id === id ? [event.order] : []))
          // One that came and went in a gap and filled nothing is in no answer of the venue.
          if (told.length > 0 || status === 'open' || filled !== '0') {
            expect(told.at(-1)).toMatchObject({ status, filled })
          }
          const ended = told.findIndex((each) => each.status !== 'open')
          expect(told.slice(ended === -1 ? told.length : ended).every((each) => each.status !== 'open')).toBe(true)
          expect(told.map((each) => Number(each.filled))).toEqual(told.map((each) => Number(each.filled)).sort())
        }
        const states = events.flatMap((event) => (event.type === 'stream' ? [event.state] : []))
        expect(states).toEqual(states.map((_, at) => (at % 2 === 0 ? 'stale' : 'resynced')))
        expect([account.state, states.length % 2]).toEqual(['live', 0])
      }),
      { numRuns: runsOf(200) },
    )
  })
})
