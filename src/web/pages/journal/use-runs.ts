// The runs that match, page by page, and those that come meanwhile.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { defined } from '../../../base/defined.ts'
import type { RunRow } from '../../../protocol/frames.ts'
import { type Console, describeFailure } from '../../console.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { passes, questionOf, type RunFilters, readFilters, writeFilters } from './run-filters.ts'
import { countNew, mergeRuns, updateRuns } from './run-pages.ts'

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

/** @param isOlder it begins where what is held ends */
function put(before: Held, news: Held, isOlder: boolean): Held {
  if (before.key !== news.key || before.runs === undefined) return news
  if (news.runs === undefined) return { ...before, ...defined({ error: news.error }) }
  const { error: _, ...rest } = before
  // The newest page again: what is held goes on beyond it.
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
