// Nothing to show, said in words: a title, a sentence, and a line to run or copy.
import type { ReactNode } from 'react'
import { propose } from '../shell/desk-store.ts'

export interface EmptyProps {
  readonly title?: string
  readonly children: ReactNode
  /** A command that a click puts into the terminal, unsent. */
  readonly line?: string
}

export function Empty({ title, children, line }: EmptyProps) {
  return (
    <div className="empty">
      {title !== undefined && <b>{title}</b>}
      <p>{children}</p>
      {line !== undefined && (
        <button type="button" className="button small" onClick={() => propose(line)} title="Put it into the terminal">
          <code>{line}</code>
        </button>
      )}
    </div>
  )
}
