// The line that the ticket writes: read, copied, kept as a hook, changed by hand.
import { useLocation } from 'wouter'
import type { Preview } from '../../../../protocol/preview.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { caretUnder } from './caret.ts'
import { editLine } from './edited-line.ts'
import { editTicket, useTicket } from './ticket-store.ts'

interface WrittenLineProps {
  /** Empty: there is none yet. */
  readonly line: string
  readonly errors: Preview['errors'] | undefined
  readonly symbol: string
}

export function WrittenLine({ line, errors, symbol }: WrittenLineProps) {
  const typed = useTicket((state) => state.typed)
  const isFollowed = useTicket((state) => state.isFollowed)
  const [, navigate] = useLocation()
  const pointed = errors?.find(({ column }) => column !== undefined)
  return (
    <div className="written" data-by-hand={typed !== undefined}>
      <label htmlFor="ticket-line">
        <Icon name="prompt" size={14} /> This writes
      </label>
      <span className="written-actions">
        <button
          type="button"
          className="button small"
          disabled={line === ''}
          // By the history and not by the address: no link from elsewhere fills in a hook.
          onClick={() => navigate('/hooks', { state: { command: line } })}
        >
          Save as hook
        </button>
        <CopyButton text={typed ?? line} name="Copy the line" />
      </span>
      <textarea
        id="ticket-line"
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? line}
        placeholder="buy $250"
        aria-describedby={isFollowed ? undefined : 'ticket-by-hand'}
        onChange={({ target }) => editLine(target.value.replaceAll(/[\r\n]+/g, ' '), symbol)}
      />
      {pointed?.column !== undefined && line !== '' && (
        <pre className="caret" aria-hidden="true">
          {caretUnder(line, pointed.column)}
        </pre>
      )}
      {!isFollowed && (
        <p className="by-hand" id="ticket-by-hand">
          Edited by hand: the fields above do not show it.{' '}
          <button type="button" className="as-other" onClick={() => editTicket({})}>
            Back to the fields
          </button>
        </p>
      )}
    </div>
  )
}
