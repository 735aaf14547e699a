// A stop and a take-profit of one entry, step by step: what either has closed the other covers no longer, on both sides and on spot (behaviour 38).
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { Order, Side } from '../../src/exchange/order.ts'
import {
  MAX_ATTEMPTS,
  type ProtectionPlan,
  type ProtectiveRole,
  protectiveOrderId,
} from '../../src/trading/order-plan.ts'
import {
  attachedOrders,
  beginProtection,
  type Effect,
  neededOf,
  type ProtectedEntry,
  type ProtectionEvent,
  type ProtectionState,
  stepProtection,
} from '../../src/trading/protection-state.ts'

const AT = 1_000_000
const ID = '0123456789abcdef0123456700000000'
const PAIR = { triggerPrice: '90', takeProfitPrice: '120', fires: 'at-or-below' } as const
const SHORT = { triggerPrice: '120', takeProfitPrice: '90', fires: 'at-or-above' } as const

interface Venue {
  readonly kind?: 'spot' | 'linear'
  readonly oco?: boolean
  readonly editOrder?: boolean
  readonly editTypes?: readonly ('stop' | 'take-profit')[]
  readonly attached?: 'when-filled' | 'when-over'
}

type Protectors = NonNullable<ProtectedEntry['protectors']>

function begin(plan: ProtectionPlan, venue: Venue = {}, side: Side = 'buy', protectors?: Protectors): ProtectionState {
  const { kind = 'linear', oco = false, editOrder = true, ...more } = venue
  const entry: ProtectedEntry = {
    id: ID,
    at: 0,
    account: 'paper',
    venue: 'paper',
    by: { source: 'repl', runId: 'r', step: 0 },
    order: { symbol: 'BTCUSDT', side, type: 'market', amount: '10' },
    ...(protectors === undefined ? {} : { protectors }),
  }
  return beginProtection(entry, plan, { kind, capabilities: { oco, editOrder, ...more } }, 0)
}

function order(id: string, more: Partial<Order> = {}): Order {
  const amounts = { amount: '10', filled: '0', remaining: '10' }
  const flags = { reduceOnly: true, postOnly: false, status: 'open', timestamp: 0 } as const
  return { id, symbol: 'BTCUSDT', side: 'sell', type: 'stop', ...amounts, ...flags, ...more }
}

function shown(effect: Effect): string {
  const of = 'role' in effect ? `${effect.role} ` : ''
  if (effect.type === 'send') {
    const { side, type, amount, triggerPrice = 'now', takeProfitPrice, reduceOnly } = effect.order
    const prices = takeProfitPrice === undefined ? triggerPrice : `${triggerPrice}/${takeProfitPrice}`
    return `${of}send ${side} ${type} ${amount} at ${prices}${reduceOnly === true ? ' reduce' : ''}`
  }
  if (effect.type === 'amend') return `${of}amend ${effect.order.id} ${effect.amount}`
  if (effect.type === 'cancel') return `${of}cancel ${effect.order.id}`
  if (effect.type === 'withdrawn') return `withdrawn ${effect.order.id}${effect.isFlat ? ' flat' : ''}`
  if (effect.type === 'ended') return `ended ${effect.order.id} ${effect.outcome}`
  if (effect.type === 'covers') return `covers ${effect.order.id}`
  if (effect.type === 'passed') return `${of}passed ${effect.price}`
  if (effect.type === 'alarm') return `${of}alarm ${effect.alarm}`
  if (effect.type === 'wait') return `${of}wait ${effect.ms}`
  return `${of}${effect.type}`
}

/** @returns what is done at each event */
function play(begun: ProtectionState, ...events: readonly ProtectionEvent[]) {
  let state = begun
  const done = events.map((event) => {
    const next = stepProtection(state, event)
    state = next.state
    return next.effects.map(shown).join(', ')
  })
  return { done, state, phases: state.legs.map(({ phase }) => phase).join(' ') }
}

const filled = (amount: string, isOver = true, more: object = {}): ProtectionEvent => ({
  at: AT,
  type: 'filled',
  filled: new Decimal(amount),
  isOver,
  ...more,
})
const priced = (role: ProtectiveRole, last: string): ProtectionEvent => ({ at: AT, role, type: 'priced', last })
const of =
  <Type extends 'placed' | 'reported' | 'ended' | 'changed'>(type: Type) =>
  (role: ProtectiveRole, id: string, more: Partial<Order> = {}) =>
    ({
      at: AT,
      role,
      type,
      order: order(id, { type: role === 'stop' ? 'stop' : 'take-profit', ...more }),
    }) as ProtectionEvent
