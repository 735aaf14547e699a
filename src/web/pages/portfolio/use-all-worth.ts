// What every account in use is worth, as hookline last looked, added up by currency.
import { Decimal } from 'decimal.js'
import { useEffect, useState } from 'react'
import type { Frame } from '../../../protocol/frames.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'

export interface AllWorth {
  readonly currency: string
  readonly total: string
  readonly accounts: number
}

const NONE: readonly AllWorth[] = []

/** The currency of most accounts first. Empty until hookline has looked. */
export function useAllWorth(): readonly AllWorth[] {
  const { feed } = useConsole()
  const isConnected = useDesk(isLive)
  const [all, setAll] = useState(NONE)
  useEffect(() => {
    if (!isConnected) return undefined
    const leave = [feed.on('state:equity', ({ accounts }) => setAll(addedUp(accounts))), feed.subscribe('equity')]
    return () => {
      for (const end of leave) end()
    }
  }, [feed, isConnected])
  return all
}

export function addedUp(accounts: Frame<'state:equity'>['accounts']): readonly AllWorth[] {
  const sums = new Map<string, { total: Decimal; accounts: number }>()
  for (const { currency, total } of accounts) {
    const known = sums.get(currency) ?? { total: new Decimal(0), accounts: 0 }
    sums.set(currency, { total: known.total.plus(total), accounts: known.accounts + 1 })
  }
  return [...sums]
    .map(([currency, { total, accounts: count }]) => ({ currency, total: total.toFixed(), accounts: count }))
    .sort((a, b) => b.accounts - a.accounts || a.currency.localeCompare(b.currency))
}
