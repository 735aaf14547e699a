// The states of a session (behaviour 111): every state against every event. The table's type has a cell for each: a new state or event
// without its cells does not compile.
import { describe, expect, it } from 'vitest'
import {
  type Hello,
  INITIAL_STATE,
  type LateEvent,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  step,
} from '../../../src/listener/sessions/session-state.ts'
import type { ClientFrame } from '../../../src/protocol/frames.ts'

const key = `BA${'k'.repeat(84)}A`
const hello: Hello = { t: 'hello', clientId: 'tab-1', label: 'Console', webCrossTradeActive: false }
const leading: Hello = { ...hello, webCrossTradeActive: true }
const keyed: Hello = { ...hello, key, nonce: `${'n'.repeat(42)}A` }
const early = { events: [], bytes: 0 }

const STATES = {
  'awaiting-hello': { name: 'awaiting-hello' },
  'awaiting-proof': { name: 'awaiting-proof', hello: keyed, early },
  'checking-proof': { name: 'checking-proof', hello: keyed, early },
  'awaiting-decision': { name: 'awaiting-decision', hello, early },
  welcomed: { name: 'welcomed', hello },
  closed: { name: 'closed' },
} as const satisfies { [N in SessionState['name']]: Extract<SessionState, { name: N }> }

type WorkType = Exclude<ClientFrame['t'], 'hello' | 'proof' | 'client:state'>

const WORK = {
  subscribe: { t: 'subscribe', topics: ['hooks'] },
  unsubscribe: { t: 'unsubscribe', topics: ['hooks'] },
  'cmd:exec': { t: 'cmd:exec', id: '1', command: 'echo ok' },
  preview: { t: 'preview', id: '1', command: 'echo ok' },
  'mutate:account': { t: 'mutate:account', id: '1', op: 'delete', name: 'x' },
  'mutate:hook': { t: 'mutate:hook', id: '1', op: 'revoke', hookId: 'x' },
  'mutate:cross-trade-config': { t: 'mutate:cross-trade-config', id: '1', op: 'delete' },
  'runs:query': { t: 'runs:query', id: '1' },
  'runs:show': { t: 'runs:show', id: '1', runId: 'r' },
  'fills:query': { t: 'fills:query', id: '1' },
  'equity:query': { t: 'equity:query', id: '1' },
  'pnl:query': { t: 'pnl:query', id: '1', by: 'day' },
  'trades:query': { t: 'trades:query', id: '1' },
  'orders:query': { t: 'orders:query', id: '1' },
  'markets:query': { t: 'markets:query', id: '1', symbols: ['BTCUSDT'] },
  'market:watch': { t: 'market:watch', id: '1', symbol: 'BTCUSDT' },
  'market:unwatch': { t: 'market:unwatch', id: '1' },
  'portfolio:watch': { t: 'portfolio:watch', id: '1' },
  'portfolio:unwatch': { t: 'portfolio:unwatch', id: '1' },
  'copies:query': { t: 'copies:query', id: '1' },
  propose: { t: 'propose', id: '1', line: 'buy 1', account: 'main', reason: 'dip' },
  withdraw: { t: 'withdraw', id: '1', proposal: 'p-k7mq2rtz' },
  approve: { t: 'approve', id: '1', proposal: 'p-k7mq2rtz', shown: 'ab'.repeat(32) },
  'clients:query': { t: 'clients:query', id: '1' },
  'clients:narrow': { t: 'clients:narrow', id: '1', client: 'ab'.repeat(8), to: 'look' },
  deny: { t: 'deny', id: '1', proposal: 'p-k7mq2rtz' },
  'copy:check': { t: 'copy:check', id: '1' },
  'hooks:counts': { t: 'hooks:counts', id: '1' },
  'hooks:replay': { t: 'hooks:replay', id: '1', hookId: 'dip', days: 30 },
  'hooks:test': { t: 'hooks:test', id: '1', hookId: 'dip' },
  complete: { t: 'complete', id: '1', line: 'bu', cursor: 2 },
} as const satisfies { [T in WorkType]: Extract<ClientFrame, { t: T }> }

const bytes = 100

const WORK_TYPES = Object.keys(WORK) as readonly WorkType[]