const [placed, reported, ended, changed] = [of('placed'), of('reported'), of('ended'), of('changed')]
const canceled = (role: ProtectiveRole, id: string, more: Partial<Order> = {}, isOurs = true): ProtectionEvent => {
  const over = { status: 'canceled', ...more } as const
  return { at: AT, role, type: 'canceled', order: order(id, over), isOurs }
}
const PLACED = [filled('10'), priced('stop', '100'), priced('take', '100'), placed('stop', 's'), placed('take', 't')]

describe('a stop and a take-profit', () => {
  it.each<[string, ProtectionPlan, Side, Venue, readonly string[]]>([
    [
      'of a long',
      PAIR,
      'buy',
      {},
      ['stop send sell stop 10 at 90 reduce', 'take send sell take-profit 10 at 120 reduce'],
    ],
    [
      'of a short',
      SHORT,
      'sell',
      {},
      ['stop send buy stop 10 at 120 reduce', 'take send buy take-profit 10 at 90 reduce'],
    ],
    [
      'on spot',
      PAIR,
      'buy',
      { kind: 'spot' },
      ['stop send sell stop 10 at 90', 'take send sell take-profit 10 at 120'],
    ],
    ['as one order', PAIR, 'buy', { oco: true }, ['stop send sell stop 10 at 90/120 reduce', '']],
  ])('are placed for all that has filled: %s', (_, plan, side, venue, sent) => {
    const { done } = play(begin(plan, venue, side), filled('10'), priced('stop', '100'), priced('take', '100'))
    expect(done).toEqual([venue.oco === true ? 'stop price' : 'stop price, take price', ...sent])
  })

  it.each<[string, ProtectionPlan, Side, string, string]>([
    ['a stop of a long', PAIR, 'buy', '90', 'stop passed 90, stop send sell market 10 at now reduce'],
    ['a stop of a long', PAIR, 'buy', '90.1', 'stop send sell stop 10 at 90 reduce'],
    ['a stop of a short', SHORT, 'sell', '120', 'stop passed 120, stop send buy market 10 at now reduce'],
    ['a stop of a short', SHORT, 'sell', '119.9', 'stop send buy stop 10 at 120 reduce'],
  ])('close at the market what last has passed: %s at %3$s', (_, plan, side, last, sent) => {
    expect(play(begin(plan, {}, side), filled('10'), priced('stop', last)).done[1]).toBe(sent)
  })

  it.each<[ProtectionPlan, Side, Venue, ProtectiveRole, string, string]>([
    [PAIR, 'buy', {}, 'take', '120', 'take passed 120, take send sell market 10 at now reduce'],
    [PAIR, 'buy', {}, 'take', '119.9', 'take send sell take-profit 10 at 120 reduce'],
    [SHORT, 'sell', {}, 'take', '90', 'take passed 90, take send buy market 10 at now reduce'],
    [SHORT, 'sell', {}, 'take', '90.1', 'take send buy take-profit 10 at 90 reduce'],
    [PAIR, 'buy', { oco: true }, 'stop', '120', 'take passed 120, stop send sell market 10 at now reduce'],
    [PAIR, 'buy', { oco: true }, 'stop', '90', 'stop passed 90, stop send sell market 10 at now reduce'],
  ])('take a profit at once that last has reached: %#', (plan, side, venue, role, last, sent) => {
    expect(play(begin(plan, venue, side), filled('10'), priced(role, last)).done[1]).toBe(sent)
  })

  it('rest both, and the one is withdrawn once the other has closed all', () => {
    const { done, phases, state } = play(
      begin(PAIR),
      ...PLACED,
      ended('take', 't', { filled: '10', remaining: '0', status: 'closed' }),
      canceled('stop', 's'),
    )
    expect(done.slice(3)).toEqual([
      'covers s, stop check',
      'covers t, take check',
      'stop cancel s',
      'withdrawn s, release',
    ])
    expect([phases, state.isReleased]).toEqual(['covered covered', true])
  })

  it('are each as large as what the other has left open', () => {
    const part = { filled: '4', remaining: '6' }
    const { done, state } = play(
      begin(PAIR),
      ...PLACED,
      reported('take', 't', part),
      changed('stop', 's', { amount: '6' }),
      reported('take', 't', part),
      reported('stop', 's', { amount: '6', filled: '1', remaining: '5' }),
      changed('take', 't', { amount: '9', filled: '4', remaining: '5' }),
    )
    expect(done.slice(5)).toEqual(['stop amend s 6', 'covers s', '', 'take amend t 9', 'covers t'])
    expect(state.legs.map((leg) => neededOf(state, leg).toFixed())).toEqual(['6', '9'])
  })

  it('do not end while one of them still rests, nor while the entry may fill', () => {
    const gone = [ended('stop', 's', { filled: '10', status: 'closed' })]
    expect(play(begin(PAIR), ...PLACED, ...gone).state.isReleased).toBe(false)
    const [, ...others] = PLACED
    const open = play(begin(PAIR), filled('10', false), ...others, ...gone, canceled('take', 't'))
    expect([open.phases, open.state.isReleased]).toEqual(['covered covered', false])
    const more = play(open.state, filled('12'))
    expect([more.done, more.phases]).toEqual([['stop price, take price'], 'pricing pricing'])
    expect(play(open.state, filled('10')).done).toEqual(['release'])
  })

  it('are replaced where the venue changes only one of their types, the new one first', () => {
    const venue = { editTypes: ['stop'] } as const
    const grown = play(
      begin(PAIR, venue),
      ...PLACED,
      filled('12'),
      priced('stop', '100'),
      placed('stop', 's2', { amount: '12' }),
    )
    expect(grown.done.slice(5)).toEqual([
      'stop price, take price',
      'stop send sell stop 12 at 90 reduce',
      'covers s2, stop cancel s, stop check',
    ])
    const over = play(grown.state, canceled('stop', 's'))
    expect([over.done, over.state.legs[0]?.leftOver]).toEqual([[''], []])
    // One that is too large would lock what the new one needs, or reduce twice.
    const part = { filled: '4', remaining: '6' }
    expect(play(begin(PAIR, venue), ...PLACED, reported('take', 't', part)).done[5]).toBe('stop cancel s')
  })

  it('count what an order that is replaced had filled by then', () => {
    const { state } = play(
      begin({ triggerPrice: '90', fires: 'at-or-below' }, { editOrder: false }),
      filled('10'),
      priced('stop', '100'),
      placed('stop', 's'),
      filled('12'),
      priced('stop', '100'),
      placed('stop', 's2', { amount: '12' }),
    )
    const late = play(state, canceled('stop', 's', { filled: '3', status: 'canceled' }))
    expect([late.done, late.state.legs[0]?.closed.toFixed()]).toEqual([[''], '3'])
    const elsewhere = play(state, canceled('stop', 'x', { filled: '3' }))
    expect([elsewhere.done, elsewhere.state.legs[0]?.closed.toFixed()]).toEqual([[''], '0'])
  })

  it('are withdrawn with the position, and said to be so only where hookline canceled them', () => {
    const flat = { at: AT, type: 'flat' } as const
    const both = play(begin(PAIR), ...PLACED, flat)
    expect(both.done[5]).toBe('stop cancel s, take cancel t')
    expect(play(both.state, canceled('stop', 's'), canceled('take', 't')).done).toEqual([
      'withdrawn s flat',
      'withdrawn t flat, release',
    ])
    expect(play(both.state, canceled('stop', 's', {}, false), canceled('take', 't', {}, false)).done).toEqual([
      '',
      'release',
    ])
    expect(play(both.state, canceled('stop', 's', { status: 'rejected' }), canceled('take', 't')).done[0]).toBe('')
  })

  it('cover anew what fills after the position was gone', () => {
    const small = { amount: '4', remaining: '4' }
    const before = play(
      begin(PAIR),
      filled('4', false),
      priced('stop', '100'),
      priced('take', '100'),
      placed('stop', 's', small),
      placed('take', 't', small),
      { at: AT, type: 'flat' },
      canceled('stop', 's', small),
      canceled('take', 't', small),
    )
    expect([before.phases, before.state.isFlat]).toEqual(['covered covered', true])
    expect(play(before.state, filled('4', false)).state.isFlat).toBe(true)
    const { done, state } = play(before.state, filled('6', false), priced('stop', '100'))
    expect(done).toEqual(['stop price, take price', 'stop send sell stop 2 at 90 reduce'])
    expect(state.isFlat).toBe(false)
  })
})

