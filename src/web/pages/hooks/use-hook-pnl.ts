// What the runs of each hook have made in 30 days on one account: asked again when a fire has ended.
import { useEffect, useState } from 'react'
import type { PnlRow } from '../../../protocol/frames.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'

export const PNL_DAYS = 30
const DAY_MS = 86_400_000
/** Of several fires together. */
const PAUSE_MS = 1_000

/** @param news changes when it should be asked again @returns undefined: not known; empty: no fill is of it */
export function useHookPnl(name: string, account: string | undefined, news: unknown): PnlRow['sums'] | undefined {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const [known, setKnown] = useState<{ readonly key: string; readonly sums: PnlRow['sums'] }>()
  const key = `${account} ${name}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: news are the reason to ask
  useEffect(() => {
    if (!isUsable || account === undefined) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const question = { by: 'hook', account, from: Date.now() - PNL_DAYS * DAY_MS } as const
      const answer = await console.ask.pnl(question).catch(() => undefined)
      if (isOver || answer === undefined) return
      setKnown({ key, sums: answer.groups.find((group) => group.key === `hook:${name}`)?.sums ?? [] })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [console, isUsable, account, name, key, news])
  return known?.key === key ? known.sums : undefined
}
