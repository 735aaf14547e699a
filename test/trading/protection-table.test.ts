// Every phase of a leg and every event: what it is then, and what is done. A cell that is not written down here is not in the table.
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { ExchangeErrorCode } from '../../src/exchange/exchange-error.ts'
import type { Order } from '../../src/exchange/order.ts'
import { type ProtectiveRole, protectiveOrderId } from '../../src/trading/order-plan.ts'
import {
  beginProtection,
  type EventType,
  type Leg,
  PHASES,
  type Phase,
  type ProtectionEvent,
  type ProtectionState,
  stepProtection,
  TABLE,
} from '../../src/trading/protection-state.ts'

const AT = 1_000_000
const ID = '0123456789abcdef0123456700000000'
const AMOUNT = new Decimal(10)

const stop = (more: Partial<Order> = {}): Order => ({
  id: 'o1',
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'stop',
  amount: '10',
  filled: '0',
  remaining: '10',
  triggerPrice: '90',
  reduceOnly: true,
  postOnly: false,
  status: 'open',
  timestamp: 0,
  ...more,
})

interface Venue {
  readonly kind?: 'spot' | 'linear'
  readonly editOrder?: boolean
}

function begin({ kind = 'linear', editOrder = true }: Venue = {}): ProtectionState {
  const entry = {
    id: ID,
    at: 0,
    account: 'paper',
    venue: 'paper',
    by: { source: 'repl', runId: 'r', step: 0 },
    order: { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '10' },
  } as const
  const plan = { triggerPrice: '90', fires: 'at-or-below' } as const
  return beginProtection(entry, plan, { kind, capabilities: { oco: false, editOrder } }, 0)
}

const LEGS: Readonly<Record<Phase, Partial<Leg>>> = {
  idle: {},
  covered: { closed: AMOUNT },
  waived: { waived: AMOUNT, isWaived: true },
  finding: { toFind: [{ id: 'a', isWithdrawn: false }] },
  pricing: {},
  placing: { sent: 1 },
  resting: { order: stop() },
  closing: { order: stop({ type: 'market' }) },
  amending: { order: stop({ amount: '4' }) },
  withdrawing: { order: stop(), closed: AMOUNT, withdrawn: new Set(['o1']) },
  looking: { ended: stop({ id: 'e1', status: 'canceled' }), ends: 1, pause: 1 },
  waiting: { refusals: 1, alarmedAt: AT, pause: 1 },
  'given-up': { refusals: 9, noes: 9, alarmedAt: AT, pause: 1 },
}

/** Its one leg in this phase, with all of the entry filled a minute ago; `idle`: nothing has. */
function stateIn(phase: Phase, more: Partial<Leg> = {}, venue: Venue = {}): ProtectionState {
  const fresh = begin(venue)
  const filled = phase === 'idle' ? new Decimal(0) : AMOUNT
  const legs = fresh.legs.map((leg): Leg => ({ ...leg, ...LEGS[phase], ...more, phase }))
  return { ...fresh, filled, filledAt: AT - 60_000, legs }
}

