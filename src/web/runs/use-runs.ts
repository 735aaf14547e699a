// The runs that match, page by page, and those that come meanwhile.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { defined } from '../../base/defined.ts'
import type { Question } from '../../client/questions.ts'
import { filledLine } from '../../language/hook-chain.ts'
import type { Frame, RunRow } from '../../protocol/frames.ts'
import { type Console, describeFailure } from '../console.ts'
import { type HookRun, isLive } from '../state/console-state.ts'
import { useConsole, useDesk } from '../state/use-console.ts'

// --- What a run is called on its page: how it went, how long it took, whose it is. Pure.

/** `ok`, `warning`, `canceled`, `failed`, `skipped`, `expired`, `refused`, `stopped`, `interrupted`, `running`, `waiting`, or a later word. */
export function outcomeOf({
  state,
  unbegun,
  warned,
  declined,
}: Pick<RunRow, 'state' | 'unbegun' | 'warned' | 'declined'>): string {
  if (declined === true) return 'canceled'
  if (state === 'done') return warned === true ? 'warning' : 'ok'
  return state === 'failed' ? (unbegun ?? 'failed') : state
}

/** The same words for what a fire's end says. */
export function endOf({ success, unbegun, warned }: NonNullable<HookRun['result']>): string {
  return outcomeOf({ state: success ? 'done' : 'failed', ...defined({ unbegun, warned }) })
}

const SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ repl: 'terminal', exec: 'script', hook: 'hook', web: 'page', phone: 'phone' }),
)

/** The hook's or the page's name, and otherwise where it was typed. */
export function whoRan({ source, origin }: Pick<RunRow, 'source' | 'origin'>): string {
  return origin ?? SOURCES.get(source) ?? source
}

export function sourceWord(source: string): string {
  return SOURCES.get(source) ?? source
}

/** Pages are given no output of the operator's own lines. */
const WHERE_TYPED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ repl: 'in the terminal', exec: 'in the script', phone: 'on the phone' }),
)

/** What a run brought, or where that is shown; undefined: it only printed, or has not ended. */
export function broughtBy({
  state,
  source,
  error,
  outcome = error,
}: Pick<RunRow, 'state' | 'source' | 'error' | 'outcome'>):
  | { readonly text: string; readonly isElsewhere?: true }
  | undefined {
  if (outcome !== undefined) return { text: outcome }
  const where = WHERE_TYPED.get(source)
  return where === undefined || state !== 'done' ? undefined : { text: `Result ${where}.`, isElsewhere: true }
}

/** Every browser's label begins with it. */
export const CONSOLE = /^console in /

/** The source of the orders, in words: `hook:dip`, `repl`, `other`. */
export function makerName(key: string): string {
  if (key === 'repl') return 'by hand'
  if (key === 'other') return 'not known to hookline'
  const [, kind, name] = /^(hook|web|phone|copier|task|exec):(.+)$/s.exec(key) ?? []
  if (name === undefined) return key
  if (kind === 'web') return `page ${name.replace(CONSOLE, '')}`
  // Only the line of a task has a name of its own there.
  return kind === 'exec' ? `task ${name}` : `${kind} ${name}`
}

/** The task first, then who began it: `task, page Chrome on Linux`. */
export function ordererName(key: string, taskId: string | undefined): string {
  return taskId === undefined ? makerName(key) : `task, ${makerName(key)}`
}