/** A cell for each frame of a welcomed client. */
function everyWork<T>(cellOf: (t: WorkType) => T): { readonly [K in `frame/${WorkType}`]: T } {
  return Object.fromEntries(WORK_TYPES.map((t) => [`frame/${t}`, cellOf(t)])) as { [K in `frame/${WorkType}`]: T }
}

/** Events whose meaning depends on what they carry are several. The key begins with the event's type. */
const EVENTS = {
  'hello/trusted': { type: 'hello', frame: hello, standing: 'trusted' },
  'hello/unknown': { type: 'hello', frame: hello, standing: 'unknown' },
  'hello/keyed': { type: 'hello', frame: hello, standing: 'keyed' },
  'hello/with a key': { type: 'hello', frame: keyed, standing: 'trusted' },
  proof: { type: 'proof', signature: 'signed' },
  'proof-checked/trusted': { type: 'proof-checked', isValid: true, standing: 'trusted' },
  'proof-checked/unknown': { type: 'proof-checked', isValid: true, standing: 'unknown' },
  'proof-checked/wrong': { type: 'proof-checked', isValid: false, standing: 'trusted' },
  'frame/client:state': { type: 'frame', frame: { t: 'client:state', webCrossTradeActive: true }, bytes },
  ...everyWork((t) => ({ type: 'frame' as const, frame: WORK[t], bytes })),
  'bad-frame/hello': { type: 'bad-frame', error: 'why', t: 'hello', bytes },
  'bad-frame/proof': { type: 'bad-frame', error: 'why', t: 'proof', bytes },
  'bad-frame/other': { type: 'bad-frame', error: 'why', t: 'cmd:exec', id: '7', bytes },
  'bad-frame/no-json': { type: 'bad-frame', error: 'why', bytes },
  'hello-timeout': { type: 'hello-timeout' },
  approved: { type: 'approved' },
  denied: { type: 'denied' },
  'hang-up': { type: 'hang-up', reason: 'goingAway' },
  gone: { type: 'gone' },
} as const satisfies Record<EventKey, SessionEvent>

