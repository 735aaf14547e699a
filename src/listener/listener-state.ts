import type { ListenerStatus } from '../commands/kit/data.ts'

// The listener's life, decided without touching anything: (state, event) → {state, effects} (behaviour 26). listener.ts performs the
// effects. The server outlives the flag: once bound it stays bound and answers 503 while `listener.enabled` is false.

/** The port is held by another process. `holder` is absent until the answer to who it is, and then has its pid if it is a hookline. */
interface Taken {
  readonly name: 'taken'
  readonly holder?: { readonly pid: number | undefined }
}

/** The system refuses the address for any other reason. */
interface Failed {
  readonly name: 'failed'
  readonly error: NodeJS.ErrnoException
}

export type ListenerState =
  /** Not started. */
  | { readonly name: 'idle' }
  /** An attempt is under way; `after` is what kept the one before from listening. */
  | { readonly name: 'binding'; readonly after?: Taken | Failed }
  | { readonly name: 'bound' }
  | Taken
  | Failed
  /** The flag is off. An attempt that was under way goes on, and a bound server stays. */
  | { readonly name: 'disabled'; readonly server: 'none' | 'binding' | 'bound' }
  /** Nothing new is accepted; what is open ends by itself or is cut. */
  | { readonly name: 'stopping'; readonly server: 'binding' | 'bound' }
  | { readonly name: 'stopped' }

export type StateEvent =
  | { readonly type: 'start'; readonly isEnabled: boolean }
  | { readonly type: 'bind-succeeded' }
  | { readonly type: 'bind-failed'; readonly error: NodeJS.ErrnoException }
  /** `listener.enabled` as it was last read, changed or not. */
  | { readonly type: 'flag-on' }
  | { readonly type: 'flag-off' }
  | { readonly type: 'retry-due' }
  | { readonly type: 'holder-answered'; readonly pid: number | undefined }
  /** The bound server could not accept a connection. */
  | { readonly type: 'server-failed'; readonly error: NodeJS.ErrnoException }
  /** No new fires from now on. */
  | { readonly type: 'stop-asked' }
  /** What is still open is to be cut. */
  | { readonly type: 'cut-asked' }
  /** The server has let go of the port and of every connection. */
  | { readonly type: 'closed' }

/** For people: what became of the listener. */
export type ListenerEvent =
  | { readonly type: 'listening' }
  | { readonly type: 'port-taken'; readonly holderPid: number | undefined }
  | { readonly type: 'failed'; readonly error: Error }
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled' }

export type ListenerEffect =
  | { readonly type: 'watch-flag' }
  | { readonly type: 'stop-watching' }
  | { readonly type: 'bind' }
  /** A `retry-due` after `takeOverMs`. */
  | { readonly type: 'retry-later' }
  | { readonly type: 'cancel-retry' }
  /** A `holder-answered`, some time. */
  | { readonly type: 'ask-holder' }
  | { readonly type: 'hang-up-pages' }
  | { readonly type: 'close-server' }
  | { readonly type: 'cut-connections' }
  | { readonly type: 'report'; readonly event: ListenerEvent }

interface Transition {
  readonly state: ListenerState
  readonly effects: readonly ListenerEffect[]
}

type In<Name extends ListenerState['name']> = Extract<ListenerState, { readonly name: Name }>
type Cell<Name extends ListenerState['name'], Type extends StateEvent['type']> = (
  state: In<Name>,
  event: Extract<StateEvent, { readonly type: Type }>,
) => Transition

/** A cell for every state and event: without one of them it does not compile. */
type Table = {
  readonly [Name in ListenerState['name']]: { readonly [Type in StateEvent['type']]: Cell<Name, Type> }
}

export const INITIAL_STATE: ListenerState = { name: 'idle' }
const BOUND: ListenerState = { name: 'bound' }
const STOPPED: ListenerState = { name: 'stopped' }

const bind: ListenerEffect = { type: 'bind' }
const stopWatching: ListenerEffect = { type: 'stop-watching' }
const closeServer: ListenerEffect = { type: 'close-server' }
const cutConnections: ListenerEffect = { type: 'cut-connections' }

