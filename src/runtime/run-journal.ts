// `runs.jsonl`: what was accepted and how it ended (behaviour 31). Accepted means at most once: nothing is ever started
// from the journal; it only lets the next start tell which runs a crash cut off.
import { defined } from '../base/defined.ts'
import type { SlotValues } from '../language/hook-chain.ts'
import { quote, quoteRare } from '../protocol/json-text.ts'
import type { RunEnd, RunRequest, RunResult } from '../runs/run.ts'
import { openJournalFile } from '../stores/journal-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from '../stores/kernel-files.ts'
import { type Placed, UnorderedSet } from './collections.ts'
import { FireLedger } from './hook-run-history.ts'
import { FireKeys } from './idempotency-keys.ts'

export interface InterruptedRun {
  readonly runId: string
  readonly source: string
  readonly origin?: string
  readonly command: string
  readonly account: string
  /** ms since the epoch. */
  readonly at: number
}

/** A run that was started here and has not ended; `done` wants it back. */
export interface JournalledRun extends Placed {
  readonly runId: string
  /** Its `start` line. */
  readonly line: string
  readonly at: number
  /** The number of the file that has its line. */
  readonly file: number
  /** When it began, by the clock of `fires`; undefined: it waits, or no hook fired it. */
  begun: number | undefined
}

export interface RunJournal {
  /**
   * Records the start; `written` is called later, once the line is with the kernel, or with false where it could not be written: then its key is
   * free again.
   * @param acceptedAt default: now
   */
  start(run: RunRequest, account: string, written: (isWritten: boolean) => void, acceptedAt?: number): JournalledRun
  /** @param end default: it ends now */
  done(run: JournalledRun, result: RunResult, end?: Partial<RunEnd>): void
  /** Runs whose process died before their end. Each is reported by one call only, ever. */
  takeInterrupted(): InterruptedRun[]
  /** The run that this hook began under this key within the last day. */
  firstRun(hookId: string, key: string): string | undefined
  /** The runs that hooks have begun, by what the lines say and what has begun here since. */
  readonly fires: FireLedger
  /** Lines do not get to the file at the moment. */
  isFailing(): boolean
  /** What other processes have written meanwhile counts from now on. */
  readAgain(): void
  /** The same, where another process may have written; costs next to nothing where none has. */
  readOthers(): void
  /** The live process that has begun a run of this hook, without an end, and wrote it down before this run; undefined: none has. */
  runnerBefore(hookId: string, runId: string): ProcessIdentity | undefined
  /** Records that a fire came again; `written` as for `start`. */
  repeated(runId: string, written: (isWritten: boolean) => void): void
  close(): void
}

export interface RunJournalOptions {
  readonly path: string
  readonly maxBytes?: number
  /** How many of its runs must stay findable for a hook's limits; undefined: there is no such hook. Default: none. */
  readonly countedRuns?: (hookId: string) => number | undefined
  readonly now?: () => number
  readonly isAlive?: (process: ProcessIdentity) => boolean
  readonly onProblem?: (error: Error | undefined) => void
}

type StartLine = Extract<JournalLine, { readonly t: 'start' }>

type JournalLine =
  | ({ readonly t: 'start'; readonly hook?: string } & ProcessIdentity & InterruptedRun)
  | { readonly t: 'done'; readonly runId: string; readonly at: number; readonly ok: boolean; readonly error?: string }
  | { readonly t: 'interrupted'; readonly runId: string; readonly at: number }

