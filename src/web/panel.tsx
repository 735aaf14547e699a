// The frame of every panel: heading, a place for buttons, a body that scrolls. On narrow screens it is a tab's content.
import { createContext, type ReactNode, useContext } from 'react'
import { isLive } from './console-state.ts'
import type { Region } from './panel-list.ts'
import { useConsoleState } from './use-console.ts'

/** The tab shown on narrow screens; undefined: all are shown. */
export const ShownTab = createContext<Region | undefined>(undefined)

export interface PanelProps {
  readonly id: Region
  readonly title: string
  /** Beside the heading. */
  readonly aside?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Panel({ id, title, aside, actions, children }: PanelProps) {
  const shown = useContext(ShownTab)
  const state = useConsoleState()
  const isStale = id !== 'terminal' && !isLive(state)
  return (
    <section
      id={`panel-${id}`}
      className="panel"
      data-panel={id}
      data-stale={isStale}
      hidden={shown !== undefined && shown !== id}
      aria-labelledby={`heading-${id}`}
    >
      <header className="panel-head">
        <h2 id={`heading-${id}`}>{title}</h2>
        <div className="panel-aside">{aside}</div>
        {isStale && state.hooks !== undefined && <span className="tag">as last seen</span>}
        {actions}
      </header>
      {/* Where the focus goes when the panel is called for, so that the arrow keys scroll it. */}
      <div id={`body-${id}`} className="panel-body" tabIndex={-1}>
        {children}
      </div>
    </section>
  )
}

/** Rows that will come: as tall as they will be. */
export function Skeleton({ rows = 2 }: { readonly rows?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        // Rows of nothing have nothing else to be known by.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} />
      ))}
    </div>
  )
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="empty">{children}</p>
}

/** Nothing has come: the page is not connected, hookline does not send it, or not yet. */
export function Nothing({ what, rows }: { readonly what: string; readonly rows?: number }) {
  const state = useConsoleState()
  if (!isLive(state)) return <Empty>{`${what} appear once this page is connected to hookline.`}</Empty>
  const refusal = state.refusals.at(-1)
  if (refusal !== undefined) return <Empty>{`hookline does not show them: ${refusal}`}</Empty>
  return <Skeleton {...(rows === undefined ? {} : { rows })} />
}
