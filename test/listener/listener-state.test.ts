// The listener's life, every state against every event. The table's type has a cell for each: a new state or event without its cells
// does not compile.
import { describe, expect, it } from 'vitest'
import {
  describeState,
  INITIAL_STATE,
  isServing,
  type ListenerEffect,
  type ListenerEvent,
  type ListenerState,
  type StateEvent,
  step,
} from '../../src/listener/listener-state.ts'

const inUse = Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
const denied = Object.assign(new Error('denied'), { code: 'EACCES' })
const deniedAgain = Object.assign(new Error('denied again'), { code: 'EACCES' })
const absent = Object.assign(new Error('absent'), { code: 'EADDRNOTAVAIL' })

/** States whose cells depend on what they hold are several. The key begins with the state's name. */
const STATES = {
  idle: { name: 'idle' },
  'binding/first': { name: 'binding' },
  'binding/taken-unasked': { name: 'binding', after: { name: 'taken' } },
  'binding/taken-known': { name: 'binding', after: { name: 'taken', holder: { pid: 7 } } },
  'binding/failed': { name: 'binding', after: { name: 'failed', error: denied } },
  bound: { name: 'bound' },
  'taken/unasked': { name: 'taken' },
  'taken/known': { name: 'taken', holder: { pid: 7 } },
  failed: { name: 'failed', error: denied },
  'disabled/none': { name: 'disabled', server: 'none' },
  'disabled/binding': { name: 'disabled', server: 'binding' },
  'disabled/bound': { name: 'disabled', server: 'bound' },
  'stopping/binding': { name: 'stopping', server: 'binding' },
  'stopping/bound': { name: 'stopping', server: 'bound' },
  stopped: { name: 'stopped' },
} as const satisfies { readonly [K in StateKey]: StateOf<K> }

type Variants = {
  [N in ListenerState['name']]: N extends 'binding'
    ? `binding/${'first' | 'taken-unasked' | 'taken-known' | 'failed'}`
    : N extends 'taken'
      ? `taken/${'unasked' | 'known'}`
      : N extends 'disabled'
        ? `disabled/${'none' | 'binding' | 'bound'}`
        : N extends 'stopping'
          ? `stopping/${'binding' | 'bound'}`
          : N
}
type StateKey = Variants[ListenerState['name']]
type StateOf<K extends StateKey> = Extract<ListenerState, { name: K extends `${infer N}/${string}` ? N : K }>

const EVENTS = {
  'start/on': { type: 'start', isEnabled: true },
  'start/off': { type: 'start', isEnabled: false },
  'bind-succeeded': { type: 'bind-succeeded' },
  'bind-failed/in-use': { type: 'bind-failed', error: inUse },
  'bind-failed/denied': { type: 'bind-failed', error: deniedAgain },
  'bind-failed/absent': { type: 'bind-failed', error: absent },
  'flag-on': { type: 'flag-on' },
  'flag-off': { type: 'flag-off' },
  'retry-due': { type: 'retry-due' },
  'holder-answered': { type: 'holder-answered', pid: 9 },
  'server-failed': { type: 'server-failed', error: denied },
  'stop-asked': { type: 'stop-asked' },
  'cut-asked': { type: 'cut-asked' },
  closed: { type: 'closed' },
} as const satisfies Record<EventKey, StateEvent>

type EventVariants = {
  [T in StateEvent['type']]: T extends 'start'
    ? `start/${'on' | 'off'}`
    : T extends 'bind-failed'
      ? `bind-failed/${'in-use' | 'denied' | 'absent'}`
      : T
}
type EventKey = EventVariants[StateEvent['type']]

type Outcome = readonly [next: ListenerState, ...effects: readonly (ListenerEffect | ListenerEffect['type'])[]]
/** Nothing changes and nothing happens. */
const stays = 'stays'