export function openRunJournal(options: RunJournalOptions): RunJournal {
  const { now = Date.now, isAlive: isRunning = isProcessAlive, countedRuns = () => undefined } = options
  const unfinished = new UnorderedSet<JournalledRun>()
  let failing = false
  /** Runs without an end, in the order of their lines. Absent: to be read. */
  let open: ReadonlyMap<string, string> | undefined
  const memory = rememberFires({ lines: readLines, unfinished, now, countedRuns })
  const file = openJournalFile({
    path: options.path,
    ...defined({ maxBytes: options.maxBytes }),
    onShared(unwritten) {
      open = undefined
      memory.readNow([...file.readLines(), ...unwritten])
    },
    carryOver: (aside) => [...unfinished.list().map(({ line }) => line), ...memory.carryOver(aside)],
    onProblem(error) {
      failing = error !== undefined
      options.onProblem?.(error)
    },
  })
  /** What has just happened is on its way to the file. */
  function readLines(): string[] {
    file.flush()
    return file.readLines()
  }
  function readOthers(): void {
    if (!file.othersWrote()) return
    open = undefined
    memory.readAgain()
  }
  return {
    start(run, account, written, at = now()) {
      const line = startLine(run, account, at)
      const { runId, key, hookId } = run
      const { fileNumber } = file
      if (key !== undefined && hookId !== undefined)
        memory.keys().add({ runId, key, hook: hookId, at, file: fileNumber }, at)
      const started = { runId, line, at, file: fileNumber, begun: undefined, place: 0 }
      unfinished.add(started)
      file.append(line, (isWritten) => {
        if (!isWritten && key !== undefined && hookId !== undefined) memory.keys().forget(hookId, key, runId)
        written(isWritten)
      })
      return started
    },
    done(run, result, { endedAt = now(), outcome } = {}) {
      unfinished.remove(run)
      file.append(
        `{"t":"done","runId":"${run.runId}","at":${endedAt},"ok":${result.success}${restOfEnd(run, result)}${text('outcome', outcome)}}`,
      )
    },
    takeInterrupted() {
      const open = unfinishedIn(readLines())
      for (const { runId } of unfinished.list()) open.delete(runId)
      const dead = startsOf(open).filter((line) => !isRunning(line))
      for (const { runId } of dead)
        file.append(JSON.stringify({ t: 'interrupted', runId, at: now() } satisfies JournalLine))
      file.flush()
      return dead.map(({ t: _t, pid: _pid, born: _born, hook: _hook, ...run }) => run)
    },
    fires: memory.fires,
    isFailing: () => failing,
    readAgain: memory.readAgain,
    readOthers,
    runnerBefore(hookId, runId) {
      readOthers()
      open ??= unfinishedIn(readLines())
      const own = new Set(unfinished.list().map((run) => run.runId))
      const before = [...open]
      // Who looks has written its own line: of two that look, the second sees the first.
      const at = before.findIndex(([id]) => id === runId)
      const others = before.slice(0, at === -1 ? undefined : at).filter(([id]) => !own.has(id))
      return startsOf(new Map(others)).find((line) => line.hook === hookId && isRunning(line))
    },
    firstRun: (hookId, key) => memory.keys().find(hookId, key, now()),
    repeated(runId, written) {
      file.append(`{"t":"repeat","runId":"${runId}","at":${now()}}`, written)
    },
    close: () => file.close(),
  }
}

interface MemorySources {
  readonly lines: () => readonly string[]
  readonly unfinished: UnorderedSet<JournalledRun>
  readonly now: () => number
  readonly countedRuns: (hookId: string) => number | undefined
}

/** What of the lines decides about later fires. They are read for the first fire that needs it, or before the file is cut. */
function rememberFires({ lines, unfinished, now, countedRuns }: MemorySources) {
  let known: FireKeys | undefined
  const fires = new FireLedger({
    lines,
    ownFires: () => new Map(unfinished.list().map((run) => [run.runId, run])),
    now: () => ({ wallMs: now(), monotonicMs: performance.now() }),
  })
  function keys(): FireKeys {
    if (known !== undefined) return known
    known = new FireKeys()
    known.read(lines(), now())
    return known
  }
  return {
    fires,
    keys,
    carryOver: (aside: number) => [...keys().carryOver(now(), aside), ...fires.carryOver(countedRuns, aside)],
    readAgain() {
      known = undefined
      fires.forget()
    },
    readNow(all: readonly string[]) {
      known = new FireKeys()
      known.read(all, now())
      fires.read(all)
    },
  }
}

/** As `JSON.stringify` would, at a fifth of its time: a run's own id is a UUID, and the rest is the same for each fire of a hook. */
function startLine(run: RunRequest, account: string, at: number): string {
  const values = run.values === undefined ? '' : valuesOf(run.values)
  const key = run.key === undefined ? '' : `"key":"${run.key}",`
  const resumed = run.resumed === undefined ? '' : `"resumed":${run.resumed},`
  const proposal = run.proposal === undefined ? '' : `"proposal":"${run.proposal}",`
  const trigger = run.trigger === undefined ? '' : `"trigger":${quote(run.trigger)},`
  return `{"t":"start","runId":"${run.runId}","at":${at},${key}${resumed}${proposal}${trigger}${values}${restOfStart(run, account)}`
}