const OF = { at: AT, role: 'stop' } as const
const NO = { code: 'network', why: 'no answer' }
const EVENTS: { readonly [Type in EventType]: Extract<ProtectionEvent, { readonly type: Type }> } = {
  filled: { at: AT, type: 'filled', filled: new Decimal(12), isOver: true },
  flat: { at: AT, type: 'flat' },
  reduced: { at: AT, type: 'reduced', held: new Decimal(4) },
  found: { ...OF, type: 'found', order: stop({ id: 'f1' }), isTakenBack: false },
  'not-found': { ...OF, type: 'not-found' },
  'not-answered': { ...OF, type: 'not-answered', ...NO },
  priced: { ...OF, type: 'priced', last: '100' },
  placed: { ...OF, type: 'placed', order: stop({ id: 'p1' }) },
  checked: { ...OF, type: 'checked', id: 'o1', last: '89' },
  refused: { ...OF, type: 'refused', code: 'would-trigger', why: 'passed' },
  unknown: { ...OF, type: 'unknown', id: 'u', ...NO },
  changed: { ...OF, type: 'changed', order: stop() },
  unchanged: { ...OF, type: 'unchanged', ...NO },
  reported: { ...OF, type: 'reported', order: stop({ filled: '3', remaining: '7' }) },
  ended: { ...OF, type: 'ended', order: stop({ status: 'canceled' }) },
  canceled: { ...OF, type: 'canceled', order: stop({ status: 'canceled' }), isOurs: true },
  'not-canceled': { ...OF, type: 'not-canceled', order: stop(), ...NO },
  looked: { ...OF, type: 'looked', held: AMOUNT, last: '100', isTakenBack: false },
  'other-filled': { ...OF, type: 'other-filled' },
  due: { ...OF, type: 'due', pause: 1 },
}

/** What the leg is then, and what is done: `looking: ended look`. */
function cell(state: ProtectionState, event: ProtectionEvent, role: ProtectiveRole = 'stop'): string {
  const after = stepProtection(state, event)
  const leg = after.state.legs.find((each) => each.role === role)
  const done = after.effects.map((effect) => {
    if (effect.type === 'ended') return `ended=${effect.outcome}`
    if (effect.type === 'alarm') return `alarm=${effect.alarm}`
    if (effect.type === 'wait') return `wait=${effect.ms}`
    if (effect.type === 'send') return `send=${effect.order.type} ${effect.order.amount}`
    return effect.type
  })
  return [`${leg?.phase}`, ...done].join(' ')
}

function withOther(state: ProtectionState): ProtectionState {
  const [leg] = begin().legs
  if (leg === undefined) throw new Error('no leg')
  return { ...state, legs: [...state.legs, { ...leg, role: 'take', phase: 'covered', closed: AMOUNT }] }
}

/** All that changes anything. In every other cell the leg stays what it is, and nothing is done. */
const CELLS: Readonly<Record<Phase, Partial<Record<EventType, string>>>> = {
  idle: { filled: 'pricing price', found: 'idle cancel', placed: 'idle cancel', unknown: 'finding find' },
  covered: { filled: 'pricing price', found: 'covered cancel', placed: 'covered cancel', unknown: 'finding find' },
  waived: { filled: 'pricing price', found: 'waived cancel', placed: 'waived cancel', unknown: 'finding find' },
  finding: {
    filled: 'finding find',
    flat: 'finding find',
    reduced: 'finding find',
    found: 'resting check',
    'not-found': 'pricing price',
    'not-answered': 'finding alarm=missing wait=1000',
    due: 'finding find',
  },
  pricing: { priced: 'placing send=stop 10' },
  placing: {
    placed: 'resting covers check',
    refused: 'looking look',
    unknown: 'finding alarm=missing wait=1000',
  },
  resting: {
    filled: 'amending amend',
    flat: 'withdrawing cancel',
    reduced: 'amending amend',
    found: 'resting cancel',
    placed: 'resting cancel',
    checked: 'withdrawing cancel',
    unknown: 'finding find',
    ended: 'looking wait=500',
    'other-filled': 'withdrawing cancel',
  },
  closing: {
    found: 'closing cancel',
    placed: 'closing cancel',
    unknown: 'finding find',
    ended: 'looking wait=500',
    due: 'closing ask wait=1000',
  },
  amending: { changed: 'resting covers', unchanged: 'resting alarm=short wait=1000', ended: 'looking wait=500' },
  withdrawing: { canceled: 'covered withdrawn', 'not-canceled': 'resting alarm=rests wait=1000' },
  looking: {
    flat: 'covered ended=flat',
    looked: 'placing ended=placed-again send=stop 10',
    'other-filled': 'covered withdrawn',
    due: 'looking look',
  },
  waiting: { flat: 'covered', 'other-filled': 'covered', due: 'pricing price' },
  'given-up': { flat: 'covered', 'other-filled': 'covered', due: 'looking look' },
}