const TABLE: Table = {
  idle: {
    ...ignored(
      'bind-succeeded',
      'bind-failed',
      'server-failed',
      'closed',
      'flag-on',
      'flag-off',
      'retry-due',
      'holder-answered',
      'cut-asked',
    ),
    start: (_state, { isEnabled }) =>
      isEnabled
        ? to({ name: 'binding' }, { type: 'watch-flag' }, bind)
        : to({ name: 'disabled', server: 'none' }, { type: 'watch-flag' }, report({ type: 'disabled' })),
    'stop-asked': () => to(STOPPED),
  },
  binding: {
    ...ignored('start', 'flag-on', 'retry-due', 'server-failed', 'cut-asked', 'closed'),
    'bind-succeeded': () => to(BOUND, report({ type: 'listening' })),
    'bind-failed': ({ after }, { error }) => (error.code === 'EADDRINUSE' ? portTaken(after) : failed(error, after)),
    'flag-off': () => to({ name: 'disabled', server: 'binding' }, report({ type: 'disabled' })),
    'holder-answered'(state, { pid }) {
      if (state.after?.name !== 'taken' || state.after.holder) return stay(state)
      return to({ name: 'binding', after: heldBy(pid) }, report({ type: 'port-taken', holderPid: pid }))
    },
    'stop-asked': () => to({ name: 'stopping', server: 'binding' }, stopWatching),
  },
  bound: {
    ...ignored(
      'start',
      'bind-succeeded',
      'bind-failed',
      'flag-on',
      'retry-due',
      'holder-answered',
      'cut-asked',
      'closed',
    ),
    'flag-off': () =>
      to({ name: 'disabled', server: 'bound' }, { type: 'hang-up-pages' }, report({ type: 'disabled' })),
    'server-failed': (state, { error }) => to(state, report({ type: 'failed', error })),
    'stop-asked': () => to({ name: 'stopping', server: 'bound' }, stopWatching, closeServer),
  },
  taken: {
    ...ignored('start', 'bind-succeeded', 'bind-failed', 'flag-on', 'server-failed', 'cut-asked', 'closed'),
    'flag-off': () => switchedOff(),
    'retry-due': (state) => to({ name: 'binding', after: state }, bind),
    'holder-answered'(state, { pid }) {
      return state.holder ? stay(state) : to(heldBy(pid), report({ type: 'port-taken', holderPid: pid }))
    },
    'stop-asked': () => givenUp(),
  },
  failed: {
    ...ignored(
      'start',
      'bind-succeeded',
      'bind-failed',
      'flag-on',
      'holder-answered',
      'server-failed',
      'cut-asked',
      'closed',
    ),
    'flag-off': () => switchedOff(),
    'retry-due': (state) => to({ name: 'binding', after: state }, bind),
    'stop-asked': () => givenUp(),
  },
  disabled: {
    ...ignored('start', 'flag-off', 'retry-due', 'holder-answered', 'cut-asked', 'closed'),
    'bind-succeeded': () => to({ name: 'disabled', server: 'bound' }),
    'bind-failed': (state) => (state.server === 'binding' ? to({ name: 'disabled', server: 'none' }) : stay(state)),
    'flag-on'({ server }) {
      const enabled = report({ type: 'enabled' })
      if (server === 'bound') return to(BOUND, enabled)
      return server === 'binding' ? to({ name: 'binding' }, enabled) : to({ name: 'binding' }, enabled, bind)
    },
    'server-failed': (state, { error }) => to(state, report({ type: 'failed', error })),
    'stop-asked'({ server }) {
      if (server === 'none') return to(STOPPED, stopWatching)
      return to({ name: 'stopping', server }, stopWatching, ...(server === 'bound' ? [closeServer] : []))
    },
  },
  stopping: {
    ...ignored('start', 'flag-on', 'flag-off', 'retry-due', 'holder-answered', 'server-failed', 'stop-asked'),
    // Bound too late: the connections since then have been promised nothing.
    'bind-succeeded': () => to({ name: 'stopping', server: 'bound' }, closeServer, cutConnections),
    'bind-failed': (state) => (state.server === 'binding' ? to(STOPPED) : stay(state)),
    'cut-asked': (state) => (state.server === 'bound' ? to(state, cutConnections) : stay(state)),
    closed: () => to(STOPPED),
  },
  stopped: {
    ...ignored(
      'start',
      'bind-succeeded',
      'bind-failed',
      'flag-on',
      'flag-off',
      'retry-due',
      'holder-answered',
      'server-failed',
      'stop-asked',
      'cut-asked',
      'closed',
    ),
  },
}

export function step(state: ListenerState, event: StateEvent): Transition {
  // The table's type has paired them; TypeScript cannot follow two unions at once.
  const cell = TABLE[state.name][event.type] as (state: ListenerState, event: StateEvent) => Transition
  return cell(state, event)
}

/** Whether fires and pages are taken on an open connection, as far as it is the listener's to say; the flag is asked at each. */
export function isServing({ name }: ListenerState): boolean {
  return name !== 'stopping' && name !== 'stopped'
}

/** What the operator is told of this state. */
export function describeState(state: ListenerState): Pick<ListenerStatus, 'state' | 'holderPid' | 'reason'> {
  switch (state.name) {
    case 'bound':
      return { state: 'listening' }
    case 'disabled':
      return { state: 'disabled' }
    case 'taken':
      return { state: 'port-taken', ...(state.holder?.pid === undefined ? {} : { holderPid: state.holder.pid }) }
    case 'failed':
      return { state: 'failed', reason: state.error.message }
    case 'binding':
      return state.after === undefined ? { state: 'starting' } : describeState(state.after)
    case 'stopping':
      return { state: 'stopping' }
    case 'idle':
    case 'stopped':
      return { state: 'not-started' }
  }
}

/** Said once, when it is known by whom. */
function portTaken(after: Taken | Failed | undefined): Transition {
  if (after?.name === 'taken') return to(after, { type: 'retry-later' })
  return to({ name: 'taken' }, { type: 'ask-holder' }, { type: 'retry-later' })
}

/** It is tried again every second and told once. */
function failed(error: NodeJS.ErrnoException, after: Taken | Failed | undefined): Transition {
  const isKnown = after?.name === 'failed' && after.error.code === error.code
  return to({ name: 'failed', error }, ...(isKnown ? [] : [report({ type: 'failed', error })]), { type: 'retry-later' })
}

function heldBy(pid: number | undefined): Taken {
  return { name: 'taken', holder: { pid } }
}

function switchedOff(): Transition {
  return to({ name: 'disabled', server: 'none' }, { type: 'cancel-retry' }, report({ type: 'disabled' }))
}

function givenUp(): Transition {
  return to(STOPPED, stopWatching, { type: 'cancel-retry' })
}

function report(event: ListenerEvent): ListenerEffect {
  return { type: 'report', event }
}

function to(state: ListenerState, ...effects: readonly ListenerEffect[]): Transition {
  return { state, effects }
}

function stay(state: ListenerState): Transition {
  return { state, effects: [] }
}

/** Cells of events that change nothing. */
function ignored<Type extends StateEvent['type']>(...types: readonly Type[]): { readonly [T in Type]: typeof stay } {
  return Object.fromEntries(types.map((type) => [type, stay])) as { [T in Type]: typeof stay }
}