/** `96 ms`, `2.4 s`, `3 min`, `2 h`. */
export function showSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${Math.floor(ms / 100) / 10} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`
}

/** @returns undefined where its end is not known */
export function tookOf({ startedAt, finishedAt }: RunRow): string | undefined {
  return finishedAt === undefined ? undefined : showSpan(finishedAt - startedAt)
}

/** The line as it ran, with the slots that the alert filled. @returns undefined: not known */
export function lineToRunAgain({ command, values }: RunRow): string | undefined {
  return filledLine(command, values)
}

const SPANS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const
export const OUTCOMES = [
  'ok',
  'warning',
  'canceled',
  'failed',
  'skipped',
  'expired',
  'stopped',
  'refused',
  'interrupted',
  'running',
] as const
const NAMES = ['hook', 'source', 'account', 'symbol', 'state', 'text', 'span'] as const
type Name = (typeof NAMES)[number]

/** An absent filter passes every run. */
export type RunFilters = { readonly [name in Name]?: string }

const MAX_LENGTH = 64

export function readFilters(search: string): RunFilters {
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = (given.get(name) ?? '').slice(0, MAX_LENGTH)
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** With its question mark; empty where nothing is filtered. */
export function writeFilters(filters: RunFilters): string {
  const pairs = NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** hookline answers `skipped` and its like as failed: {@link passes} separates them. */
const STATES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ok: 'done',
    warning: 'done',
    canceled: 'done',
    skipped: 'failed',
    expired: 'failed',
    stopped: 'failed',
    refused: 'failed',
  }),
)

export function questionOf(
  { hook, source, account, symbol, state, text, span }: RunFilters,
  now: number,
): NonNullable<Question<'runs:query'>['filters']> {
  const ms = span === undefined ? undefined : SPANS[span as keyof typeof SPANS]
  return {
    ...defined({ hookId: hook, source, account, symbol: symbol?.toUpperCase() }),
    ...(state === undefined ? {} : { status: STATES.get(state) ?? state }),
    ...defined({ text }),
    ...(ms === undefined ? {} : { from: now - ms }),
  }
}

/** Filters the answer to {@link questionOf}, whose states are coarser. A fire by hand that was skipped is one row: the fire's, not its line's. */
export function passes(
  run: Parameters<typeof outcomeOf>[0] & Pick<RunRow, 'source'>,
  { state, source }: RunFilters,
): boolean {
  if (source === undefined && run.source !== 'hook' && run.unbegun === 'skipped') return false
  return state === undefined || outcomeOf(run) === state
}

// --- pages of answers and news put together

/** Later rows of a run take the place of earlier ones. */
export function mergeRuns(held: readonly RunRow[], news: readonly RunRow[]): readonly RunRow[] {
  if (news.length === 0) return held
  const byId = new Map(held.map((run) => [run.runId, run]))
  for (const run of news) {
    const known = byId.get(run.runId)
    // An answer that was under way may be older than news that overtook it.
    if (known === undefined || known.finishedAt === undefined || run.finishedAt !== undefined) byId.set(run.runId, run)
  }
  return [...byId.values()].sort((a, b) => b.startedAt - a.startedAt || (a.runId < b.runId ? 1 : -1))
}

/** Updates known runs, and adds none. */
export function updateRuns(held: readonly RunRow[], news: readonly RunRow[]): readonly RunRow[] {
  const known = new Set(held.map(({ runId }) => runId))
  return mergeRuns(
    held,
    news.filter(({ runId }) => known.has(runId)),
  )
}

export function countNew(held: readonly RunRow[], news: readonly RunRow[]): number {
  const known = new Set(held.map(({ runId }) => runId))
  return news.filter(({ runId }) => !known.has(runId)).length
}

// --- the feed

export interface RunsFeed {
  /** undefined: none has come yet. */
  readonly runs: readonly RunRow[] | undefined
  readonly error: string | undefined
  readonly hasOlder: boolean
  readonly isLoading: boolean
  /** Runs that came while it was paused. */
  readonly waiting: number
  loadOlder(): void
}

interface Held {
  readonly key: string
  readonly runs: readonly RunRow[] | undefined
  readonly next?: string | undefined
  readonly error?: string
}

const PAGE = 100
/** News of many runs are asked for together. */
const TOGETHER_MS = 400

export function useRuns(filters: RunFilters, isPaused: boolean): RunsFeed {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const key = writeFilters(filters)
  const [held, setHeld] = useState<Held>({ key, runs: undefined })
  const [isLoading, setLoading] = useState(false)
  const [waiting, setWaiting] = useState(0)
  const load = useCallback(
    async (cursor?: string) => {
      setLoading(true)
      const news = await ask(console, key, cursor)
      setHeld((before) => put(before, news, cursor !== undefined))
      setLoading(false)
    },
    [console, key],
  )
  useEffect(() => {
    if (isUsable && !isPaused) {
      setWaiting(0)
      void load()
    }
  }, [isUsable, isPaused, load])
  useNews(isUsable, load, (news, isLater) => {
    setHeld((before) => (before.runs ? { ...before, runs: updateRuns(before.runs, news) } : before))
    if (isPaused && isLater) setWaiting((count) => count + countNew(held.runs ?? [], news))
    return !isPaused
  })
  const runs = useMemo(
    () => (held.key === key ? held.runs?.filter((run) => passes(run, filters)) : undefined),
    [held, key, filters],
  )
  return {
    runs,
    isLoading,
    waiting,
    error: held.key === key ? held.error : undefined,
    hasOlder: held.key === key && held.next !== undefined,
    loadOlder: () => {
      if (!isLoading && held.next !== undefined) void load(held.next)
    },
  }
}

async function ask(console: Console, key: string, cursor: string | undefined): Promise<Held> {
  try {
    const filters = questionOf(readFilters(key), Date.now())
    const { runs, next } = await console.ask.runs({ limit: PAGE, filters, ...defined({ cursor }) })
    return { key, runs, next }
  } catch (error) {
    return { key, runs: undefined, error: describeFailure(error) }
  }
}

/** @param isOlder it begins where the loaded rows end */
function put(before: Held, news: Held, isOlder: boolean): Held {
  if (before.key !== news.key || before.runs === undefined) return news
  if (news.runs === undefined) return { ...before, ...defined({ error: news.error }) }
  const { error: _, ...rest } = before
  // The newest page again: loaded rows go on beyond it.
  return { ...rest, runs: mergeRuns(before.runs, news.runs), next: isOlder ? news.next : before.next }
}

/** @param take answers whether to ask for the newest page again: hookline's filters decide what belongs there */
function useNews(
  isUsable: boolean,
  load: () => Promise<void>,
  take: (news: readonly RunRow[], isLater: boolean) => boolean,
): void {
  const console = useConsole()
  const latest = useRef({ load, take })
  useEffect(() => {
    latest.current = { load, take }
  })
  useEffect(() => {
    if (!isUsable) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = console.feed.on('state:runs', ({ runs, part }) => {
      if (!latest.current.take(runs, part === true) || part !== true) return
      timer ??= setTimeout(() => {
        timer = undefined
        void latest.current.load()
      }, TOGETHER_MS)
    })
    const leave = console.feed.subscribe('runs')
    return () => {
      clearTimeout(timer)
      stop()
      leave()
    }
  }, [console, isUsable])
}

// --- what runs now, and what has ended lately

const LIVE_RUNS = 200

/** Newest first, each once. */
export function withRuns(
  known: readonly RunRow[] | undefined,
  { runs, part }: Pick<Frame<'state:runs'>, 'runs' | 'part'>,
): readonly RunRow[] {
  const byId = new Map((part ? (known ?? []) : []).map((run) => [run.runId, run]))
  for (const run of runs) byId.set(run.runId, run)
  return [...byId.values()].sort((a, b) => b.startedAt - a.startedAt).slice(0, LIVE_RUNS)
}

/** undefined: nothing is known yet. */
export function useLiveRuns(): readonly RunRow[] | undefined {
  const { looks } = useConsole()
  const [runs, setRuns] = useState<readonly RunRow[]>()
  useEffect(() => {
    const stops = [
      looks.on('state:runs', (frame) => setRuns((known) => withRuns(known, frame))),
      looks.subscribe('runs'),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [looks])
  return runs
}
