// The ticket: clicks write a line, the line says what it would bring, and the button runs it.
import { type KeyboardEvent, type SyntheticEvent, useEffect, useState } from 'react'
import { actOf } from '../../../preview/consequences.ts'
import { Consequences } from '../../../preview/consequences-view.tsx'
import { useConsole, useDesk } from '../../../use-console.ts'
import { useMarket, useTabScope } from '../use-market.ts'
import { whyNoTrade } from '../why-no-trade.ts'
import './ticket.css'
import './ticket-fields.css'
import { type Previewed, usePreview } from '../../../preview/use-preview.ts'
import { lineOf } from './edited-line.ts'
import { Funds } from './funds.tsx'
import { noteSize } from './last-sizes.ts'
import { LimitsBar } from './limits-bar.tsx'
import { TicketFields } from './ticket-fields.tsx'
import { closeTicket, useTicket } from './ticket-store.ts'
import { WrittenLine } from './written-line.tsx'

export default function Ticket() {
  const console = useConsole()
  const { view, isStale } = useMarket()
  const scope = useTabScope()
  const state = useTicket()
  const [isRunning, setRunning] = useState(false)
  const written = lineOf(state, scope?.symbol ?? '')
  const line = 'line' in written ? written.line : undefined
  const previewed = useShownPreview(line, scope)
  const whyNot = useDesk((each) => whyNoTrade(each, scope?.account, isStale))
  const { preview } = previewed
  const canRun = line !== undefined && whyNot === undefined && preview?.ok === true && !isRunning
  const run = async () => {
    if (!canRun || scope === undefined) return
    setRunning(true)
    if (state.isFollowed) noteSize(state)
    await console.runFromPanel(line, scope).finally(() => setRunning(false))
    // What became of it is told below a sheet: one that stays looks as if nothing had been sent.
    closeTicket()
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    void run()
  }
  const press = (event: KeyboardEvent) => {
    const isOnButton = event.target instanceof HTMLButtonElement
    if (event.key !== 'Enter' || (isOnButton && !event.repeat)) return
    event.preventDefault()
    // A key that is held is one wish, not many.
    if (event.repeat) return
    if (event.shiftKey) previewed.askNow()
    else void run()
  }
  const fault = 'line' in written ? undefined : written
  const facts = { market: view?.market, last: view?.ticker?.last, fault }
  return (
    <form className="ticket" onSubmit={submit} onKeyDown={press} aria-label="Order">
      <Funds preview={preview} />
      <TicketFields {...facts} />
      <WrittenLine line={line ?? ''} errors={preview?.errors} symbol={scope?.symbol ?? ''} />
      <Consequences {...previewed} />
      {preview?.limits && <LimitsBar limits={preview.limits} />}
      <div className="ticket-run">
        {whyNot !== undefined && <p className="ticket-why">{whyNot}</p>}
        <button type="submit" className={`button run ${sideOf(state)}`} disabled={!canRun} data-running={isRunning}>
          {preview === undefined ? titleOf(state) : actOf(preview)}
          <kbd>Enter</kbd>
        </button>
      </div>
    </form>
  )
}

/** The chart shows it too, for as long as the ticket is there. */
function useShownPreview(line: string | undefined, scope: ReturnType<typeof useTabScope>): Previewed {
  const previewed = usePreview(line, scope?.account, scope?.symbol)
  const { preview } = previewed
  useEffect(() => {
    useTicket.setState({ preview })
    return () => useTicket.setState({ preview: undefined })
  }, [preview])
  return previewed
}

type Shown = Parameters<typeof lineOf>[0]

/** A stop for what is held goes against it, whichever side that is. */
function sideOf({ kind, aim, side }: Shown): string {
  return kind === 'stop' && aim === 'protect' ? 'protect' : side
}

function titleOf(state: Shown): string {
  if (state.kind === 'stop') return 'Place the stop'
  return state.side === 'buy' ? 'Buy' : 'Sell'
}
