// Every state against every event. The table's type has a cell for each: a new state or event without its cells does not compile.
import { describe, expect, it } from 'vitest'
import { type ConnectionEvent, type ConnectionState, IDLE, step } from '../../src/client/connection-state.ts'
import type { Pin } from '../../src/client/pinned-listener.ts'
import { CLOSE_CODES } from '../../src/protocol/frames.ts'

const STATES = {
  idle: { name: 'idle' },
  connecting: { name: 'connecting', failures: 2 },
  'awaiting-approval': { name: 'awaiting-approval', failures: 2 },
  welcomed: { name: 'welcomed', listenerId: 'ours', email: 'me@example.org', since: 1_000, failures: 2 },
  'waiting-to-reconnect': { name: 'waiting-to-reconnect', retryAt: 9_000, failures: 2, why: 'lost' },
  'other-listener': { name: 'other-listener', expected: 'ours', got: 'theirs' },
  'unproven-listener': { name: 'unproven-listener', expected: 'our key', got: 'theirs' },
  denied: { name: 'denied' },
  stopped: { name: 'stopped', reason: 'revoked' },
} as const satisfies { [N in ConnectionState['name']]: Extract<ConnectionState, { name: N }> }

const welcome = { type: 'welcome', email: '', at: 2_000 } as const
const closed = { type: 'closed', at: 2_000, random: 0 } as const

/** Events whose meaning depends on what they carry are several. The key begins with the event's type. */
const EVENTS = {
  connect: { type: 'connect' },
  disconnect: { type: 'disconnect' },
  opened: { type: 'opened' },
  silence: { type: 'silence' },
  'challenged/first': { type: 'challenged', key: 'our key', isValid: true, pinned: {} },
  'challenged/known': { type: 'challenged', key: 'our key', isValid: true, pinned: { key: 'our key' } },
  'challenged/other': { type: 'challenged', key: 'their key', isValid: true, pinned: { key: 'our key' } },
  'challenged/invalid': { type: 'challenged', key: 'our key', isValid: false, pinned: { key: 'our key' } },
  'welcome/first': { ...welcome, listenerId: 'ours', pinned: {} },
  'welcome/known': { ...welcome, listenerId: 'ours', pinned: { listenerId: 'ours' } },
  'welcome/other': { ...welcome, listenerId: 'theirs', pinned: { listenerId: 'ours' } },
  'welcome/unproven': { ...welcome, listenerId: 'ours', pinned: { listenerId: 'ours', key: 'our key' } },
  rejected: { type: 'rejected' },
  'closed/1006': { ...closed, code: 1006 },
  'closed/later': { ...closed, code: CLOSE_CODES.goingAway.code },
  'closed/never': { ...closed, code: CLOSE_CODES.badHandshake.code },
  'closed/denied': { ...closed, code: CLOSE_CODES.denied.code },
  'retry-due': { type: 'retry-due' },
  nudge: { type: 'nudge' },
  'accept-listener/offered': { type: 'accept-listener', listenerId: 'theirs' },
  'accept-listener/unknown': { type: 'accept-listener', listenerId: 'nobody' },
} as const satisfies Record<EventKey, ConnectionEvent>

type EventKey = {
  [T in ConnectionEvent['type']]: T extends 'welcome'
    ? 'welcome/first' | 'welcome/known' | 'welcome/other' | 'welcome/unproven'
    : T extends 'challenged'
      ? 'challenged/first' | 'challenged/known' | 'challenged/other' | 'challenged/invalid'
      : T extends 'closed'
        ? 'closed/1006' | 'closed/later' | 'closed/never' | 'closed/denied'
        : T extends 'accept-listener'
          ? 'accept-listener/offered' | 'accept-listener/unknown'
          : T
}[ConnectionEvent['type']]

/** `next state: effects`; the empty text: nothing happens. */
type Row = Record<EventKey, string>

const UNASKED = { 'challenged/first': '', 'challenged/known': '', 'challenged/other': '', 'challenged/invalid': '' }

const INERT: Row = {
  connect: 'connecting: open',
  disconnect: 'idle',
  opened: '',
  silence: '',
  'welcome/first': '',
  'welcome/known': '',
  'welcome/other': '',
  'welcome/unproven': '',
  ...UNASKED,
  rejected: '',
  'closed/1006': '',
  'closed/later': '',
  'closed/never': '',
  'closed/denied': '',
  'retry-due': '',
  nudge: '',
  'accept-listener/offered': '',
  'accept-listener/unknown': '',
}