describe('a stop on spot', () => {
  const ALONE = { triggerPrice: '90', fires: 'at-or-below' } as const
  const spot = { kind: 'spot' } as const

  it('is for what fees have left, and lets go of less than the smallest order', () => {
    const begun = play(
      begin(ALONE, spot),
      filled('10', true, { least: '1' }),
      priced('stop', '100'),
      placed('stop', 's'),
    )
    expect(play(begun.state, filled('9.9', true)).done).toEqual(['stop amend s 9.9'])
    const over = ended('stop', 's', { amount: '10', filled: '9.5', status: 'canceled' })
    expect(play(begun.state, over).phases).toBe('covered')
    const short = ended('stop', 's', { amount: '10', filled: '9', status: 'canceled' })
    expect(play(begun.state, short).done).toEqual(['ended s rest-follows, stop wait 1000'])
  })

  it('is for all of an entry that is smaller than the smallest order, which the venue is asked for', () => {
    expect(play(begin(ALONE, spot), filled('0.5', true, { least: '1' })).done).toEqual(['stop price'])
  })

  it('locks its coins: it is canceled before a larger one', () => {
    const begun = play(
      begin(ALONE, { ...spot, editOrder: false }),
      filled('10'),
      priced('stop', '100'),
      placed('stop', 's'),
    )
    expect(play(begun.state, filled('12')).done).toEqual(['stop cancel s'])
  })
})

