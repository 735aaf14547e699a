// The ticket: clicks write a line, the line says what it would bring, and the button runs it.
import { type KeyboardEvent, type SyntheticEvent, useState } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useConsole, useDesk } from '../../../use-console.ts'
import { useMarket, useTabScope } from '../use-market.ts'
import { whyNoTrade } from '../why-no-trade.ts'
import { actOf } from './consequences.ts'
import { Consequences } from './consequences-view.tsx'
import './ticket.css'
import { editLine, lineOf } from './edited-line.ts'
import { TicketFields } from './ticket-fields.tsx'
import { useTicket } from './ticket-store.ts'
import { usePreview } from './use-preview.ts'

export default function Ticket() {
  const console = useConsole()
  const { view, isStale } = useMarket()
  const scope = useTabScope()
  const state = useTicket()
  const [isRunning, setRunning] = useState(false)
  const written = lineOf(state, scope?.symbol ?? '')
  const line = 'line' in written ? written.line : undefined
  const previewed = usePreview(line, scope?.account, scope?.symbol)
  const whyNot = useDesk((each) => whyNoTrade(each, scope?.account, isStale))
  const { preview } = previewed
  const canRun = line !== undefined && whyNot === undefined && preview?.ok === true && !isRunning
  const run = async () => {
    if (!canRun || scope === undefined) return
    setRunning(true)
    await console.runFromPanel(line, scope).finally(() => setRunning(false))
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    void run()
  }
  const press = (event: KeyboardEvent) => {
    const isOnButton = event.target instanceof HTMLButtonElement
    if (event.key !== 'Enter' || isOnButton) return
    event.preventDefault()
    if (event.shiftKey) previewed.askNow()
    else void run()
  }
  return (
    <form className="ticket" onSubmit={submit} onKeyDown={press} aria-label="Order">
      <TicketFields market={view?.market} last={view?.ticker?.last} fault={'line' in written ? undefined : written} />
      <WrittenLine line={line ?? ''} typed={state.typed} symbol={scope?.symbol ?? ''} />
      <Consequences {...previewed} />
      <div className="ticket-run">
        {whyNot !== undefined && <p className="ticket-why">{whyNot}</p>}
        <button type="submit" className={`button run ${state.side}`} disabled={!canRun} data-running={isRunning}>
          {preview === undefined ? titleOf(state.side) : actOf(preview)}
          <kbd>Enter</kbd>
        </button>
      </div>
    </form>
  )
}

function titleOf(side: 'buy' | 'sell'): string {
  return side === 'buy' ? 'Buy' : 'Sell'
}

interface WrittenLineProps {
  readonly line: string
  readonly typed: string | undefined
  readonly symbol: string
}

function WrittenLine({ line, typed, symbol }: WrittenLineProps) {
  return (
    <div className="written">
      <label htmlFor="ticket-line">
        <Icon name="prompt" size={14} /> This writes
      </label>
      <CopyButton text={typed ?? line} name="Copy the line" />
      <textarea
        id="ticket-line"
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? line}
        placeholder="buy $250"
        onChange={({ target }) => editLine(target.value.replaceAll(/[\r\n]+/g, ' '), symbol)}
      />
    </div>
  )
}