const AWAITING_WELCOME: Row = {
  connect: '',
  disconnect: 'idle: drop-socket',
  opened: 'same: send-hello',
  silence: 'awaiting-approval',
  'welcome/first': 'welcomed: pin restore-subscriptions',
  'welcome/known': 'welcomed: restore-subscriptions',
  'welcome/other': 'other-listener: drop-socket',
  'welcome/unproven': 'unproven-listener: drop-socket',
  'challenged/first': 'kept: prove',
  'challenged/known': 'kept: prove',
  'challenged/other': 'unproven-listener: drop-socket',
  'challenged/invalid': 'unproven-listener: drop-socket',
  rejected: 'denied: drop-socket',
  'closed/1006': 'waiting-to-reconnect: await-retry',
  'closed/later': 'waiting-to-reconnect: await-retry',
  'closed/never': 'stopped',
  'closed/denied': 'denied',
  'retry-due': '',
  nudge: '',
  'accept-listener/offered': '',
  'accept-listener/unknown': '',
}

const TABLE: Record<ConnectionState['name'], Row> = {
  idle: { ...INERT, disconnect: '' },
  connecting: AWAITING_WELCOME,
  'awaiting-approval': { ...AWAITING_WELCOME, silence: '' },
  welcomed: {
    connect: '',
    disconnect: 'idle: drop-socket settle-calls',
    opened: '',
    silence: '',
    'welcome/first': '',
    'welcome/known': '',
    'welcome/other': 'other-listener: drop-socket settle-calls',
    'welcome/unproven': '',
    ...UNASKED,
    rejected: 'denied: drop-socket settle-calls',
    'closed/1006': 'waiting-to-reconnect: settle-calls await-retry',
    'closed/later': 'waiting-to-reconnect: settle-calls await-retry',
    'closed/never': 'stopped: settle-calls',
    'closed/denied': 'denied: settle-calls',
    'retry-due': '',
    nudge: '',
    'accept-listener/offered': '',
    'accept-listener/unknown': '',
  },
  'waiting-to-reconnect': { ...INERT, 'retry-due': 'connecting: open', nudge: 'connecting: open' },
  'other-listener': { ...INERT, 'accept-listener/offered': 'connecting: pin open' },
  'unproven-listener': { ...INERT, 'accept-listener/offered': 'connecting: pin open' },
  denied: INERT,
  stopped: INERT,
}

const CELLS = Object.entries(TABLE).flatMap(([state, row]) =>
  Object.entries(row).map(([event, outcome]) => ({
    state: state as keyof typeof STATES,
    event: event as EventKey,
    outcome,
  })),
)

describe('step', () => {
  it.each(CELLS)('$state, $event: $outcome', ({ state, event, outcome }) => {
    const before = STATES[state]
    const { state: after, effects } = step(before, EVENTS[event])
    const [name, ...expected] = outcome.split(/:? /)
    if (name === '' || name === 'same') expect(after).toEqual(before)
    else if (name === 'kept') expect(after).toEqual({ ...before, key: 'our key' })
    else expect(after.name).toBe(name)
    expect(effects.map(({ type }) => type)).toEqual(expected)
  })

  it('changes nothing it was given', () => {
    const frozen = Object.freeze({ ...STATES.welcomed })
    step(frozen, EVENTS['closed/1006'])
    expect(frozen).toEqual(STATES.welcomed)
  })
})