describe('what a process before had sent', () => {
  const id = (role: ProtectiveRole, attempt: number) => protectiveOrderId(ID, role, attempt)
  const known = (role: ProtectiveRole, attempt: number, more: object = {}) => ({
    id: id(role, attempt),
    role,
    isWithdrawn: false,
    isRefused: false,
    ...more,
  })

  it('is found before anything is sent, each by its leg, and no id is taken twice', () => {
    const { legs, isOneOrder } = begin(PAIR, { oco: true }, 'buy', [
      known('stop', 0),
      known('take', 0),
      known('take', 2),
    ])
    expect(isOneOrder).toBe(false)
    expect(legs.map(({ role, phase, sent, toFind }) => [role, phase, sent, toFind.length])).toEqual([
      ['stop', 'finding', 1, 1],
      ['take', 'finding', 3, 2],
    ])
    const alone = begin(PAIR, { oco: true }, 'buy', [known('stop', 0, { isAlone: true })])
    expect([alone.isOneOrder, alone.legs.length]).toEqual([false, 2])
    const one = begin(PAIR, { oco: true }, 'buy', [known('stop', 0)])
    expect([one.isOneOrder, one.legs.length]).toEqual([true, 1])
  })

  it('is all known before either leg goes on', () => {
    const found = (role: ProtectiveRole, more: Partial<Order>): ProtectionEvent => ({
      at: AT,
      role,
      type: 'found',
      order: order(role, { type: role === 'stop' ? 'stop' : 'take-profit', ...more }),
      isTakenBack: false,
    })
    const begun = begin(PAIR, {}, 'buy', [known('stop', 0), known('take', 0)])
    const { done, phases } = play(
      begun,
      filled('10'),
      found('stop', {}),
      found('take', { filled: '10', status: 'closed' }),
    )
    expect(done).toEqual(['stop find, take find', 'stop check', 'stop cancel stop'])
    expect(phases).toBe('withdrawing covered')
    const gone = { at: AT, role: 'take', type: 'not-found' } as const
    expect(play(begun, filled('10'), found('stop', {}), gone).done).toEqual([
      'stop find, take find',
      'stop check',
      'take price',
    ])
    // One leg does not wait for an answer that the other does not get.
    const silent = { at: AT, role: 'take', type: 'not-answered', code: 'network', why: 'no answer' } as const
    const { done: late } = play(begun, filled('10'), silent, { at: AT, role: 'stop', type: 'not-found' })
    expect(late).toEqual(['stop find, take find', 'take alarm missing, take wait 1000', 'stop price'])
  })
})

