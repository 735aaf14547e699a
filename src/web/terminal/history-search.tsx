// Ctrl R: a piece of a line typed before, and the lines that have it.
import { type KeyboardEvent, useState } from 'react'
import { matching } from './recall.ts'
import type { TypedHistory } from './typed-history.ts'

export interface HistorySearchProps {
  readonly history: TypedHistory
  /** @param line undefined: what was typed stays */
  readonly onClose: (line: string | undefined) => void
}

const SHOWN = 8

export function HistorySearch({ history, onClose }: HistorySearchProps) {
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const lines = matching(history.lines(), query)
  const chosen = Math.min(index, Math.max(0, lines.length - 1))
  const move = (by: number) => setIndex(Math.max(0, Math.min(chosen + by, lines.length - 1)))
  const onKeyDown = (event: KeyboardEvent) => {
    const isOlder = event.key === 'ArrowUp' || (event.ctrlKey && event.key === 'r')
    if (isOlder) move(1)
    else if (event.key === 'ArrowDown') move(-1)
    else if (event.key === 'Enter' || event.key === 'Tab') onClose(lines[chosen])
    else if (event.key === 'Escape') onClose(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const from = Math.max(0, chosen - SHOWN + 1)
  return (
    <div className="input-line">
      <ol className="history-lines" aria-label="Lines typed before, the newest at the foot">
        {lines
          .slice(from, from + SHOWN)
          .map((line, at) => (
            <li key={line} className="cut" aria-current={from + at === chosen ? 'true' : undefined}>
              {line}
            </li>
          ))
          .reverse()}
      </ol>
      <span className="input-prompt">search </span>
      <span className="input-box">
        <input
          // biome-ignore lint/a11y/noAutofocus: it was opened to type here
          autoFocus
          aria-label="Search the lines typed before. Enter takes the line, Escape leaves."
          value={query}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setQuery(event.target.value)
            setIndex(0)
          }}
          onKeyDown={onKeyDown}
        />
      </span>
      {/* Said as it changes: the line that Enter would take. */}
      <span className="visually-hidden" role="status">
        {lines[chosen] ?? 'no such line'}
      </span>
    </div>
  )
}
