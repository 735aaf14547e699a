// One execution of a command line, and what it emits. Everyone who shows or keeps output is a RunSink.

/** Where a run came from. */
export type Source = 'repl' | 'exec' | 'hook' | 'web' | 'phone'

/**
 * Typed by the operator: at the prompt, in a pipe, by `hookline exec`, or in the chat that was proven at the terminal (behaviour 147). A hook or a
 * page is none of them.
 */
export function isOfOperator(source: Source): boolean {
  return source === 'repl' || source === 'exec' || source === 'phone'
}

/** `the terminal`, `the phone`: by whom the operator's line was typed, for people. */
export function operatorWord(source: Source): string {
  return source === 'phone' ? 'the phone' : 'the terminal'
}

/** Run by a task of the operator, at its time: no one waits for it. */
export function isOfTask({ source, origin }: Pick<RunRequest, 'source' | 'origin'>): boolean {
  return source === 'exec' && origin !== undefined
}

/** How a line of output is meant; the kinds of `cmd:output`. */
export type OutputKind = 'print' | 'success' | 'warn' | 'error' | 'info'

/** What a line of output says, for programs: `type` names one of the shapes in docs/json.md. */
export interface RunData {
  readonly type: string
  /** Where it is of one account. */
  readonly account?: string
}

export interface RunRequest {
  readonly runId: string
  readonly source: Source
  readonly command: string
  /** The line came through a shell, which replaces `$` amounts within double quotes: an argument of the program, or a pipe. */
  readonly isFromShell?: true
  /** Hook name, client label, or the task that had it run (`every 3f9c2a71`), for people. */
  readonly origin?: string
  /** The hook that fired. */
  readonly hookId?: string
  /** A person fired the hook, and has read what became of it. */
  readonly isByHand?: true
  /** What of its own condition or times fired the hook: no alert did. */
  readonly trigger?: string
  /** What the alert filled into the slots of the command, by their names. */
  readonly values?: Readonly<Record<string, string>>
  /** As the hook's `resumed` was when it fired; absent: never. */
  readonly resumed?: number
  /** Of the alert that fired it. */
  readonly sent?: SentAt
  /** Under which the sender fired, as a digest: what comes again under it does not run again. */
  readonly key?: string
  /** The session that sent `cmd:exec`. */
  readonly sessionId?: string
  /** The client of that session. */
  readonly clientId?: string
  /** The web origin of the page that holds it. */
  readonly pageOrigin?: string
  /** The proposal of that client which a person has approved: what began it. */
  readonly proposal?: string
  /** It goes on though that session leaves. */
  readonly detach?: boolean
  /** The id under which that session wants its output. */
  readonly replyId?: string
  /** Pins the run; absent: the account focused at the REPL when the run is accepted. */
  readonly account?: string
  /** Scopes the run; absent: the symbol focused at the REPL at that same moment. */
  readonly symbol?: string
  /** Called when a `wait` of the line begins: a terminal takes its next line meanwhile. */
  readonly onWait?: () => void
}

/** When an alert was sent, and how old it may be when its run begins. */
export interface SentAt {
  /** By the sender's clock, ms since the epoch. */
  readonly at: number
  readonly maxAgeMs: number
}

/** Why a fire ended before it began: a limit of its hook, its age, its own values, someone who stopped it. */
export type Unbegun = 'skipped' | 'expired' | 'refused' | 'stopped'

export interface RunResult {
  readonly success: boolean
  /** The first failed step's message. */
  readonly error?: string
  /** It never began. */
  readonly unbegun?: Unbegun
  /** It was cut short from outside: by the operator, a switch, the end of hookline; or all that failed was refused by a stop that is on. */
  readonly cut?: true
  /** A person answered its question with no, and nothing else of it failed: it is listed as done. */
  readonly declined?: true
  /** It is done, and has warned of something to look after. */
  readonly warned?: true
}

/** One step of a line with several, when it has ended. Times are ms since the epoch. */
interface RunStep {
  readonly text: string
  readonly startedAt: number
  readonly endedAt: number
  readonly succeeded: boolean
}

/** When a run was accepted and when it ended, in ms since the epoch: every measure of its time is the difference of the two. */
interface RunTimes {
  readonly acceptedAt: number
  readonly endedAt: number
}