describe('the table of a protection', () => {
  it('has a cell for every phase and every event', () => {
    expect(Object.keys(TABLE).sort()).toEqual([...PHASES].sort())
    for (const phase of PHASES) expect(Object.keys(TABLE[phase]).sort()).toEqual(Object.keys(EVENTS).sort())
  })

  const cells = PHASES.flatMap((phase) => (Object.keys(EVENTS) as EventType[]).map((type) => ({ phase, type })))
  it.each(cells)('$phase, $type', ({ phase, type }) => {
    // The pause of these two is their own.
    const state = stateIn(phase, phase === 'finding' || phase === 'closing' ? { pause: 1 } : {})
    const met = type === 'other-filled' && phase !== 'idle' ? withOther(state) : state
    expect(cell(met, EVENTS[type])).toBe(CELLS[phase][type] ?? phase)
  })
})

const MISSING_SOON = 'waiting alarm=missing wait=1000'
const REFUSALS: Readonly<Record<ExchangeErrorCode, string>> = {
  'would-trigger': 'looking look',
  'invalid-order': 'looking look',
  'reduce-only-rejected': 'looking look',
  'order-immediately-fillable': 'looking look',
  'bad-symbol': MISSING_SOON,
  'insufficient-funds': MISSING_SOON,
  'order-not-found': MISSING_SOON,
  'duplicate-id': MISSING_SOON,
  authentication: MISSING_SOON,
  permission: MISSING_SOON,
  'wrong-account-mode': MISSING_SOON,
  'rate-limited': MISSING_SOON,
  clock: MISSING_SOON,
  unavailable: MISSING_SOON,
  network: MISSING_SOON,
  'outcome-unknown': MISSING_SOON,
  guarded: MISSING_SOON,
  halted: MISSING_SOON,
  panic: MISSING_SOON,
  'not-supported': MISSING_SOON,
}