describe('a listener that has proved itself', () => {
  const proved = { ...STATES.connecting, key: 'our key' }
  const known = { listenerId: 'ours', key: 'our key' }
  const welcomedWith = (pinned: Pin) => step(proved, { ...EVENTS['welcome/first'], pinned })

  it.each<[what: string, pinned: Pin]>([
    ['at the first welcome', {}],
    ['where only its id was known', { listenerId: 'ours' }],
    ['where a person has accepted its key', { key: 'our key' }],
  ])('is pinned by its key and its id: %s', (_what, pinned) => {
    expect(welcomedWith(pinned)).toMatchObject({
      state: { name: 'welcomed', key: 'our key' },
      effects: [{ type: 'pin', pin: known }, { type: 'restore-subscriptions' }],
    })
  })

  it('is pinned once', () => {
    expect(welcomedWith(known).effects).toEqual([{ type: 'restore-subscriptions' }])
  })

  it('and has another id than the pinned one is still another listener', () => {
    expect(welcomedWith({ ...known, listenerId: 'other' }).state).toMatchObject({ name: 'other-listener' })
  })

  it('is not the pinned one if it proved itself by a key that was not pinned yet then, but is by now', () => {
    expect(welcomedWith({ listenerId: 'ours', key: 'their key' }).state).toEqual({
      name: 'unproven-listener',
      expected: 'their key',
    })
  })

  it('may be accepted by a person, by its key; the id is then learnt anew', () => {
    const accepted = { type: 'accept-listener', listenerId: 'theirs' } as const
    expect(step(STATES['unproven-listener'], accepted).effects).toContainEqual({ type: 'pin', pin: { key: 'theirs' } })
    const nothing: ConnectionState = { name: 'unproven-listener', expected: 'our key' }
    expect(step(nothing, accepted).state).toBe(nothing)
  })

  it('is waited for as before: the key stays while the operator is asked', () => {
    expect(step(proved, EVENTS.silence).state).toEqual({ name: 'awaiting-approval', failures: 2, key: 'our key' })
  })
})

describe('what states carry', () => {
  it('pins the first listener and tells who signed in there', () => {
    expect(step(STATES.connecting, { ...EVENTS['welcome/first'], email: 'me@example.org' })).toEqual({
      state: { name: 'welcomed', listenerId: 'ours', email: 'me@example.org', since: 2_000, failures: 2 },
      effects: [{ type: 'pin', pin: { listenerId: 'ours' } }, { type: 'restore-subscriptions' }],
    })
  })

  it('shows both ids of another listener, and pins the one the person agreed to', () => {
    const { state } = step(STATES.connecting, EVENTS['welcome/other'])
    expect(state).toEqual({ name: 'other-listener', expected: 'ours', got: 'theirs' })
    const { effects } = step(state, EVENTS['accept-listener/offered'])
    expect(effects).toEqual([{ type: 'pin', pin: { listenerId: 'theirs' } }, { type: 'open' }])
  })

  it('tells why it waits: nobody there, a broken connection, or what hookline said', () => {
    const why = (state: ConnectionState, event: ConnectionEvent) => {
      const { state: after } = step(state, event)
      return after.name === 'waiting-to-reconnect' ? after.why : after.name
    }
    expect(why(STATES.connecting, EVENTS['closed/1006'])).toBe('unreachable')
    expect(why(STATES['awaiting-approval'], EVENTS['closed/1006'])).toBe('lost')
    expect(why(STATES.welcomed, EVENTS['closed/1006'])).toBe('lost')
    expect(why(STATES.welcomed, { ...closed, code: 1013 })).toBe('tooSlow')
    expect(why(STATES.connecting, { ...closed, code: 4429 })).toBe('busy')
  })

  it('counts failures in a row, and forgets them after a session of ten seconds', () => {
    const afterClose = (state: ConnectionState, at: number) => {
      const { state: after } = step(state, { ...closed, code: 1006, at })
      return after.name === 'waiting-to-reconnect' ? [after.failures, after.retryAt - at] : after.name
    }
    expect(afterClose({ name: 'connecting', failures: 0 }, 0)).toEqual([1, 250])
    expect(afterClose(STATES.connecting, 0)).toEqual([3, 1_000])
    expect(afterClose(STATES.welcomed, 10_999)).toEqual([3, 1_000])
    expect(afterClose(STATES.welcomed, 11_000)).toEqual([1, 250])
  })

  it('keeps counting through attempts, and starts anew when a person asks', () => {
    expect(step(STATES['waiting-to-reconnect'], EVENTS['retry-due']).state).toEqual({ name: 'connecting', failures: 2 })
    expect(step(STATES['waiting-to-reconnect'], EVENTS.nudge).state).toEqual({ name: 'connecting', failures: 2 })
    expect(step(STATES['waiting-to-reconnect'], EVENTS.connect).state).toEqual({ name: 'connecting', failures: 0 })
  })

  it('asks for the retry at the very time it tells', () => {
    const { state, effects } = step(IDLE, EVENTS.connect)
    const after = step(state, { ...EVENTS['closed/1006'], random: 0.5 })
    expect(effects).toEqual([{ type: 'open' }])
    expect(after.state).toMatchObject({ retryAt: 2_375 })
    expect(after.effects).toEqual([{ type: 'await-retry', at: 2_375 }])
  })
})