describe('an order of a stop', () => {
  const ALONE = { triggerPrice: '90', fires: 'at-or-below' } as const
  const resting = play(begin(ALONE), filled('10'), priced('stop', '100'), placed('stop', 's')).state

  it('is the last of 65,536 that are placed for one entry', () => {
    const doneAfter = (sent: number) => {
      const begun = play(begin(ALONE), filled('10')).state
      return play({ ...begun, legs: begun.legs.map((leg) => ({ ...leg, sent })) }, priced('stop', '100')).done
    }
    expect(doneAfter(MAX_ATTEMPTS)).toEqual(['stop send sell stop 10 at 90 reduce'])
    expect(doneAfter(MAX_ATTEMPTS + 1)).toEqual(['stop alarm given-up, stop wait 300000'])
  })

  it('that a process before had taken back needs no look when it ends', () => {
    const found = { at: AT, role: 'stop', type: 'found', order: order('s'), isTakenBack: false } as const
    const over = ended('stop', 's', { status: 'canceled' })
    const doneAfter = (isWithdrawn: boolean) => {
      const known = { id: protectiveOrderId(ID, 'stop', 0), role: 'stop', isWithdrawn, isRefused: false } as const
      return play(begin(ALONE, {}, 'buy', [known]), filled('10'), found, over).done
    }
    expect(doneAfter(true)).toEqual(['stop find', 'stop check', 'stop price'])
    expect(doneAfter(false)).toEqual(['stop find', 'stop check', 'stop wait 500'])
  })

  it('that was replaced is canceled once, and again after a pause where that failed', () => {
    const notCanceled = {
      at: AT,
      role: 'stop',
      type: 'not-canceled',
      order: order('s'),
      code: 'network',
      why: 'x',
    } as const
    const { done, state } = play(
      begin(ALONE, { editOrder: false }),
      filled('10'),
      priced('stop', '100'),
      placed('stop', 's'),
      filled('12'),
      priced('stop', '100'),
      placed('stop', 's2', { amount: '12' }),
      filled('12'),
      notCanceled,
    )
    expect(done.slice(5)).toEqual(['covers s2, stop cancel s, stop check', '', 'stop alarm rests, stop wait 5000'])
    const pause = state.legs[0]?.pause ?? 0
    const due = (of: number) => play(state, { at: AT, role: 'stop', type: 'due', pause: of }).done
    expect([due(pause), due(pause - 1)]).toEqual([['stop cancel s'], ['']])
  })

  it('that a person took back is not covered again, by no more than was left to cover', () => {
    const looked = {
      at: AT,
      role: 'stop',
      type: 'looked',
      held: new Decimal(6),
      last: '100',
      isTakenBack: true,
    } as const
    const { state, done } = play(
      begin(PAIR),
      ...PLACED,
      reported('take', 't', { filled: '4', remaining: '6' }),
      ended('stop', 's', { status: 'canceled' }),
      looked,
    )
    expect(done.at(-1)).toBe('ended s taken-back')
    expect(state.legs.map(({ phase, waived }) => `${phase} ${waived.toFixed()}`)).toEqual(['waived 6', 'resting 0'])
    expect(play(state, filled('12'), priced('stop', '100')).done).toEqual([
      'stop price, take amend t 12',
      'stop send sell stop 2 at 90 reduce',
    ])
  })

  it('fills by what it reports, and never by less', () => {
    const report = (amount: string) => reported('stop', 's', { filled: amount, remaining: '0' })
    const after = play(resting, report('4'), report('3'), reported('stop', 'x', { filled: '9' }))
    expect(after.state.legs[0]?.order?.filled).toBe('4')
  })
})

describe('what an entry carries', () => {
  it.each<[ProtectionPlan, boolean, readonly object[] | undefined]>([
    [PAIR, false, undefined],
    [
      { ...PAIR, isAttached: true },
      false,
      [
        { type: 'stop', triggerPrice: '90' },
        { type: 'take-profit', triggerPrice: '120' },
      ],
    ],
    [{ ...PAIR, isAttached: true }, true, [{ type: 'stop', triggerPrice: '90', takeProfitPrice: '120' }]],
    [{ triggerPrice: '90', fires: 'at-or-below', isAttached: true }, true, [{ type: 'stop', triggerPrice: '90' }]],
    [
      { takeProfitPrice: '120', fires: 'at-or-below', isAttached: true },
      true,
      [{ type: 'take-profit', triggerPrice: '120' }],
    ],
  ])('%j, as one order %s: %j', (plan, oco, carried) => {
    const orders = attachedOrders(ID, plan, { oco })
    expect(orders?.map(({ clientOrderId: _, ...each }) => each)).toEqual(carried)
    expect(orders?.[0]?.clientOrderId).toBe(
      carried && protectiveOrderId(ID, plan.triggerPrice === undefined ? 'take' : 'stop', 0),
    )
  })

  it('is waited for only where the entry has filled whole, at a venue that places it then', () => {
    expect(begin(PAIR, { attached: 'when-filled' }).needsWhole).toBe(true)
    expect(begin(PAIR, { attached: 'when-over' }).needsWhole).toBe(false)
  })
})
