// Each stop, said to everybody at once by another process, held against the table that the program decides by.
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, endsRuns, STOPS, type Stop } from '../../src/authority/stop-table.ts'
import type { Source } from '../../src/runs/run.ts'
import { COLUMNS, COPIERS, type Column, type Sent, StopStage, TWAP } from './stop-stage.ts'

/** `held`: said, tried against, lifted. `lifted`: lifted within 10 ms. `slept`: and those who listen and copy were stopped (SIGSTOP) meanwhile. */
export type Timing = 'held' | 'lifted' | 'slept'

export interface Cell {
  readonly stop: string
  readonly timing: Timing
  readonly column: Column
  /** Undefined: as the table says. */
  readonly wrong: string | undefined
  /** What the table says, short: `ok`, or `–` where the stop does not reach it. */
  readonly course: string
}

export interface SaidStop {
  /** As the script prints it, where it is another one than the row of the table. */
  readonly name?: string
  readonly stop: Stop
  /** Ends when the one who said it has its answer. */
  say(stage: StopStage): Promise<unknown>
  /** Absent: done once. */
  lift?(stage: StopStage): Promise<unknown>
  /** Both in one process. */
  readonly both?: string
  /** For a time, in ms: until what nobody says takes hold. */
  readonly holdsAfterMs?: number
  /** It wants accounts that nothing has happened on. */
  readonly isFirst?: true
  /** Nobody can be used after it. */
  readonly leavesPaused?: true
  /** No task begins under it, whatever it would do. */
  readonly beginsNoTask?: true
  /** Columns that this stop is not said to: another account's. */
  readonly spares?: readonly Column[]
}

const on = (line: string, account?: string) => (stage: StopStage) => stage.exec(line, account)
const each = (line: (account: string) => string) => ['paper', ...Object.values(COPIERS)].map(line).join('; ')
const COPYING: readonly Column[] = ['CM+', 'CM-', 'CC+', 'CC-']

const forgetHooks = (stage: StopStage) => stage.hooks.clear()

async function moved(stage: StopStage, from: string, to: string): Promise<void> {
  renameSync(join(stage.directory, from), join(stage.directory, to))
}