/** What a later process must know of it: when it began, where that was not when it was accepted, and what it does not count for. */
function restOfEnd({ at, begun }: JournalledRun, { error, unbegun, cut, warned, declined }: RunResult): string {
  const began = begun === undefined || begun === at ? '' : `,"begun":${begun}`
  const never = unbegun === undefined ? '' : `,"unbegun":"${unbegun}"`
  const no = declined === undefined ? '' : ',"declined":true'
  const marks = `${cut === undefined ? '' : ',"cut":true'}${warned === undefined ? '' : ',"warned":true'}${no}`
  return `${began}${never}${marks}${text('error', error)}`
}

function text(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
}

function valuesOf(values: SlotValues): string {
  let fields = ''
  for (const name in values) fields += `${fields === '' ? '' : ','}${quote(name)}:${quoteRare(values[name] ?? '')}`
  return `"values":{${fields}},`
}

interface StartRest {
  readonly run: RunRequest
  readonly account: string
  readonly text: string
}

const MAX_RESTS = 1_000
/** Longer commands are typed by people, not fired by the thousand, and would only take memory. */
const MAX_KEPT_COMMAND = 1_000

/** What follows the time, by hook, and where none fired, by command. */
const rests = new Map<string, StartRest>()

function restOfStart(run: RunRequest, account: string): string {
  const { source, origin, hookId, command } = run
  const key = hookId ?? command
  const known = rests.get(key)
  if (known?.account === account && isSameStart(known.run, run)) return known.text
  const fields = { source, origin, hook: hookId, command, account }
  const text = `${JSON.stringify(fields).slice(1, -1)},${whoRuns()}}`
  if (command.length > MAX_KEPT_COMMAND) return text
  if (rests.size >= MAX_RESTS) rests.clear()
  rests.set(key, { run, account, text })
  return text
}

function isSameStart(a: RunRequest, b: RunRequest): boolean {
  return a.command === b.command && a.source === b.source && a.hookId === b.hookId && a.origin === b.origin
}

let ownProcess: string | undefined

/** This process, so that a later one with its pid is not taken for it. */
function whoRuns(): string {
  ownProcess ??= JSON.stringify(ownIdentity()).slice(1, -1)
  return ownProcess
}

/** How `startLine` and `done` begin, and all that is needed of a run that has ended: ten thousand of them are not decoded at every start. */
const BEGINNING = /^\{"t":"(start|done|interrupted)","runId":"([^"\\]*)"/

/** @returns by run, the lines of those that began and did not end */
function unfinishedIn(lines: readonly string[]): Map<string, string> {
  const open = new Map<string, string>()
  for (const line of lines) {
    const [, t, runId = ''] = BEGINNING.exec(line) ?? []
    if (t === 'start') open.set(runId, line)
    else if (t !== undefined) open.delete(runId)
  }
  return open
}

/** A line with two ids, which only an editor can write, does not count: its end would be under the other id. */
function startsOf(open: ReadonlyMap<string, string>): readonly StartLine[] {
  return [...open].flatMap(([runId, text]) => {
    const line = decode(text)
    return line?.runId === runId ? [line] : []
  })
}

/** A line torn by a crash does not count. */
function decode(text: string): StartLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return isStart(line) ? line : undefined
  } catch {
    return undefined
  }
}

/** Lines may come from an editor, or from another version. */
function isStart(line: unknown): line is StartLine {
  if (typeof line !== 'object' || line === null) return false
  const { t, runId, at, source, origin = '', command, account, pid, born = '' } = line as Record<string, unknown>
  if (![runId, source, origin, command, account, born].every((text) => typeof text === 'string')) return false
  return t === 'start' && Number.isInteger(pid) && typeof at === 'number' && !Number.isNaN(new Date(at).getTime())
}

/** Another hookline on this directory may still be running; our own pid in an old line is a reused pid. */
function isProcessAlive(wrote: ProcessIdentity): boolean {
  return wrote.pid !== process.pid && isAlive(wrote)
}
