// The frame of every pane: heading, a place for buttons, a body that scrolls.
import type { ReactNode } from 'react'
import type { ServerFrame } from '../../protocol/frames.ts'
import { ACCOUNTS_HIDDEN, isFresh, isLive } from '../state/console-state.ts'
import { propose } from '../state/desk-store.ts'
import { useDesk } from '../state/use-console.ts'
import { Words } from './words.tsx'

interface PaneProps {
  readonly id: string
  readonly title: string
  /** Beside the heading. */
  readonly aside?: ReactNode
  readonly actions?: ReactNode
  /** Its content does not come from hookline and is never stale. */
  readonly isOwn?: boolean
  /** Its content begins with a heading of its own: the pane's is for screen readers. */
  readonly isHeaded?: boolean
  /** The frame that its rows come with. */
  readonly of?: ServerFrame['t']
  readonly children: ReactNode
}

export function Pane({ id, title, aside, actions, isOwn = false, isHeaded = false, of, children }: PaneProps) {
  const isStale = useDesk((state) => !isFresh(state, of)) && !isOwn
  const hasContent = useDesk(({ hooks }) => hooks !== undefined)
  const isUnseen = isHeaded && actions === undefined && !(isStale && hasContent)
  return (
    <section
      id={`pane-${id}`}
      className="boxed round surface stack pane"
      data-pane={id}
      data-stale={isStale}
      aria-labelledby={`heading-${id}`}
    >
      <header className={isUnseen ? 'visually-hidden' : 'ruled rigid row pane-head'}>
        <h2 id={`heading-${id}`}>{title}</h2>
        <div className="fill muted pane-aside cut">{aside}</div>
        {isStale && hasContent && <span className="tag">as last seen</span>}
        {actions}
      </header>
      {/* Where the focus goes when the pane is called for, so that the arrow keys scroll it. */}
      <div id={`body-${id}`} className="scrolls fill pane-body" tabIndex={-1} data-region={title}>
        {children}
      </div>
    </section>
  )
}

/** Rows that will come: as tall as they will be. */
export function Skeleton({ rows = 2 }: { readonly rows?: number }) {
  return (
    <div className="grid skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        // Rows of nothing have nothing else to be known by.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} />
      ))}
    </div>
  )
}

/** No data: the page is not connected, hookline does not send them, or not yet. */
export function Nothing({ what, rows = 2 }: { readonly what: string; readonly rows?: number }) {
  const isConnected = useDesk(isLive)
  const refusal = useDesk(({ refusals, flags }) =>
    flags?.accountSync === false
      ? ACCOUNTS_HIDDEN
      : refusals.at(-1) && `hookline does not show them: ${refusals.at(-1)}`,
  )
  if (!isConnected) return <Empty>{`${what} appear once this page is connected to hookline.`}</Empty>
  if (refusal !== undefined) return <Empty>{refusal}</Empty>
  return <Skeleton rows={rows} />
}

// --- nothing to show: a title, a sentence, and a line to run or copy

interface EmptyProps {
  readonly title?: string
  readonly children: ReactNode
  /** A command that a click puts into the terminal, unsent. */
  readonly line?: string
}

export function Empty({ title, children, line }: EmptyProps) {
  return (
    <div className="gap-3 grid muted empty">
      {title !== undefined && <b>{title}</b>}
      <p>{typeof children === 'string' ? <Words text={children} /> : children}</p>
      {line !== undefined && (
        <button type="button" className="button small" onClick={() => propose(line)} title="Put it into the terminal">
          <code>{line}</code>
        </button>
      )}
    </div>
  )
}
