// What each stop does to whatever acts (behaviour 30): the one table. The authority ends runs by it and the tasks are held by it; `help panic`,
// SECURITY.md and docs/behaviour.md show it; a test with real processes holds each cell. The guard in front of the venue knows the effect of an
// order, and keeps `adds nothing` and `sends nothing`.
import type { Source } from '../runs/run.ts'

/** Who acts. Of tasks, by what they do to the risk of their account. */
export type Actor = 'hook' | 'page' | 'line' | 'adds' | 'reduces' | 'protects' | 'entry' | 'market' | 'chase'

export const ACTORS: Readonly<Record<Actor, string>> = {
  hook: 'run of a hook',
  page: 'run of a page',
  line: 'line at a terminal',
  adds: 'task that adds',
  reduces: 'task that reduces',
  protects: 'task that protects',
  entry: 'stop of an entry',
  market: 'copier, at the market',
  chase: 'copier that chases',
}

type Course = 'goes on' | 'adds nothing' | 'sends nothing' | 'ends' | 'pauses' | 'waits' | 'with its source'

/** What a course means, for the papers. */
export const COURSES: Readonly<Record<Course, string>> = {
  'goes on': 'no effect, and more may begin',
  'adds nothing': 'orders that add are refused; orders that close, reduce or protect, and cancels, are sent',
  'sends nothing': 'orders are computed, checked and printed',
  ends: 'for good: running work ends, waiting work does not begin, and no other begins before the stop is lifted',
  pauses: 'until a person types `tasks resume` (of a copier: `cross-trade enable`)',
  waits: 'continues by itself when the stop is lifted',
  'with its source':
    'pauses where the run of the hook, page or line that began it would end; only the terminal resumes it',
}

/** `file`: what has become of it says the stop. */
export type Stop =
  | 'panic'
  | 'halt'
  | 'halt --reducing'
  | 'loss limit'
  | 'guards.json gone'
  | 'sim on'
  | 'nuke'
  | 'switch off remoteExec'
  | 'switch off enabled'
  | 'stops.json unreadable'
  | 'tasks.jsonl unreadable'
  | 'tasks.json unreadable'
  | 'tasks.jsonl gone'
  | 'hook pause'
  | 'hook revoke'
  | 'hook rotate'
  | 'clients revoke'
  | 'origin off the list'
  | 'runs stop --all'
  | 'runs stop <hook>'
  | 'tasks pause --all'
  | 'tasks cancel --all'
  | 'cross-trade stop'
  | 'account remove'
  | 'end of the process'

interface StopRow {
  readonly does: Readonly<Record<Actor, Course>>
  /** What lifts it, as typed or done; undefined: it is done once, and nothing has to be lifted. */
  readonly liftedBy: string | undefined
  /** What the courses leave out; one line, a fact. */
  readonly note?: string
}

const ALL_GO_ON: StopRow['does'] = {
  hook: 'goes on',
  page: 'goes on',
  line: 'goes on',
  adds: 'goes on',
  reduces: 'goes on',
  protects: 'goes on',
  entry: 'goes on',
  market: 'goes on',
  chase: 'goes on',
}

const NOTHING_ADDS: StopRow['does'] = {
  ...ALL_GO_ON,
  hook: 'adds nothing',
  page: 'adds nothing',
  line: 'adds nothing',
  adds: 'pauses',
  market: 'adds nothing',
  chase: 'adds nothing',
}

const HOOKS_END: StopRow['does'] = { ...ALL_GO_ON, hook: 'ends', adds: 'with its source' }
const PAGES_END: StopRow['does'] = { ...ALL_GO_ON, page: 'ends', adds: 'with its source' }
const REMOTE_ENDS: StopRow['does'] = { ...HOOKS_END, page: 'ends' }

