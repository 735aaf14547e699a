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
    looks.ask.fills({ account, limit: PAGE }).then(
      ({ fills: rows }) => add(rows),
      () => undefined,
    )
    const stops = [looks.on('state:fills', ({ fills: rows }) => add(rows)), looks.subscribe('fills')]
    return () => {
      isOver = true
      for (const stop of stops) stop()
    }
  }, [looks, account, isConnected])
  return fills
}
