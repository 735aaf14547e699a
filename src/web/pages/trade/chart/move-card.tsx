// Where a moved line would go: its price, the command, what it would bring, and a yes.
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Consequences } from '../../../preview/consequences-view.tsx'
import { UNTYPABLE } from '../../../preview/line-preview.tsx'
import { usePreview } from '../../../preview/use-preview.ts'
import { useConsole } from '../../../use-console.ts'
import { stepFigure } from '../ticket/step-figure.ts'
import { moveLine } from './chart-lines.ts'
import type { Draft } from './line-drag.ts'

export interface MoveCardProps {
  readonly draft: Draft
  readonly scope: { readonly account: string; readonly symbol: string }
  readonly tick: string | undefined
  /** Nothing can be sent now. */
  readonly whyNot: string | undefined
  readonly onDraft: (draft: Draft | undefined) => void
}

export function MoveCard({ draft, scope, tick, whyNot, onDraft }: MoveCardProps) {
  const { line, price, isReleased } = draft
  const console = useConsole()
  const card = useRef<HTMLDivElement>(null)
  const command = line.moves && moveLine(line.moves, price)
  const hasMoved = price !== line.price
  const previewed = usePreview(isReleased && hasMoved ? command : undefined, scope.account, scope.symbol)
  const canSend = isReleased && whyNot === undefined && previewed.preview?.ok === true
  const isByKeys = isReleased && draft.isByKeys === true
  useEffect(() => {
    if (isReleased) (isByKeys ? card.current?.querySelector('input') : card.current)?.focus()
  }, [isReleased, isByKeys])
  const send = () => {
    if (!canSend || command === undefined) return
    onDraft(undefined)
    void console.runFromPanel(command, scope)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDraft(undefined)
    else if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const written = <code>{command ?? (line.moves ? UNTYPABLE : `${line.label} to ${price}`)}</code>
  return (
    <div className="move-card" role="dialog" aria-label="Move the line" tabIndex={-1} ref={card} onKeyDown={press}>
      {!isReleased && written}
      {isReleased && (
        <>
          <MovedPrice draft={draft} tick={tick} onDraft={onDraft} />
          <Consequences {...previewed} />
          {written}
          {whyNot !== undefined && <p className="refusal">{whyNot}</p>}
          <div className="move-actions">
            <button type="button" className="button small" onClick={() => onDraft(undefined)}>
              Leave it <kbd>Esc</kbd>
            </button>
            <button type="button" className="button small primary" disabled={!canSend} onClick={send}>
              Move <kbd>Enter</kbd>
            </button>
          </div>
        </>
      )}
    </div>
  )
}

const MANY = 10

function MovedPrice({ draft, tick = '1', onDraft }: Pick<MoveCardProps, 'draft' | 'tick' | 'onDraft'>) {
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onDraft({ ...draft, price: stepFigure(draft.price, tick, event.shiftKey ? by * MANY : by) })
  }
  return (
    <label className="moved-price">
      <span>Price</span>
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        value={draft.price}
        onKeyDown={step}
        onChange={({ target }) => onDraft({ ...draft, price: target.value.trim() })}
      />
    </label>
  )
}