export const STOPS: Readonly<Record<Stop, StopRow>> = {
  panic: {
    does: { ...NOTHING_ADDS, hook: 'ends', page: 'ends', line: 'ends', adds: 'ends' },
    liftedBy: '`resume`',
    note: 'you can still type lines, but they cannot open or add',
  },
  halt: { does: NOTHING_ADDS, liftedBy: '`resume`' },
  'halt --reducing': { does: NOTHING_ADDS, liftedBy: '`resume`' },
  'loss limit': { does: NOTHING_ADDS, liftedBy: '`resume`', note: 'within 5 s of being reached' },
  'guards.json gone': { does: NOTHING_ADDS, liftedBy: 'the file, or `resume`' },
  'sim on': {
    does: {
      ...NOTHING_ADDS,
      hook: 'sends nothing',
      page: 'sends nothing',
      line: 'sends nothing',
      adds: 'waits',
      reduces: 'waits',
      market: 'sends nothing',
      chase: 'sends nothing',
    },
    liftedBy: '`sim off`',
    note: 'no task begins; one that protects continues',
  },
  nuke: {
    does: { ...ALL_GO_ON, adds: 'ends', reduces: 'ends', protects: 'ends', entry: 'ends', chase: 'pauses' },
    liftedBy: undefined,
    note: 'of one account: its orders are canceled and its positions closed. Runs may trade on, and new positions keep their stops. A copier with a chase under way pauses',
  },
  'switch off remoteExec': { does: REMOTE_ENDS, liftedBy: '`switch on remoteExec`' },
  'switch off enabled': { does: REMOTE_ENDS, liftedBy: '`switch on enabled`' },
  'stops.json unreadable': { does: REMOTE_ENDS, liftedBy: 'the file' },
  'tasks.jsonl unreadable': {
    does: { ...ALL_GO_ON, adds: 'pauses', reduces: 'waits', protects: 'waits', chase: 'waits' },
    liftedBy: 'the file',
    note: 'no task begins, and none sends an order that is not written; resting orders of one that protects stay',
  },
  'tasks.json unreadable': {
    does: { ...ALL_GO_ON, adds: 'pauses', chase: 'waits' },
    liftedBy: 'the file',
    note: 'from another process no task begins',
  },
  'tasks.jsonl gone': {
    does: { ...ALL_GO_ON, adds: 'pauses' },
    liftedBy: undefined,
    note: 'also for `tasks.json`: both are rewritten',
  },
  'hook pause': { does: HOOKS_END, liftedBy: '`hook resume`' },
  'hook revoke': { does: HOOKS_END, liftedBy: 'a new hook' },
  'hook rotate': { does: HOOKS_END, liftedBy: 'the new token' },
  'clients revoke': { does: PAGES_END, liftedBy: 'a new approval' },
  'origin off the list': { does: PAGES_END, liftedBy: 'the list' },
  'runs stop --all': { does: { ...REMOTE_ENDS, line: 'ends' }, liftedBy: undefined },
  'runs stop <hook>': { does: HOOKS_END, liftedBy: undefined },
  'tasks pause --all': {
    does: { ...ALL_GO_ON, adds: 'pauses', reduces: 'pauses', protects: 'pauses', chase: 'pauses' },
    liftedBy: '`tasks resume --all`',
    note: 'resting orders of a task that protects stay; a copier with a chase under way pauses',
  },
  'tasks cancel --all': {
    does: { ...ALL_GO_ON, adds: 'ends', reduces: 'ends', protects: 'ends', chase: 'pauses' },
    liftedBy: undefined,
    note: 'a copier with a chase under way pauses',
  },
  'cross-trade stop': { does: { ...ALL_GO_ON, market: 'waits', chase: 'waits' }, liftedBy: '`cross-trade run`' },
  'account remove': {
    does: {
      hook: 'ends',
      page: 'ends',
      line: 'ends',
      adds: 'ends',
      reduces: 'ends',
      protects: 'ends',
      entry: 'ends',
      market: 'ends',
      chase: 'ends',
    },
    liftedBy: undefined,
    note: 'names them, and asks for approval. Resting orders on paper are canceled; elsewhere they stay at the exchange, as positions do. An account added under its name inherits none of them',
  },
  'end of the process': {
    does: { ...REMOTE_ENDS, line: 'ends', adds: 'pauses' },
    liftedBy: 'the next start',
    note: 'SIGTERM and `kill -9` alike; another process, or the next start, continues the rest, and within a minute a stop whose change was under way',
  },
}

/** The codes of what is refused because a stop is on: of an order, of a line, of a task that would begin. */
const STOP_CODES: ReadonlySet<string> = new Set(['halted', 'panic', 'held'])

export function isStopCode(code: string | undefined): boolean {
  return code !== undefined && STOP_CODES.has(code)
}

const ACTOR_OF: Readonly<Record<Source, Actor>> = {
  repl: 'line',
  exec: 'line',
  phone: 'line',
  hook: 'hook',
  web: 'page',
}

/** Whether a run of this source ends by it. */
export function endsRuns(stop: Stop, source: Source): boolean {
  return STOPS[stop].does[ACTOR_OF[source]] === 'ends'
}
