// The states of a session (behaviour 111): every state against every event. The table's type has a cell for each: a new state or event
// without its cells does not compile.
import { describe, expect, it } from 'vitest'
import {
  type Hello,
  INITIAL_STATE,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  step,
} from '../../../src/listener/sessions/session-state.ts'
import type { ClientFrame } from '../../../src/protocol/frames.ts'

const hello: Hello = { t: 'hello', clientId: 'tab-1', label: 'Console', webCrossTradeActive: false }
const leading: Hello = { ...hello, webCrossTradeActive: true }

const STATES = {
  'awaiting-hello': { name: 'awaiting-hello' },
  'awaiting-decision': { name: 'awaiting-decision', hello },
  welcomed: { name: 'welcomed', hello },
  closed: { name: 'closed' },
} as const satisfies { [N in SessionState['name']]: Extract<SessionState, { name: N }> }

type WorkType = Exclude<ClientFrame['t'], 'hello' | 'client:state'>

const WORK = {
  subscribe: { t: 'subscribe', topics: ['hooks'] },
  unsubscribe: { t: 'unsubscribe', topics: ['hooks'] },
  'cmd:exec': { t: 'cmd:exec', id: '1', command: 'echo ok' },
  'mutate:account': { t: 'mutate:account', id: '1', op: 'delete', name: 'x' },
  'mutate:hook': { t: 'mutate:hook', id: '1', op: 'revoke', hookId: 'x' },
  'mutate:cross-trade-config': { t: 'mutate:cross-trade-config', id: '1', op: 'delete' },
} as const satisfies { [T in WorkType]: Extract<ClientFrame, { t: T }> }

/** Events whose meaning depends on what they carry are several. The key begins with the event's type. */
const EVENTS = {
  'hello/trusted': { type: 'hello', frame: hello, isTrusted: true },
  'hello/unknown': { type: 'hello', frame: hello, isTrusted: false },
  'frame/client:state': { type: 'frame', frame: { t: 'client:state', webCrossTradeActive: true } },
  'frame/subscribe': { type: 'frame', frame: WORK.subscribe },
  'frame/unsubscribe': { type: 'frame', frame: WORK.unsubscribe },
  'frame/cmd:exec': { type: 'frame', frame: WORK['cmd:exec'] },
  'frame/mutate:account': { type: 'frame', frame: WORK['mutate:account'] },
  'frame/mutate:hook': { type: 'frame', frame: WORK['mutate:hook'] },
  'frame/mutate:cross-trade-config': { type: 'frame', frame: WORK['mutate:cross-trade-config'] },
  'bad-frame/hello': { type: 'bad-frame', error: 'why', t: 'hello' },
  'bad-frame/other': { type: 'bad-frame', error: 'why', t: 'cmd:exec', id: '7' },
  'bad-frame/no-json': { type: 'bad-frame', error: 'why' },
  'hello-timeout': { type: 'hello-timeout' },
  approved: { type: 'approved' },
  denied: { type: 'denied' },
  'hang-up': { type: 'hang-up', reason: 'goingAway' },
  gone: { type: 'gone' },
} as const satisfies Record<EventKey, SessionEvent>

type Variants = {
  [K in SessionEvent['type']]: K extends 'hello'
    ? 'hello/trusted' | 'hello/unknown'
    : K extends 'frame'
      ? `frame/${WorkType | 'client:state'}`
      : K extends 'bad-frame'
        ? `bad-frame/${'hello' | 'other' | 'no-json'}`
        : K
}
type EventKey = Variants[SessionEvent['type']]

type Outcome = readonly [next: SessionState | SessionState['name'], ...effects: readonly SessionEffect[]]

const close = (reason: Extract<SessionEffect, { type: 'close' }>['reason']): SessionEffect => ({
  type: 'close',
  reason,
})
const forget: SessionEffect = { type: 'forget' }
const withdraw: SessionEffect = { type: 'withdraw-question' }
const welcome: SessionEffect = { type: 'welcome' }

const badFirst: Outcome = ['closed', close('badHandshake')]
const impatient: Outcome = ['closed', withdraw, close('badHandshake')]
const secondHello: Outcome = ['closed', close('badHandshake')]
const dead: Outcome = ['closed']
const work = (t: WorkType): Outcome => ['welcomed', { type: 'work', frame: WORK[t] }]

