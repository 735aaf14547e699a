// A part of a hook's page: its heading, what may be done there, its content.
import type { ReactNode } from 'react'

export function Block({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="hook-block" aria-label={title}>
      <div>
        <h4>{title}</h4>
        {action}
      </div>
      {children}
    </section>
  )
}