export interface RunEnd extends RunTimes {
  /** As of {@link RunSummary}. */
  readonly outcome?: string | undefined
}

/** Receives every run's life in order: `started`, any number of `output`, `done`; output of background work may follow `done`. */
export interface RunSink {
  started?(run: RunRequest, acceptedAt: number): void
  /** @param data absent where the text is all there is */
  output?(run: RunRequest, kind: OutputKind, text: string, data?: RunData): void
  step?(run: RunRequest, step: RunStep): void
  done?(run: RunRequest, result: RunResult, end: RunEnd): void
  /** Instead of all that: a fire was accepted and ended before it began. */
  unbegun?(run: RunRequest, result: RunResult, end: RunTimes): void
}

export interface RunSummary {
  readonly runId: string
  readonly source: Source
  /** Hook name, client label or absent. */
  readonly origin?: string
  /** The hook that fired. */
  readonly hookId?: string
  readonly command: string
  /** What of the hook's own condition or times fired it. */
  readonly trigger?: string
  /** What the alert that fired it filled in. */
  readonly values?: Readonly<Record<string, string>>
  readonly account?: string
  /** When it was accepted; ms since the epoch, as all times here. */
  readonly startedAt: number
  readonly finishedAt?: number
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted'
  readonly error?: string
  /** What it brought, in one sentence, the result first. Absent: it only printed, or failed before it changed anything. */
  readonly outcome?: string
  /** As in {@link RunResult}. */
  readonly warned?: true
  readonly declined?: true
  /** Of a fire that never began. */
  readonly unbegun?: Unbegun
}

// Which runs someone asks for, and what is kept of one.

/** What is asked for. */
export interface RunQuery {
  /** The newest so many. */
  readonly limit: number
  /** Accepted at or after, ms since the epoch. */
  readonly since?: number
  /** A hook's id or name. */
  readonly hook?: string
  /** Failed and interrupted ones only; what a limit of its hook has skipped is none of them. */
  readonly failed?: boolean
  /** How its `runId` begins. */
  readonly id?: string
}

/** Whether a run is asked for, whatever the limit. */
export function isAskedFor(run: RunSummary, query: Omit<RunQuery, 'limit'>): boolean {
  const { since, hook, failed, id } = query
  if (since !== undefined && run.startedAt < since) return false
  if (id !== undefined && !run.runId.startsWith(id.toLowerCase())) return false
  if (failed === true && run.unbegun === 'skipped') return false
  if (failed === true && run.error === undefined && run.state !== 'interrupted' && run.state !== 'failed') return false
  if (hook === undefined) return true
  return run.source === 'hook' && (run.hookId === hook || run.origin?.toLowerCase() === hook.toLowerCase())
}

/** ms after the run was accepted, the kind, the text. */
export type KeptLine = readonly [number, OutputKind, string]

/** ms after the run was accepted, ms it took, whether it succeeded, the text. */
export type KeptStep = readonly [number, number, boolean, string]

/** What a run printed, as far as it was kept. */
export interface KeptOutput {
  readonly lines: readonly KeptLine[]
  /** Of a line with several, in the order in which they ended; the first hundred. */
  readonly steps: readonly KeptStep[]
  /** Lines beyond the limits of one run. */
  readonly leftOut: number
}

// How the fires of one hook went in the last 24 h.

export type FireOutcome = 'ok' | 'failed' | 'skipped' | 'expired'

export interface HookCounts {
  readonly fires: number
  readonly ok: number
  readonly failed: number
  readonly skipped: number
  readonly expired: number
  /** How long the runs took that began, from their acceptance; of the newest thousand. Absent: none has ended. */
  readonly medianMs?: number
  readonly p95Ms?: number
  readonly last?: LastFire
}

export interface LastFire {
  readonly runId: string
  /** When it was accepted, ms since the epoch. */
  readonly at: number
  readonly outcome: FireOutcome
  /** Of an `ok` one, as in {@link RunResult}. */
  readonly warned?: true
  readonly error?: string
}

export interface EndedFire extends LastFire {
  /** Absent: it did not begin. */
  readonly tookMs?: number
}
