// Where a dragged line would go: the command, what it would bring, and a yes.
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useConsole } from '../../../use-console.ts'
import { Consequences } from '../ticket/consequences-view.tsx'
import { usePreview } from '../ticket/use-preview.ts'
import { moveLine } from './chart-lines.ts'
import type { Draft } from './line-drag.ts'

export interface MoveCardProps {
  readonly draft: Draft
  readonly scope: { readonly account: string; readonly symbol: string }
  /** Nothing can be sent now. */
  readonly whyNot: string | undefined
  readonly onDone: () => void
}

export function MoveCard({ draft: { line, price, isReleased }, scope, whyNot, onDone }: MoveCardProps) {
  const console = useConsole()
  const card = useRef<HTMLDivElement>(null)
  const command = line.moves === undefined ? '' : moveLine(line.moves, price)
  const previewed = usePreview(isReleased ? command : undefined, scope.account, scope.symbol)
  const canSend = isReleased && whyNot === undefined && previewed.preview?.ok === true
  useEffect(() => {
    if (isReleased) card.current?.focus()
  }, [isReleased])
  const send = () => {
    if (!canSend) return
    onDone()
    void console.runFromPanel(command, scope)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDone()
    else if (event.key === 'Enter' && event.target === card.current) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="move-card" role="dialog" aria-label="Move the line" tabIndex={-1} ref={card} onKeyDown={press}>
      <code>{command}</code>
      {isReleased && (
        <>
          <Consequences {...previewed} />
          {whyNot !== undefined && <p className="refusal">{whyNot}</p>}
          <div className="move-actions">
            <button type="button" className="button small" onClick={onDone}>
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