const tell = (event: ListenerEvent): ListenerEffect => ({ type: 'report', event })
const failedWith = (error: Error): Outcome => [
  { name: 'failed', error },
  tell({ type: 'failed', error }),
  'retry-later',
]
const known = { name: 'taken', holder: { pid: 9 } } as const
const toldOfHolder = tell({ type: 'port-taken', holderPid: 9 })
const listening: Outcome = [STATES.bound, tell({ type: 'listening' })]
const newlyTaken: Outcome = [STATES['taken/unasked'], 'ask-holder', 'retry-later']
const stoppedBinding: Outcome = [STATES['stopping/binding'], 'stop-watching']
const switchedOff: Outcome = [STATES['disabled/none'], 'cancel-retry', tell({ type: 'disabled' })]
const switchedOffInTime: Outcome = [STATES['disabled/binding'], tell({ type: 'disabled' })]
const serverFailed = tell({ type: 'failed', error: denied })
const enabled = tell({ type: 'enabled' })

const nothing = {
  'start/on': stays,
  'start/off': stays,
  'bind-succeeded': stays,
  'bind-failed/in-use': stays,
  'bind-failed/denied': stays,
  'bind-failed/absent': stays,
  'flag-on': stays,
  'flag-off': stays,
  'retry-due': stays,
  'holder-answered': stays,
  'server-failed': stays,
  'stop-asked': stays,
  'cut-asked': stays,
  closed: stays,
} as const satisfies Record<EventKey, typeof stays>

const TABLE: { readonly [S in StateKey]: { readonly [E in EventKey]: Outcome | typeof stays } } = {
  idle: {
    ...nothing,
    'start/on': [STATES['binding/first'], 'watch-flag', 'bind'],
    'start/off': [STATES['disabled/none'], 'watch-flag', tell({ type: 'disabled' })],
    'stop-asked': [STATES.stopped],
  },
  'binding/first': {
    ...nothing,
    'bind-succeeded': listening,
    'bind-failed/in-use': newlyTaken,
    'bind-failed/denied': failedWith(deniedAgain),
    'bind-failed/absent': failedWith(absent),
    'flag-off': switchedOffInTime,
    'stop-asked': stoppedBinding,
  },
  'binding/taken-unasked': {
    ...nothing,
    'bind-succeeded': listening,
    'bind-failed/in-use': [STATES['taken/unasked'], 'retry-later'],
    'bind-failed/denied': failedWith(deniedAgain),
    'bind-failed/absent': failedWith(absent),
    'flag-off': switchedOffInTime,
    'holder-answered': [{ name: 'binding', after: known }, toldOfHolder],
    'stop-asked': stoppedBinding,
  },
  'binding/taken-known': {
    ...nothing,
    'bind-succeeded': listening,
    'bind-failed/in-use': [STATES['taken/known'], 'retry-later'],
    'bind-failed/denied': failedWith(deniedAgain),
    'bind-failed/absent': failedWith(absent),
    'flag-off': switchedOffInTime,
    'stop-asked': stoppedBinding,
  },
  'binding/failed': {
    ...nothing,
    'bind-succeeded': listening,
    'bind-failed/in-use': newlyTaken,
    'bind-failed/denied': [{ name: 'failed', error: deniedAgain }, 'retry-later'],
    'bind-failed/absent': failedWith(absent),
    'flag-off': switchedOffInTime,
    'stop-asked': stoppedBinding,
  },
  bound: {
    ...nothing,
    'flag-off': [STATES['disabled/bound'], 'hang-up-pages', tell({ type: 'disabled' })],
    'server-failed': [STATES.bound, serverFailed],
    'stop-asked': [STATES['stopping/bound'], 'stop-watching', 'close-server'],
  },
  'taken/unasked': {
    ...nothing,
    'flag-off': switchedOff,
    'retry-due': [STATES['binding/taken-unasked'], 'bind'],
    'holder-answered': [known, toldOfHolder],
    'stop-asked': [STATES.stopped, 'stop-watching', 'cancel-retry'],
  },
  'taken/known': {
    ...nothing,
    'flag-off': switchedOff,
    'retry-due': [STATES['binding/taken-known'], 'bind'],
    'stop-asked': [STATES.stopped, 'stop-watching', 'cancel-retry'],
  },
  failed: {
    ...nothing,
    'flag-off': switchedOff,
    'retry-due': [STATES['binding/failed'], 'bind'],
    'stop-asked': [STATES.stopped, 'stop-watching', 'cancel-retry'],
  },
  'disabled/none': {
    ...nothing,
    'flag-on': [STATES['binding/first'], enabled, 'bind'],
    'bind-succeeded': [STATES['disabled/bound']],
    'server-failed': [STATES['disabled/none'], serverFailed],
    'stop-asked': [STATES.stopped, 'stop-watching'],
  },
  'disabled/binding': {
    ...nothing,
    'flag-on': [STATES['binding/first'], enabled],
    'bind-succeeded': [STATES['disabled/bound']],
    'bind-failed/in-use': [STATES['disabled/none']],
    'bind-failed/denied': [STATES['disabled/none']],
    'bind-failed/absent': [STATES['disabled/none']],
    'server-failed': [STATES['disabled/binding'], serverFailed],
    'stop-asked': stoppedBinding,
  },
  'disabled/bound': {
    ...nothing,
    'flag-on': [STATES.bound, enabled],
    'server-failed': [STATES['disabled/bound'], serverFailed],
    'stop-asked': [STATES['stopping/bound'], 'stop-watching', 'close-server'],
  },
  'stopping/binding': {
    ...nothing,
    'bind-succeeded': [STATES['stopping/bound'], 'close-server', 'cut-connections'],
    'bind-failed/in-use': [STATES.stopped],
    'bind-failed/denied': [STATES.stopped],
    'bind-failed/absent': [STATES.stopped],
    closed: [STATES.stopped],
  },
  'stopping/bound': {
    ...nothing,
    'bind-succeeded': [STATES['stopping/bound'], 'close-server', 'cut-connections'],
    'cut-asked': [STATES['stopping/bound'], 'cut-connections'],
    closed: [STATES.stopped],
  },
  stopped: nothing,
}

