// How the fires of each hook went in 24 h: asked again when a fire has ended, at most once a second.
import { useEffect, useRef, useState } from 'react'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import type { HookDay } from './hook-order.ts'

const AT_MOST_EVERY_MS = 1_000
const NONE: ReadonlyMap<string, HookDay> = new Map()

export function useHookDays(): ReadonlyMap<string, HookDay> {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const ended = useDesk(({ hookRuns }) =>
    hookRuns
      .filter(({ result }) => result !== undefined)
      .map(({ runId }) => runId)
      .join(),
  )
  const [days, setDays] = useState(NONE)
  const askedAt = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each end is news
  useEffect(() => {
    if (!isUsable) return undefined
    const ask = () => {
      askedAt.current = Date.now()
      console.ask.hookCounts().then(
        ({ hooks }) => setDays(new Map(hooks.map((day) => [day.hookId, day]))),
        // Too old to tell, or the connection went: what was known stays.
        () => {},
      )
    }
    const timer = setTimeout(ask, Math.max(0, askedAt.current + AT_MOST_EVERY_MS - Date.now()))
    return () => clearTimeout(timer)
  }, [console, isUsable, ended])
  return days
}
