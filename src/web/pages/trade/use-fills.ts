// What has filled on the account of this tab, newest first: what was, then what comes.
import { createContext, useContext, useEffect, useState } from 'react'
import type { FillRow } from '../../../protocol/frames.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { withFills } from './fill-list.ts'

export const FillsContext = createContext<readonly FillRow[] | undefined>(undefined)

/** undefined: nothing is known yet. */
export function useFills(): readonly FillRow[] | undefined {
  return useContext(FillsContext)
}

const PAGE = 200
/** What a fill realised is told by the history, and not with its news: the history is asked so long after them. */
const REALISED_AFTER_MS = 1_000
const NEWEST = 50

/** For the page; its parts take it by {@link useFills}. */
export function useFollowedFills(account: string | undefined): readonly FillRow[] | undefined {
  const { looks } = useConsole()
  const isConnected = useDesk(isLive)
  const [fills, setFills] = useState<readonly FillRow[]>()
  useEffect(() => setFills((known) => known?.filter((fill) => fill.account === account)), [account])
  useEffect(() => {
    if (!isConnected || account === undefined) return undefined
    let isOver = false
    const add = (rows: readonly FillRow[]) => {
      if (!isOver) setFills((known) => withFills(known, rows, account))
    }
    // A hookline that does not tell them leaves the table as it is.
    const ask = (limit: number) =>
      looks.ask.fills({ account, limit }).then(
        ({ fills: rows }) => add(rows),
        () => undefined,
      )
    let soon: ReturnType<typeof setTimeout> | undefined
    const hear = (rows: readonly FillRow[]) => {
      add(rows)
      if (!rows.some((fill) => fill.account === account && fill.pnl === undefined)) return
      soon ??= setTimeout(() => {
        soon = undefined
        void ask(NEWEST)
      }, REALISED_AFTER_MS)
    }
    void ask(PAGE)
    const stops = [looks.on('state:fills', ({ fills: rows }) => hear(rows)), looks.subscribe('fills')]
    return () => {
      isOver = true
      clearTimeout(soon)
      for (const stop of stops) stop()
    }
  }, [looks, account, isConnected])
  return fills
}