describe('what the entry carried', () => {
  const carried: Partial<Leg> = { attached: { id: 'a' }, sent: 1 }
  const asked = (looks: number): Partial<Leg> => ({ toFind: [{ id: 'a', isWithdrawn: false, looks }], sent: 1 })
  const entryOf = (amount: string) => ({ ...begin().entry, order: { ...begin().entry.order, amount } })
  const filled = (isOver: boolean) => ({ ...EVENTS.filled, filled: AMOUNT, isOver })

  it('is asked for once the entry is over and has filled; what fills before is covered by another', () => {
    expect(cell(stateIn('idle', carried), filled(true))).toBe('finding find')
    expect(cell(stateIn('idle', carried), filled(false))).toBe('pricing price')
    expect(cell(stateIn('resting', carried), filled(true))).toBe('finding find')
    const plan = { ...begin().plan, isAttached: true } as const
    const nothing = { ...filled(true), filled: new Decimal(0) }
    expect(cell({ ...stateIn('idle', carried), plan }, nothing)).toBe('idle release')
  })

  it('is waited for ever longer, and then another is placed; it is asked for twice more', () => {
    const pauses = [...Array(6).keys()].map((looks) => cell(stateIn('finding', asked(looks)), EVENTS['not-found']))
    expect(pauses).toEqual([...[50, 100, 200, 400, 800].map((ms) => `finding wait=${ms}`), 'pricing find find price'])
    const { effects } = stepProtection(stateIn('finding', asked(5)), EVENTS['not-found'])
    const later = effects.flatMap((effect) => (effect.type === 'find' ? [effect.afterMs] : []))
    expect(later).toEqual([5_000, 30_000])
  })

  it('is told as its stop when it is there, and one of before is canceled', () => {
    const replaced = { ...asked(0), order: stop({ id: 'p1', amount: '4' }) }
    expect(cell(stateIn('finding', asked(2)), EVENTS.found)).toBe('resting covers check')
    expect(cell(stateIn('finding', replaced), EVENTS.found)).toBe('resting covers check cancel')
  })

  it('is not waited for where the venue places it with a whole entry only, and a part has filled; it is asked for later', () => {
    const whole = (amount: string) => ({ ...stateIn('idle', carried), needsWhole: true, entry: entryOf(amount) })
    expect(cell(whole('10'), filled(true))).toBe('finding find')
    expect(cell(whole('11'), filled(true))).toBe('pricing find find price')
    const { effects } = stepProtection(whole('11'), filled(true))
    expect(effects.flatMap((effect) => (effect.type === 'find' ? [effect.afterMs] : []))).toEqual([5_000, 30_000])
  })

  it('is made as large as what is held', () => {
    const small = { ...EVENTS.found, order: stop({ id: 'f1', amount: '7' }) }
    expect(cell(stateIn('finding', asked(0)), small)).toBe('amending covers check amend')
  })

  it('is replaced by another where it might open a position', () => {
    const adds = { ...EVENTS.found, order: stop({ id: 'f1', reduceOnly: false }) }
    expect(cell(stateIn('finding', asked(0)), adds)).toBe('pricing cancel price')
  })

  it('that fired before it was found has closed what it covered', () => {
    const fired = { ...EVENTS.found, order: stop({ id: 'f1', status: 'closed', filled: '10' }) }
    expect(cell(stateIn('finding', asked(0)), fired)).toBe('covered')
  })

  it('that comes after another was placed is canceled, or counted where it has fired by then', () => {
    const missed = stateIn('resting', { missed: { id: 'a' } })
    const late = (more: Partial<Order>) => ({ ...EVENTS.found, order: stop({ id: 'f1', clientOrderId: 'a', ...more }) })
    expect(cell(missed, late({}))).toBe('resting cancel')
    expect(cell(missed, late({ status: 'closed', filled: '10' }))).toBe('withdrawing cancel')
  })

  it.each([
    ['refused by a process before', { isRefused: true }, 'idle'],
    ['placed before', { isRefused: false }, 'finding'],
  ] as const)('is not asked for twice where the journal has it: %s', (_what, known, phase) => {
    const id = protectiveOrderId(ID, 'stop', 0)
    const plan = { triggerPrice: '90', fires: 'at-or-below', isAttached: true } as const
    const venue = { kind: 'linear', capabilities: { oco: false, editOrder: true } } as const
    const protectors = [{ id, role: 'stop', isWithdrawn: false, ...known } as const]
    const [leg] = beginProtection({ ...begin().entry, protectors }, plan, venue, 0).legs
    expect([leg?.phase, leg?.attached, leg?.sent]).toEqual([phase, undefined, 1])
    const [fresh] = beginProtection(begin().entry, plan, venue, 0).legs
    expect([fresh?.phase, fresh?.attached, fresh?.sent]).toEqual(['idle', { id }, 1])
  })
})

describe('a position of which the venue has taken a part', () => {
  it.each<[string, Partial<Leg>, string]>([
    ['is covered by no more than is left', {}, 'amending amend'],
    [
      'needs no change where its order covers less',
      { order: stop({ amount: '3' }), waived: new Decimal(7) },
      'resting',
    ],
  ])('%s', (_what, leg, expected) => {
    expect(cell(stateIn('resting', leg), EVENTS.reduced)).toBe(expected)
  })

  it('is covered by so much also where its order was being changed', () => {
    const { state } = stepProtection(stateIn('amending'), EVENTS.reduced)
    expect(cell(state, { ...EVENTS.changed, order: stop() })).toBe('amending covers amend')
  })
})

