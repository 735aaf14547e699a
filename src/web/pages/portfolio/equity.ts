import { Decimal } from 'decimal.js'
import { useEffect, useState } from 'react'
import type { AccountRow, Frame } from '../../../protocol/frames.ts'
import { showTime } from '../../figures.ts'
import { isLive } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'

// The equity of every account in use, as hookline last read it, added up by currency; of the account that is shown, as it is now.

export interface AllWorth {
  readonly currency: string
  readonly total: string
  readonly accounts: number
}

export type AccountEquity = Frame<'state:equity'>['accounts']

/** Empty until hookline has looked. */
export function useAllEquity(): AccountEquity {
  const { feed } = useConsole()
  const isConnected = useDesk(isLive)
  const [all, setAll] = useState<AccountEquity>([])
  useEffect(() => {
    if (!isConnected) return undefined
    const leave = [feed.on('state:equity', ({ accounts }) => setAll(accounts)), feed.subscribe('equity')]
    return () => {
      for (const end of leave) end()
    }
  }, [feed, isConnected])
  return all
}

/** The currency of most accounts first. @param shown hookline records each account once a minute: the figure beside this one is newer */
export function addedUp(
  accounts: AccountEquity,
  shown?: { readonly account: string; readonly balance: { readonly currency: string; readonly total: string } },
): readonly AllWorth[] {
  const sums = new Map<string, { total: Decimal; accounts: number }>()
  for (const { account, currency, total: recorded } of accounts) {
    const isShown = shown?.account === account && shown.balance.currency === currency
    const total = isShown ? shown.balance.total : recorded
    const known = sums.get(currency) ?? { total: new Decimal(0), accounts: 0 }
    sums.set(currency, { total: known.total.plus(total), accounts: known.accounts + 1 })
  }
  return [...sums]
    .map(([currency, { total, accounts: count }]) => ({ currency, total: total.toFixed(), accounts: count }))
    .sort((a, b) => b.accounts - a.accounts || a.currency.localeCompare(b.currency))
}

/** The accounts that no sum has, with why: hookline looks at accounts in use, and has no sum of spot coins. */
export function uncounted(
  accounts: readonly Pick<AccountRow, 'name' | 'kind'>[],
  counted: AccountEquity,
): readonly string[] {
  const known = new Set(counted.map(({ account }) => account))
  return accounts
    .filter(({ name }) => !known.has(name))
    .map(({ name, kind }) => `${name} (${kind === 'spot' ? 'spot' : 'not read yet'})`)
}

/** hookline reads each once a minute, and none that is stale or silent. */
const OLD_MS = 180_000

/** Which of the sum are older than that. @param shown is counted as it is now */
export function olderOnes(accounts: AccountEquity, shown: string | undefined, now: number): readonly string[] {
  return accounts
    .filter(({ account, at }) => account !== shown && now - at > OLD_MS)
    .map(({ account, at }) => `${account} as of ${showTime(at, now)}`)
}