const cells = (Object.keys(STATES) as StateKey[]).flatMap((state) =>
  (Object.keys(EVENTS) as EventKey[]).map((event) => ({ state, event, outcome: TABLE[state][event] })),
)

describe('a step', () => {
  it.each(cells)('$state + $event', ({ state, event, outcome }) => {
    const before = STATES[state]
    const [next, ...effects] = outcome === stays ? [before] : outcome
    expect(step(before, EVENTS[event])).toEqual({
      state: next,
      effects: effects.map((effect) => (typeof effect === 'string' ? { type: effect } : effect)),
    })
  })

  it('begins idle', () => {
    expect(INITIAL_STATE).toEqual(STATES.idle)
  })
})

describe('what is told of a state', () => {
  it.each<[StateKey, ReturnType<typeof describeState>]>([
    ['idle', { state: 'not-started' }],
    ['binding/first', { state: 'starting' }],
    ['binding/taken-unasked', { state: 'port-taken' }],
    ['binding/taken-known', { state: 'port-taken', holderPid: 7 }],
    ['binding/failed', { state: 'failed', reason: 'denied' }],
    ['bound', { state: 'listening' }],
    ['taken/unasked', { state: 'port-taken' }],
    ['taken/known', { state: 'port-taken', holderPid: 7 }],
    ['failed', { state: 'failed', reason: 'denied' }],
    ['disabled/none', { state: 'disabled' }],
    ['disabled/binding', { state: 'disabled' }],
    ['disabled/bound', { state: 'disabled' }],
    ['stopping/binding', { state: 'stopping' }],
    ['stopping/bound', { state: 'stopping' }],
    ['stopped', { state: 'not-started' }],
  ])('%s: %j', (state, says) => {
    expect(describeState(STATES[state])).toEqual(says)
  })

  it('serves in every state but those of its end', () => {
    const serving = (Object.keys(STATES) as StateKey[]).filter((state) => isServing(STATES[state]))
    expect(serving).toEqual((Object.keys(STATES) as StateKey[]).filter((state) => !state.startsWith('stop')))
  })
})