describe('an order that the venue refuses', () => {
  it.each(Object.entries(REFUSALS))('%s', (code, expected) => {
    expect(cell(stateIn('placing'), { ...EVENTS.refused, code })).toBe(expected)
  })

  it('for want of coins, on spot: it is asked whether they are there', () => {
    const spot = stateIn('placing', {}, { kind: 'spot' })
    expect(cell(spot, { ...EVENTS.refused, code: 'insufficient-funds' })).toBe('looking look')
  })

  it('waits as long as the venue says', () => {
    expect(cell(stateIn('placing'), { ...EVENTS.refused, code: 'rate-limited', retryAfterMs: 7_000 })).toBe(
      'waiting alarm=missing wait=7000',
    )
  })

  it('is tried at growing distances, and given up after the ninth time where the reason lasts', () => {
    const pauses = [...Array(10).keys()].map((refusals) =>
      cell(stateIn('placing', { refusals, noes: refusals, alarmedAt: AT }), { ...EVENTS.refused, code: 'permission' }),
    )
    expect(pauses).toEqual([
      'waiting wait=1000',
      'waiting wait=2000',
      'waiting wait=4000',
      'waiting wait=8000',
      'waiting wait=16000',
      'waiting wait=30000',
      'waiting wait=30000',
      'waiting wait=30000',
      'given-up alarm=given-up wait=300000',
      'given-up wait=300000',
    ])
  })

  it('is never given up where the reason passes, and is said again every five minutes', () => {
    const refused = (alarmedAt: number) =>
      cell(stateIn('placing', { refusals: 500, alarmedAt }), { ...EVENTS.refused, code: 'unavailable' })
    expect([refused(AT - 299_999), refused(AT - 300_000)]).toEqual([
      'waiting wait=30000',
      'waiting alarm=missing wait=30000',
    ])
  })

  it('where one before it rests still: that one stays, and is said to cover a part', () => {
    const replaced = stateIn('placing', { order: stop({ amount: '4' }) }, { editOrder: false })
    expect(cell(replaced, { ...EVENTS.refused, code: 'unavailable' })).toBe('resting alarm=short wait=1000')
  })
})

describe('an order that has ended', () => {
  const ended = (more: Partial<Order>) => ({ ...EVENTS.ended, order: stop({ status: 'canceled', ...more }) })
  it.each<[string, Partial<Order>, string]>([
    ['filled whole', { status: 'closed', filled: '10' }, 'covered'],
    ['filled in part: the rest follows', { status: 'expired', filled: '4' }, 'waiting ended=rest-follows wait=1000'],
    ['canceled, with no reason: who did it may say so in a moment', {}, 'looking wait=500'],
    ['canceled by the venue', { cause: 'liquidation' }, 'looking look'],
    ['expired', { status: 'expired' }, 'looking look'],
    ['rejected as it was triggered', { status: 'rejected', cause: 'trigger-failed' }, 'looking look'],
  ])('%s', (_what, more, expected) => {
    expect(cell(stateIn('resting'), ended(more))).toBe(expected)
  })

  it('at the market, with nothing filled, is tried later and said', () => {
    const market = { type: 'market', status: 'expired' } as const
    expect(cell(stateIn('closing'), ended(market))).toBe('waiting alarm=missing wait=1000')
  })

  it('because we canceled it needs no look', () => {
    expect(cell(stateIn('resting', { withdrawn: new Set(['o1']) }), ended({}))).toBe('pricing price')
  })
})

