// What single letters do on Trade: they fill in the ticket, or show the line that closes the position of this tab's symbol. None of them sends.
import { useEffect, useRef } from 'react'
import { toast } from '../../components/toasts.tsx'
import { useDeskStore } from '../../shell/desk-store.ts'
import type { TradeAction } from '../../shell/page-keys.ts'
import { useMedia } from '../../use-media.ts'
import { useLineQuestion } from './line-button.tsx'
import { closeLine } from './position-lines.ts'
import { editTicket, openTicket } from './ticket/ticket-store.ts'
import { useTabPortfolio, useTabScope } from './use-market.ts'

export function TradeKeys() {
  const act = useTradeActions()
  const newest = useRef(act)
  useEffect(() => {
    newest.current = act
  })
  useEffect(() => {
    // What was pressed before the page was there is not for it.
    const stop = useDeskStore.subscribe(({ tradeKey }, before) => {
      if (tradeKey !== undefined && tradeKey !== before.tradeKey) newest.current(tradeKey)
    })
    return () => {
      stop()
      useDeskStore.setState({ tradeKey: undefined })
    }
  }, [])
  return null
}

function useTradeActions(): (action: TradeAction) => void {
  const ask = useLineQuestion()
  const scope = useTabScope()
  const portfolio = useTabPortfolio()
  const isNarrow = useMedia('(max-width: 799px)')
  return (action) => {
    if (action.kind === 'ticket-side') return isNarrow ? openTicket(action.side) : editTicket({ side: action.side })
    if (action.kind === 'ticket-kind') return editTicket({ kind: action.order })
    const position = portfolio?.positions.find(({ symbol }) => symbol === scope?.symbol)
    if (scope === undefined || position === undefined || portfolio?.account !== scope.account)
      return toast({ tone: 'warn', text: `There is no position in ${scope?.symbol ?? 'this symbol'} to close.` })
    const name = `Close the ${position.side} in ${position.symbol}`
    void ask({ name, line: closeLine(position), scope })
  }
}