function config(stage: StopStage, listener: object): void {
  const path = join(stage.directory, 'config.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), listener }))
}

/** What was being written as it was spoilt is in its place again. */
async function spoil(path: string, content: string): Promise<void> {
  for (let found = ''; found !== content; found = existsSync(path) ? readFileSync(path, 'utf8') : '') {
    writeFileSync(path, content)
    await sleep(500)
  }
}

/** Its driver has looked at its files, and has told each task that adds. */
const paused = (stage: StopStage, why: string) => {
  const said = () => `${stage.listener.stdout}${stage.engine.said()}`
  const told = () => said().split(`paused: ${why}`).length - 1
  return stage.until(`three are paused: ${why}`, () => told() >= 3)
}

const bothHooks = (verb: string) => (stage: StopStage) => stage.exec(`hook ${verb} h; hook ${verb} th`)

export const SAID: readonly SaidStop[] = [
  { stop: 'panic', say: on('panic'), lift: on('resume'), both: 'panic; resume' },
  {
    name: 'panic.json unreadable',
    stop: 'panic',
    lift: on('resume'),
    async say({ directory }) {
      writeFileSync(join(directory, 'panic.json'), '{"since": ')
      await sleep(1_000)
    },
  },
  { stop: 'halt', say: on('halt'), lift: on('resume'), both: 'halt; resume' },
  { name: 'halt of one account', stop: 'halt', spares: COPYING, say: on('halt paper'), lift: on('resume paper') },
  { stop: 'halt --reducing', say: on('halt --reducing'), lift: on('resume'), both: 'halt --reducing; resume' },
  {
    // What was won before could outweigh the fees.
    stop: 'loss limit',
    holdsAfterMs: 6_000,
    isFirst: true,
    async say(stage) {
      // Who has paid no fee yet has lost nothing.
      await stage.lead()
      await sleep(3_000)
      await stage.exec(each((name) => `guards set ${name} loss $0.01 closed`))
    },
    lift: on(`${each((name) => `guards set ${name} loss off --yes`)}; resume`),
  },
  {
    stop: 'guards.json gone',
    async say(stage) {
      // Where no row before has made it.
      await stage.exec('guards set paper day $1000000')
      await moved(stage, 'guards.json', 'guards.away')
      await sleep(1_000)
    },
    lift: (stage) => moved(stage, 'guards.away', 'guards.json'),
  },
  {
    stop: 'sim on',
    say: on(each((name) => `sim on ${name}`)),
    lift: on(each((name) => `sim off ${name}`)),
    both: `${each((name) => `sim on ${name}`)}; ${each((name) => `sim off ${name}`)}`,
  },
  {
    stop: 'switch off remoteExec',
    say: on('switch off remoteExec'),
    lift: on('switch on remoteExec'),
    both: 'switch off remoteExec; switch on remoteExec',
  },
  {
    stop: 'switch off enabled',
    say: on('switch off enabled'),
    lift: on('switch on enabled'),
    both: 'switch off enabled; switch on enabled',
  },
  {
    stop: 'stops.json unreadable',
    async say(stage) {
      const path = join(stage.directory, 'stops.json')
      kept.set(stage, readFileSync(path, 'utf8'))
      writeFileSync(path, '{"stops": ')
      await sleep(1_000)
    },
    async lift(stage) {
      writeFileSync(join(stage.directory, 'stops.json'), kept.get(stage) ?? '{}')
    },
  },
  {
    stop: 'tasks.jsonl unreadable',
    beginsNoTask: true,
    async say(stage) {
      await moved(stage, 'tasks.jsonl', 'tasks.away')
      mkdirSync(join(stage.directory, 'tasks.jsonl'))
      await paused(stage, 'tasks.jsonl cannot be read')
    },
    async lift(stage) {
      rmdirSync(join(stage.directory, 'tasks.jsonl'))
      await moved(stage, 'tasks.away', 'tasks.jsonl')
    },
  },
  {
    // A chase that closes and is under way goes on.
    stop: 'tasks.json unreadable',
    beginsNoTask: true,
    spares: ['CC-'],
    async say(stage) {
      const path = join(stage.directory, 'tasks.json')
      kept.set(stage, readFileSync(path, 'utf8'))
      await spoil(path, '{"tasks": ')
      await paused(stage, 'tasks.json cannot be read')
    },
    async lift(stage) {
      writeFileSync(join(stage.directory, 'tasks.json'), kept.get(stage) ?? '{"tasks":[]}')
    },
  },
  ...(['tasks.jsonl', 'tasks.json'] as const).map(
    (name): SaidStop => ({
      name: `${name} gone`,
      stop: 'tasks.jsonl gone',
      async say(stage) {
        rmSync(join(stage.directory, name))
        await paused(stage, `${name} was gone`)
      },
    }),
  ),
  {
    stop: 'hook pause',
    say: bothHooks('pause'),
    lift: bothHooks('resume'),
    both: 'hook pause h; hook pause th; hook resume h; hook resume th',
  },
  { stop: 'hook rotate', say: on('hook rotate h; hook rotate th'), lift: afterwards('hook revoke h; hook revoke th') },
  { stop: 'hook revoke', say: on('hook revoke h; hook revoke th'), lift: afterwards() },
  {
    stop: 'clients revoke',
    say: (stage) => stage.exec(`clients revoke ${stage.clientId}`),
  },
  {
    stop: 'origin off the list',
    async say(stage) {
      config(stage, { allowedOrigins: ['https://other.example'] })
      await sleep(1_000)
    },
    lift: async (stage) => config(stage, {}),
  },
  { stop: 'runs stop --all', say: on('runs stop --all') },
  { stop: 'runs stop <hook>', say: on('runs stop h; runs stop th') },
  { stop: 'tasks pause --all', leavesPaused: true, say: on('tasks pause --all') },
  { stop: 'tasks cancel --all', leavesPaused: true, say: on('tasks cancel --all') },
  // Runs trade on after it, and what they hold keeps its stops: they are stopped first.
  { stop: 'nuke', spares: ['H', 'P', 'L', ...COPYING], say: on('runs stop --all; nuke --yes') },
  { stop: 'cross-trade stop', say: on('cross-trade stop'), lift: (stage) => stage.copy() },
  {
    stop: 'account remove',
    leavesPaused: true,
    say: (stage) =>
      stage.exec(
        each((name) => `account remove ${name} --yes`),
        'm',
      ),
  },
  ...(['SIGTERM', 'SIGKILL'] as const).map(
    (signal): SaidStop => ({
      name: `${signal} of the driver`,
      stop: 'end of the process',
      spares: ['L', ...COPYING],
      async say(stage) {
        // Whether a change that was under way was made is known a minute later, and its stop follows only then.
        if (signal === 'SIGKILL') await stage.holdBetweenChanges()
        stage.listener.signal(signal)
        await stage.listener.ended()
      },
      lift: (stage) => stage.listen(),
    }),
  ),
]

/** What a stop has put away, until it is lifted. */
const kept = new WeakMap<StopStage, string>()

function afterwards(line?: string) {
  return async (stage: StopStage) => {
    if (line !== undefined) await stage.exec(line)
    forgetHooks(stage)
  }
}

const ACTOR_OF: Readonly<Record<Column, Actor>> = {
  H: 'hook',
  P: 'page',
  L: 'line',
  TH: 'adds',
  TP: 'adds',
  TL: 'adds',
  TR: 'reduces',
  TX: 'protects',
  EP: 'entry',
  'CM+': 'market',
  'CM-': 'market',
  'CC+': 'chase',
  'CC-': 'chase',
}
const SOURCE_OF: Partial<Readonly<Record<Column, Source>>> = { TH: 'hook', TP: 'web', TL: 'exec' }

/** Whether it sends anything while the stop is on, and after it is lifted; undefined: either is right. */
interface Expected {
  readonly during: boolean | undefined
  readonly after: boolean | undefined
}

export function expectedOf(column: Column, { stop, spares = [] }: SaidStop): Expected {
  if (spares.includes(column)) return { during: undefined, after: undefined }
  const course = STOPS[stop].does[ACTOR_OF[column]]
  switch (course) {
    case 'goes on':
      return { during: true, after: true }
    case 'adds nothing': {
      const isCopier = column in COPIERS
      // A run ends with its step that was refused.
      return { during: column.endsWith('-'), after: isCopier ? true : undefined }
    }
    case 'sends nothing':
      return { during: false, after: true }
    case 'waits':
      return { during: false, after: true }
    case 'with its source': {
      const isEnded = endsRuns(stop, SOURCE_OF[column] ?? 'exec')
      return { during: !isEnded, after: !isEnded }
    }
    default:
      return { during: false, after: false }
  }
}

const COLUMN_NAMES = Object.keys(COLUMNS) as Column[]
/** A slice of a TWAP is due each second. */
const QUIET_MS = 1_300
const LATEST_MS = 20_000

/** One stop against everybody. @param isLast no other cycle follows on this stage */
export async function runCycle(
  stage: StopStage,
  said: SaidStop,
  timing: Timing,
  isLast = false,
): Promise<readonly Cell[]> {
  const cells = await judgeCycle(stage, said, timing)
  if (!isLast) await stage.clear()
  return cells
}

/** Stops one after another on one stage. @param said names, as `npm run stops` shows them @returns the cells that are not as the table says */
export async function wrongCells(said: readonly (readonly [name: string, timing: Timing])[]): Promise<readonly Cell[]> {
  const stage = await StopStage.start()
  const cells: Cell[] = []
  for (const [index, [name, timing]] of said.entries()) {
    const stop = SAID.find((each) => (each.name ?? each.stop) === name)
    if (stop === undefined) throw new Error(`there is no stop ${name}`)
    cells.push(...(await runCycle(stage, stop, timing, index === said.length - 1)))
  }
  return cells.filter(({ wrong }) => wrong !== undefined)
}

async function judgeCycle(stage: StopStage, said: SaidStop, timing: Timing): Promise<readonly Cell[]> {
  await stage.arrange()
  await stage.enter()
  // A copier whose chase is under way then is paused; another begins its next one.
  const isForChases = STOPS[said.stop].does.chase === 'pauses' && !said.spares?.includes('CC+')
  if (isForChases) await stage.lead()
  const chasing = isForChases ? stage.chasing() : COLUMN_NAMES
  const saidFrom = Date.now()
  const saidAt = await (timing === 'held' ? hold(stage, said) : pass(stage, said, timing))
  const isLeftOut = (column: Column) =>
    STOPS[said.stop].does[ACTOR_OF[column]] === 'pauses' && !chasing.includes(column)
  const isToSend = (when: keyof Expected) => (column: Column) =>
    column.startsWith('CC') && isLeftOut(column) ? undefined : expectedOf(column, said)[when]
  const [during, begun] =
    timing === 'held'
      ? await Promise.all([
          look(stage, { from: saidAt, quietFrom: saidAt, saidFrom }, isToSend('during')),
          tryToBegin(stage, said),
        ])
      : [undefined, {}]
  const heldUntil = Date.now()
  if (timing === 'held') await said.lift?.(stage)
  const after = await look(stage, { from: Date.now(), quietFrom: heldUntil, saidFrom }, isToSend('after'))
  return COLUMN_NAMES.map((column): Cell => {
    const [isDuring, isAfter] = [isToSend('during')(column), isToSend('after')(column)]
    const wrong = [
      during && judge('during', isDuring, during[column]),
      judge('after', column === 'EP' && during !== undefined ? undefined : isAfter, after[column]),
      begun[column],
    ].filter((each) => each !== undefined)
    const isJudged = (timing === 'held' && isDuring !== undefined) || isAfter !== undefined
    const course = isJudged ? 'ok' : '–'
    return { ...cellOf(said, timing, column), course, wrong: wrong.length === 0 ? undefined : wrong.join('; ') }
  })
}

/** The stage broke: each cell says why. */
export function failedCells(said: SaidStop, timing: Timing, error: unknown): readonly Cell[] {
  const wrong = error instanceof Error ? error.message : String(error)
  return COLUMN_NAMES.map((column) => ({ ...cellOf(said, timing, column), course: '–', wrong }))
}

function cellOf({ name, stop }: SaidStop, timing: Timing, column: Column): Pick<Cell, 'stop' | 'timing' | 'column'> {
  return { stop: name ?? stop, timing, column }
}

type Begun = Partial<Record<Column, string>>

/** Under the stop: what would begin is refused, and what takes risk away begins. */
async function tryToBegin(stage: StopStage, { stop, beginsNoTask }: SaidStop): Promise<Begun> {
  const { does, liftedBy } = STOPS[stop]
  if (liftedBy === undefined || stop === 'end of the process') return {}
  const found: Begun = {}
  const note = (column: Column, isWrong: boolean, what: string): void => {
    if (isWrong) found[column] = what
  }
  const adding = does.adds === 'waits' || beginsNoTask === true ? TWAP : `buy 0.001 BTCUSDT || ${TWAP}`
  const isHeld = beginsNoTask === true || does.market === 'adds nothing' || does.market === 'sends nothing'
  const work = [
    isHeld ? stage.tried(adding).then(({ code }) => note('TL', code === 0, 'began under it')) : undefined,
    does.market === 'adds nothing'
      ? stage
          .tried('sell 0.001 BTCUSDT reduce; trail 2.5% add; chase sell 0.001 BTCUSDT reduce for 3s')
          .then(({ code, stderr }) => note('TR', code !== 0, `does not begin: ${stderr}`))
      : undefined,
    // Whatever is answered, nothing of it is to be sent; there may be no listener.
    does.hook === 'ends' ? stage.fire('h').catch(() => {}) : undefined,
  ]
  await Promise.all(work)
  return found
}

async function hold(stage: StopStage, said: SaidStop): Promise<number> {
  await said.say(stage)
  if (said.holdsAfterMs !== undefined) await sleep(said.holdsAfterMs)
  return Date.now()
}

async function pass(stage: StopStage, { both = '' }: SaidStop, timing: Timing): Promise<number> {
  const sleepers = timing === 'slept' ? [stage.listener.child, stage.engine.child] : []
  for (const child of sleepers) child.kill('SIGSTOP')
  await stage.exec(both)
  for (const child of sleepers) child.kill('SIGCONT')
  return Date.now()
}

/**
 * What each has sent since then; the stop of the entry, since the stop was about to be said. Who is to go on has some seconds to show it, and who is not
 * has a while to be seen at it.
 */
async function look(
  stage: StopStage,
  { from, quietFrom, saidFrom }: Readonly<Record<'from' | 'quietFrom' | 'saidFrom', number>>,
  isToSend: (column: Column) => boolean | undefined,
): Promise<Readonly<Record<Column, readonly string[]>>> {
  const since = (column: Column): number => {
    if (isToSend(column) !== true) return quietFrom
    return column === 'EP' ? saidFrom : from
  }
  const count = (column: Column) => stage.count(column, since(column))
  await stage.lead()
  const seen = Date.now()
  const isShown = () => COLUMN_NAMES.every((column) => isToSend(column) !== true || count(column) > 0)
  while (Date.now() < seen + QUIET_MS || (Date.now() < seen + LATEST_MS && !isShown())) await sleep(50)
  const sentOf = (column: Column): readonly string[] =>
    stage.sentBy(column, since(column)).map((sent) => describe(sent, since(column)))
  return Object.fromEntries(COLUMN_NAMES.map((column) => [column, sentOf(column)])) as Record<Column, readonly string[]>
}

function describe({ at, side = 'change', isLimit, isTrigger, taskId }: Sent, since: number): string {
  const kind = isTrigger ? 'trigger' : isLimit ? 'limit' : 'market'
  return `${side} ${kind}${taskId === undefined ? '' : ` of task ${taskId.slice(0, 8)}`} after ${at - since} ms`
}

function judge(when: string, isToSend: boolean | undefined, sent: readonly string[]): string | undefined {
  if (isToSend === undefined || isToSend === sent.length > 0) return undefined
  return isToSend ? `${when}: nothing` : `${when}: sent ${sent.join(', ')}`
}