describe('what is found when position and last are looked at', () => {
  const looked = (more: Partial<Extract<ProtectionEvent, { type: 'looked' }>>) => ({ ...EVENTS.looked, ...more })
  const again = (more: Partial<Order> = {}): Partial<Leg> => ({
    ends: 2,
    ended: stop({ id: 'e2', status: 'canceled', ...more }),
  })
  const refused = (code: string, isMarket = false): Partial<Leg> => {
    return { ended: undefined as never, reason: { code, why: 'no' }, isMarket }
  }
  const idle = (): Partial<Leg> => ({ ended: stop({ id: 'e1', status: 'canceled', cause: 'reduce-only' }) })
  const GONE = { held: new Decimal(0) }
  const PASSED = { last: '89' }
  it.each<[string, Partial<Leg>, Parameters<typeof looked>[0], string]>([
    ['the position is gone', {}, GONE, 'covered ended=flat'],
    ['last has passed the trigger', {}, PASSED, 'placing ended=closing passed send=market 10'],
    [
      'neither is known: it is placed again',
      {},
      { held: undefined as never, last: undefined as never },
      'placing ended=placed-again send=stop 10',
    ],
    [
      'a part is held: the rest was closed elsewhere',
      {},
      { held: new Decimal(4) },
      'placing ended=placed-again send=stop 4',
    ],
    ['the position has been flat since, and another is held', {}, { since: 'flat' }, 'covered ended=flat'],
    ['last has passed, and what is held is of another trade', {}, { ...PASSED, since: 'flat' }, 'covered ended=flat'],
    [
      'fills that the list may not show, and no reason',
      {},
      { since: 'recent' },
      'placing ended=placed-again send=stop 10',
    ],
    ['nothing left to reduce, by fills that the list may not show', idle(), { since: 'recent' }, 'looking wait=1000'],
    [
      'nothing left to reduce, none listed, and a fill since',
      idle(),
      { ...GONE, since: 'recent' },
      'covered ended=flat',
    ],
    ['nothing left to reduce, and never flat', idle(), {}, 'placing ended=placed-again send=stop 10'],
    ['a hookline canceled it for a person', {}, { isTakenBack: true }, 'waived ended=taken-back'],
    ['canceled a second time', again(), {}, 'waived ended=waived alarm=waived'],
    ['canceled a second time, last has passed', again(), PASSED, 'placing ended=closing passed send=market 10'],
    ['expired a second time', again({ status: 'expired' }), {}, 'waiting ended=placed-again alarm=missing wait=1000'],
    ['refused, last has passed the trigger', refused('would-trigger'), PASSED, 'placing passed send=market 10'],
    ['refused, last has not passed it', refused('would-trigger'), {}, 'waiting alarm=missing wait=250'],
    ['refused as invalid, last has passed it', refused('invalid-order'), PASSED, 'placing passed send=market 10'],
    [
      'refused as reducing nothing, the position is there',
      refused('reduce-only-rejected'),
      {},
      'waiting alarm=missing wait=250',
    ],
    ['refused as reducing nothing, the position is gone', refused('reduce-only-rejected'), GONE, 'covered'],
    [
      'refused as reducing nothing, the position is not known',
      refused('reduce-only-rejected'),
      { held: undefined as never },
      'waiting alarm=missing wait=250',
    ],
    [
      'the order at the market refused',
      refused('reduce-only-rejected', true),
      PASSED,
      'waiting alarm=missing wait=250',
    ],
    ['given up, the position is there', refused('reminded'), {}, 'pricing price'],
    ['given up, the position is gone', refused('reminded'), GONE, 'covered'],
    ['given up, last has passed', refused('reminded'), PASSED, 'placing passed send=market 10'],
  ])('%s', (_what, leg, more, expected) => {
    const state = stateIn('looking', leg)
    const legs = leg.reason === undefined ? state.legs : state.legs.map(({ ended: _, ...each }) => each)
    expect(cell({ ...state, legs }, looked(more))).toBe(expected)
  })

  it.each<[string, Partial<Order> | undefined, string]>([
    ['is not believed after a refusal: it is tried again', undefined, 'waiting alarm=missing wait=250'],
    ['is looked at again after an end', {}, 'looking wait=1000'],
    ['is believed where the venue says so of the order', { cause: 'position-closed' }, 'covered ended=flat'],
  ])('of an entry that filled less than 5 s ago, that nothing is held %s', (_what, ended, expected) => {
    const leg: Partial<Leg> =
      ended === undefined
        ? { reason: { code: 'reduce-only-rejected', why: 'no' } }
        : { ended: stop({ id: 'e1', status: 'canceled', ...ended }) }
    const state = { ...stateIn('looking', leg), filledAt: AT - 4_999 }
    const legs = ended === undefined ? state.legs.map(({ ended: _, ...each }) => each) : state.legs
    expect(cell({ ...state, legs }, looked(GONE))).toBe(expected)
  })
})