type Variants = {
  [K in SessionEvent['type']]: K extends 'hello'
    ? 'hello/trusted' | 'hello/unknown' | 'hello/keyed' | 'hello/with a key'
    : K extends 'proof-checked'
      ? `proof-checked/${'trusted' | 'unknown' | 'wrong'}`
      : K extends 'frame'
        ? `frame/${WorkType | 'client:state'}`
        : K extends 'bad-frame'
          ? `bad-frame/${'hello' | 'proof' | 'other' | 'no-json'}`
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
const unproven: Outcome = ['closed', close('proofFailed')]
const dead: Outcome = ['closed']
const work = (t: WorkType): Outcome => ['welcomed', { type: 'work', frame: WORK[t] }]

type WaitingName = 'awaiting-proof' | 'checking-proof' | 'awaiting-decision'

/** A frame that comes before `welcome` waits for it. */
const kept = (name: WaitingName, event: LateEvent): Outcome => [
  { ...STATES[name], early: { events: [event], bytes } } as SessionState,
]
const keptIn = (name: WaitingName) => ({
  ...everyWork((t) => kept(name, EVENTS[`frame/${t}`])),
  'bad-frame/other': kept(name, EVENTS['bad-frame/other']),
  'bad-frame/no-json': kept(name, EVENTS['bad-frame/no-json']),
})

const TABLE: { readonly [S in SessionState['name']]: { readonly [E in EventKey]: Outcome } } = {
  'awaiting-hello': {
    'hello/trusted': ['welcomed', welcome],
    'hello/unknown': ['awaiting-decision', { type: 'ask-operator', hello }],
    'hello/keyed': unproven,
    'hello/with a key': ['awaiting-proof', { type: 'challenge', hello: keyed }],
    proof: badFirst,
    'proof-checked/trusted': ['awaiting-hello'],
    'proof-checked/unknown': ['awaiting-hello'],
    'proof-checked/wrong': ['awaiting-hello'],
    'frame/client:state': badFirst,
    ...everyWork(() => badFirst),
    'bad-frame/hello': badFirst,
    'bad-frame/proof': badFirst,
    'bad-frame/other': badFirst,
    'bad-frame/no-json': badFirst,
    'hello-timeout': ['closed', close('noHello')],
    approved: ['awaiting-hello'],
    denied: ['awaiting-hello'],
    'hang-up': ['closed', close('goingAway')],
    gone: ['closed', forget],
  },
  'awaiting-proof': {
    ...keptIn('awaiting-proof'),
    'hello/trusted': secondHello,
    'hello/unknown': secondHello,
    'hello/keyed': secondHello,
    'hello/with a key': secondHello,
    proof: ['checking-proof', { type: 'check-proof', signature: 'signed' }],
    'proof-checked/trusted': ['awaiting-proof'],
    'proof-checked/unknown': ['awaiting-proof'],
    'proof-checked/wrong': ['awaiting-proof'],
    'frame/client:state': [{ ...STATES['awaiting-proof'], hello: { ...keyed, webCrossTradeActive: true } }],
    'bad-frame/hello': secondHello,
    'bad-frame/proof': badFirst,
    'hello-timeout': ['closed', close('noHello')],
    approved: ['awaiting-proof'],
    denied: ['awaiting-proof'],
    'hang-up': ['closed', close('goingAway')],
    gone: ['closed', forget],
  },
  'checking-proof': {
    ...keptIn('checking-proof'),
    'hello/trusted': secondHello,
    'hello/unknown': secondHello,
    'hello/keyed': secondHello,
    'hello/with a key': secondHello,
    proof: badFirst,
    'proof-checked/trusted': [{ name: 'welcomed', hello: keyed }, welcome],
    'proof-checked/unknown': [
      { name: 'awaiting-decision', hello: keyed, early },
      { type: 'ask-operator', hello: keyed },
    ],
    'proof-checked/wrong': unproven,
    'frame/client:state': [{ ...STATES['checking-proof'], hello: { ...keyed, webCrossTradeActive: true } }],
    'bad-frame/hello': secondHello,
    'bad-frame/proof': badFirst,
    'hello-timeout': ['checking-proof'],
    approved: ['checking-proof'],
    denied: ['checking-proof'],
    'hang-up': ['closed', close('goingAway')],
    gone: ['closed', forget],
  },
  'awaiting-decision': {
    ...keptIn('awaiting-decision'),
    'hello/trusted': impatient,
    'hello/unknown': impatient,
    'hello/keyed': impatient,
    'hello/with a key': impatient,
    proof: impatient,
    'proof-checked/trusted': ['awaiting-decision'],
    'proof-checked/unknown': ['awaiting-decision'],
    'proof-checked/wrong': ['awaiting-decision'],
    'frame/client:state': [{ name: 'awaiting-decision', hello: leading, early }],
    'bad-frame/hello': impatient,
    'bad-frame/proof': impatient,
    'hello-timeout': ['awaiting-decision'],
    approved: ['welcomed', welcome],
    denied: ['closed', { type: 'reject' }, close('denied')],
    'hang-up': ['closed', withdraw, close('goingAway')],
    gone: ['closed', withdraw, forget],
  },
  welcomed: {
    'hello/trusted': secondHello,
    'hello/unknown': secondHello,
    'hello/keyed': secondHello,
    'hello/with a key': secondHello,
    proof: ['welcomed', { type: 'send-error', error: 'this session needs no `proof`' }],
    'proof-checked/trusted': ['welcomed'],
    'proof-checked/unknown': ['welcomed'],
    'proof-checked/wrong': ['welcomed'],
    'frame/client:state': [{ name: 'welcomed', hello: leading }, { type: 'note-flags' }],
    ...everyWork(work),
    'bad-frame/hello': secondHello,
    'bad-frame/proof': ['welcomed', { type: 'send-error', error: 'why' }],
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
    'hello/keyed': dead,
    'hello/with a key': dead,
    proof: dead,
    'proof-checked/trusted': dead,
    'proof-checked/unknown': dead,
    'proof-checked/wrong': dead,
    'frame/client:state': dead,
    ...everyWork(() => dead),
    'bad-frame/hello': dead,
    'bad-frame/proof': dead,
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

  it('is never welcomed but by trust or by the operator, and with a key never before it is proved', () => {
    const welcoming = cells
      .filter(([, , [, ...effects]]) => effects.includes(welcome))
      .map(([name, event]) => [name, event])
    expect(welcoming).toEqual([
      ['awaiting-hello', 'hello/trusted'],
      ['checking-proof', 'proof-checked/trusted'],
      ['awaiting-decision', 'approved'],
    ])
  })
})
