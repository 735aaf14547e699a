// Error boundaries: a part that fails to render leaves the others, so that an error of one part never hides the ways to stop.
import { Component, type ReactNode } from 'react'
import { printable } from '../../language/printable.ts'

const MOST_TEXT = 200

interface BoundaryProps {
  /** In the place of what cannot be drawn. @param again draws it anew */
  readonly fallback: (why: string, again: () => void) => ReactNode
  readonly children: ReactNode
}

export class Boundary extends Component<BoundaryProps, { readonly why: string | undefined }> {
  override readonly state = { why: undefined }

  static getDerivedStateFromError(error: unknown): { why: string } {
    return { why: printable(error instanceof Error ? error.message : String(error), MOST_TEXT) }
  }

  override render(): ReactNode {
    const { fallback, children } = this.props
    const { why } = this.state
    return why === undefined ? children : fallback(why, () => this.setState({ why: undefined }))
  }
}

/** A part of the frame around every page. */
export function PartBoundary({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Boundary
      fallback={(why, again) => (
        <button type="button" className="tag bad" title={`${why}. Press to try again.`} onClick={again}>
          {name} cannot be shown
        </button>
      )}
    >
      {children}
    </Boundary>
  )
}

/** All of a page: a value that it cannot draw, or its program is gone from the server since a newer one was installed. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
  return <Boundary fallback={(why, again) => <CannotBeShown why={why} onAgain={again} />}>{children}</Boundary>
}

/** @param children more ways out */
export function CannotBeShown({
  why,
  onAgain,
  children,
}: {
  readonly why: string
  readonly onAgain: () => void
  readonly children?: ReactNode
}) {
  return (
    <div className="breaks gap-3 grid muted empty page-fault" role="alert">
      <b>This page cannot be shown.</b>
      <p>
        hookline goes on: orders, stops and hooks do not depend on this page. If the console was updated, reload it.
      </p>
      <p className="muted">{why}</p>
      <div className="cluster">
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Reload
        </button>
        <button type="button" className="button" onClick={onAgain}>
          Try again
        </button>
      </div>
      {children}
    </div>
  )
}