describe('an entry that only reduced a position of the other side', () => {
  it.each<[number, string]>([
    [10, 'covered offset'],
    // The list may be of before the fill: one would be held then.
    [9, 'waiting wait=1000'],
    [0, 'waiting alarm=missing wait=250'],
  ])('has nothing to protect, or is looked at again, where %i are held against its 10', (against, expected) => {
    const state = { ...stateIn('looking', { reason: { code: 'reduce-only-rejected', why: 'no' } }), filledAt: AT }
    const legs = state.legs.map(({ ended: _, ...each }) => each)
    const event = { ...EVENTS.looked, held: new Decimal(0), against: new Decimal(against) }
    expect(cell({ ...state, legs }, event)).toBe(expected)
  })

  it('has nothing to protect once the list must be as new as the fill', () => {
    const state = {
      ...stateIn('looking', { reason: { code: 'reduce-only-rejected', why: 'no' } }),
      filledAt: AT - 5_000,
    }
    const legs = state.legs.map(({ ended: _, ...each }) => each)
    const event = { ...EVENTS.looked, held: new Decimal(0), against: new Decimal(9) }
    expect(cell({ ...state, legs }, event)).toBe('covered offset')
  })
})

describe('a price that has passed', () => {
  it('closes at the market, and is said once', () => {
    const passed = { ...EVENTS.priced, last: '89' }
    expect(cell(stateIn('pricing'), passed)).toBe('placing passed send=market 10')
    expect(cell(stateIn('pricing', { isPassedStated: true }), passed)).toBe('placing send=market 10')
  })
})

describe('an order whose price last has passed as it arrived', () => {
  const checked = (more: Partial<Extract<ProtectionEvent, { type: 'checked' }>>) => ({ ...EVENTS.checked, ...more })
  it.each<[string, ProtectionEvent, string]>([
    ['is canceled, for the position to be closed', checked({}), 'withdrawing cancel'],
    ['stays where last has not passed', checked({ last: '91' }), 'resting'],
    ['stays where last is not known', checked({ last: undefined as never }), 'resting'],
    ['is another one by now', checked({ id: 'o0' }), 'resting'],
  ])('%s', (_what, event, expected) => {
    expect(cell(stateIn('resting'), event)).toBe(expected)
  })

  it('closes at the market once it is canceled', () => {
    const { state } = stepProtection(stateIn('withdrawing', { lateId: 'o1', closed: new Decimal(0) }), EVENTS.canceled)
    expect(cell(state, { ...EVENTS.priced, last: '89' })).toBe('placing passed send=market 10')
  })

  it('that cannot be canceled is an alarm, and is tried again', () => {
    const late = { lateId: 'o1', closed: new Decimal(0) }
    expect(cell(stateIn('withdrawing', late), EVENTS['not-canceled'])).toBe('resting alarm=missing wait=1000')
    expect(cell(stateIn('resting', { ...late, pause: 1 }), EVENTS.due)).toBe('withdrawing cancel')
  })

  it('while it is changed is canceled after that', () => {
    const { state } = stepProtection(stateIn('amending'), EVENTS.checked)
    expect(cell(state, EVENTS.changed)).toBe('withdrawing covers cancel')
  })

  it('may have filled by then: what is left is closed', () => {
    const state = stateIn('withdrawing', { lateId: 'o1', closed: new Decimal(0) })
    const filled = (amount: string) => ({
      ...EVENTS.canceled,
      order: stop({ status: 'closed', filled: amount }),
      isOurs: false,
    })
    expect([cell(state, filled('10')), cell(state, filled('4'))]).toEqual(['covered', 'pricing price'])
  })
})

