// What the shown account has made since midnight, as hookline counts it: asked anew when positions or orders change, and twice a minute.
import { useEffect, useState } from 'react'
import type { Portfolio } from '../../protocol/frames.ts'
import { isLive } from '../console-state.ts'
import { useConsole, useDesk } from '../use-console.ts'

const EVERY_MS = 30_000

/** @returns money of the account's own currency; undefined: hookline does not tell */
export function useToday(portfolio: Portfolio | undefined): string | undefined {
  const console = useConsole()
  const isConnected = useDesk(isLive)
  const [made, setMade] = useState<{ readonly account: string; readonly net: string }>()
  const account = portfolio?.account
  const currency = portfolio?.balance.currency
  // Every fill changes one of them.
  const wallet = portfolio?.balance.wallet
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wallet says when to ask again
  useEffect(() => {
    if (!isConnected || account === undefined) return undefined
    let isOver = false
    const look = async () => {
      const from = new Date().setHours(0, 0, 0, 0)
      const answer = await console.ask.pnl({ by: 'day', account, from }).catch(() => undefined)
      if (isOver) return
      const net = answer?.total.sums.find((sums) => sums.currency === currency)?.net
      setMade(answer && { account, net: net ?? '0' })
    }
    void look()
    const timer = setInterval(() => void look(), EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [console, isConnected, account, currency, wallet])
  return made?.account === account ? made?.net : undefined
}