const TABLE: { readonly [S in SessionState['name']]: { readonly [E in EventKey]: Outcome } } = {
  'awaiting-hello': {
    'hello/trusted': ['welcomed', welcome],
    'hello/unknown': ['awaiting-decision', { type: 'ask-operator', hello }],
    'frame/client:state': badFirst,
    'frame/subscribe': badFirst,
    'frame/unsubscribe': badFirst,
    'frame/cmd:exec': badFirst,
    'frame/mutate:account': badFirst,
    'frame/mutate:hook': badFirst,
    'frame/mutate:cross-trade-config': badFirst,
    'bad-frame/hello': badFirst,
    'bad-frame/other': badFirst,
    'bad-frame/no-json': badFirst,
    'hello-timeout': ['closed', close('noHello')],
    approved: ['awaiting-hello'],
    denied: ['awaiting-hello'],
    'hang-up': ['closed', close('goingAway')],
    gone: ['closed', forget],
  },
  'awaiting-decision': {
    'hello/trusted': impatient,
    'hello/unknown': impatient,
    'frame/client:state': [{ name: 'awaiting-decision', hello: leading }],
    'frame/subscribe': impatient,
    'frame/unsubscribe': impatient,
    'frame/cmd:exec': impatient,
    'frame/mutate:account': impatient,
    'frame/mutate:hook': impatient,
    'frame/mutate:cross-trade-config': impatient,
    'bad-frame/hello': impatient,
    'bad-frame/other': impatient,
    'bad-frame/no-json': impatient,
    'hello-timeout': ['awaiting-decision'],
    approved: ['welcomed', welcome],
    denied: ['closed', { type: 'reject' }, close('denied')],
    'hang-up': ['closed', withdraw, close('goingAway')],
    gone: ['closed', withdraw, forget],
  },
  welcomed: {
    'hello/trusted': secondHello,
    'hello/unknown': secondHello,
    'frame/client:state': [{ name: 'welcomed', hello: leading }, { type: 'note-flags' }],
    'frame/subscribe': work('subscribe'),
    'frame/unsubscribe': work('unsubscribe'),
    'frame/cmd:exec': work('cmd:exec'),
    'frame/mutate:account': work('mutate:account'),
    'frame/mutate:hook': work('mutate:hook'),
    'frame/mutate:cross-trade-config': work('mutate:cross-trade-config'),
    'bad-frame/hello': secondHello,
    'bad-frame/other': ['welcomed', { type: 'send-error', error: 'why', t: 'cmd:exec', id: '7' }],
    'bad-frame/no-json': ['welcomed', { type: 'send-error', error: 'why' }],
    'hello-timeout': ['welcomed'],
    approved: ['welcomed'],
    denied: ['welcomed'],
    'hang-up': ['closed', close('goingAway')],
    gone: ['closed', forget],
  },
  closed: {
    'hello/trusted': dead,
    'hello/unknown': dead,
    'frame/client:state': dead,
    'frame/subscribe': dead,
    'frame/unsubscribe': dead,
    'frame/cmd:exec': dead,
    'frame/mutate:account': dead,
    'frame/mutate:hook': dead,
    'frame/mutate:cross-trade-config': dead,
    'bad-frame/hello': dead,
    'bad-frame/other': dead,
    'bad-frame/no-json': dead,
    'hello-timeout': dead,
    approved: dead,
    denied: dead,
    'hang-up': dead,
    gone: ['closed', forget],
  },
}

const cells = Object.entries(TABLE).flatMap(([state, row]) =>
  Object.entries(row).map(([event, outcome]) => [state, event, outcome] as const),
)

describe('a session', () => {
  it('begins by awaiting its hello', () => {
    expect(INITIAL_STATE).toEqual(STATES['awaiting-hello'])
  })

  it.each(cells)('%s, on %s', (name, eventKey, [next, ...effects]) => {
    const state = STATES[name as SessionState['name']]
    const result = step(state, EVENTS[eventKey as EventKey])
    expect(result.state).toEqual(typeof next === 'string' ? STATES[next] : next)
    expect(result.effects).toEqual(effects)
  })

  it('keeps what a client said while it waited: flags set then are those it is welcomed with', () => {
    const waiting = step(STATES['awaiting-decision'], EVENTS['frame/client:state']).state
    expect(step(waiting, EVENTS.approved).state).toEqual({ name: 'welcomed', hello: leading })
  })

  it('is never welcomed but by trust or by the operator', () => {
    const welcoming = cells
      .filter(([, , [, ...effects]]) => effects.includes(welcome))
      .map(([name, event]) => [name, event])
    expect(welcoming).toEqual([
      ['awaiting-hello', 'hello/trusted'],
      ['awaiting-decision', 'approved'],
    ])
  })
})