describe('on spot, what is below the minimum order', () => {
  const spot = (more: Partial<Leg>, phase: Phase = 'resting') => ({
    ...stateIn(phase, { sent: 1, ...more }, { kind: 'spot' }),
    least: new Decimal('0.5'),
  })
  const ended = (filled: string) => ({ ...EVENTS.ended, order: stop({ status: 'expired', filled }) })

  it('is no order once the rest was sold', () => {
    expect([cell(spot({}), ended('9.6')), cell(spot({}), ended('9.5'))]).toEqual([
      'covered',
      'waiting ended=rest-follows wait=1000',
    ])
  })

  it('is no order of the other leg either', () => {
    const [leg] = spot({ closed: new Decimal('9.6'), order: undefined as never }, 'covered').legs
    const [take] = spot({ order: stop({ id: 't1', type: 'take-profit' }) }).legs
    const state = { ...spot({}), legs: [leg as Leg, { ...(take as Leg), role: 'take' as const }] }
    expect(cell(state, { at: AT, type: 'other-filled', role: 'take' }, 'take')).toBe('withdrawing cancel')
  })

  it('is asked for where nothing was ever sent: the operator is to know', () => {
    const state = { ...spot({ sent: 0 }, 'idle'), filled: new Decimal(0) }
    expect(cell(state, { ...EVENTS.filled, filled: new Decimal('0.4'), least: '0.5' })).toBe('pricing price')
  })

  it('or what a fee has taken makes a stop smaller that rests', () => {
    expect(cell(spot({}), { ...EVENTS.filled, filled: new Decimal(9) })).toBe('amending amend')
  })
})

describe('an order that is there already, of a process before', () => {
  const found = (more: Partial<Order>, isTakenBack = false) => ({
    ...EVENTS.found,
    order: stop({ id: 'f1', ...more }),
    isTakenBack,
  })
  it.each<[string, ProtectionEvent, string]>([
    ['rests for less than has filled', found({ amount: '4' }), 'amending check amend'],
    ['filled whole', found({ status: 'closed', filled: '10' }), 'covered'],
    ['filled in part', found({ status: 'expired', filled: '4' }), 'pricing price'],
    ['was ended by the venue', found({ status: 'expired' }), 'looking look'],
    ['was canceled by nobody known', found({ status: 'canceled' }), 'looking look'],
    ['was canceled by a hookline', found({ status: 'canceled' }, true), 'waived ended=taken-back'],
  ])('%s', (_what, event, expected) => {
    expect(cell(stateIn('finding'), event)).toBe(expected)
  })

  it('that its protection itself had canceled is placed anew', () => {
    const state = stateIn('finding', { toFind: [{ id: 'a', isWithdrawn: true }] })
    expect(cell(state, found({ status: 'canceled' }))).toBe('pricing price')
  })
})

describe('a venue that changes no orders', () => {
  it('gets the larger one first, and then loses the one before', () => {
    const grown = { ...EVENTS.filled, filled: new Decimal(12) }
    expect(cell(stateIn('resting', {}, { editOrder: false }), grown)).toBe('pricing price')
    const placed = { ...EVENTS.placed, order: stop({ id: 'p1', amount: '10' }) }
    expect(cell(stateIn('placing', { order: stop({ amount: '4' }) }, { editOrder: false }), placed)).toBe(
      'resting covers cancel check',
    )
  })

  it('on spot loses the one before first: it locks the coins', () => {
    expect(cell(stateIn('resting', {}, { editOrder: false, kind: 'spot' }), EVENTS.filled)).toBe('withdrawing cancel')
  })
})
