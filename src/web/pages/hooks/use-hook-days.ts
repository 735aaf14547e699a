// How the fires of each hook went in 24 h, and what is left of its limits: asked again when a fire has begun or ended or a hook was changed, at
// most once a second; and now and then while something is counted, for it comes back with time.
import { useEffect, useRef, useState } from 'react'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import type { HookDay, HookLeft } from './hook-order.ts'

export interface HookDays {
  readonly days: ReadonlyMap<string, HookDay>
  readonly lefts: ReadonlyMap<string, HookLeft>
  /** When it was told. */
  readonly at: number
}

const AT_MOST_EVERY_MS = 1_000
const WHILE_COUNTED_MS = 15_000
const NONE: HookDays = { days: new Map(), lefts: new Map(), at: 0 }

export function useHookDays(): HookDays {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const hooks = useDesk((state) => state.hooks)
  const fires = useDesk(({ hookRuns }) =>
    hookRuns.map(({ runId, result }) => `${runId}${result === undefined ? '' : ' ended'}`).join(),
  )
  const [known, setKnown] = useState(NONE)
  const askedAt = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each fire and each change is news
  useEffect(() => {
    if (!isUsable) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isGone = false
    const ask = async () => {
      askedAt.current = Date.now()
      // Too old to tell, or the connection went: what was known stays.
      const answer = await console.ask.hookCounts().catch(() => undefined)
      if (isGone || answer === undefined) return
      setKnown({ days: byHook(answer.hooks), lefts: byHook(answer.left ?? []), at: Date.now() })
      if (answer.left?.length) timer = setTimeout(ask, WHILE_COUNTED_MS)
    }
    timer = setTimeout(ask, Math.max(0, askedAt.current + AT_MOST_EVERY_MS - Date.now()))
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [console, isUsable, hooks, fires])
  return known
}

function byHook<Row extends { readonly hookId: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.hookId, row]))
}
