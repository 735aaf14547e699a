// The ticket's place in a wide window. The form brings the grammar along, and is a chunk of its own.
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../../components/pane.tsx'

const TicketForm = lazy(() => import('./ticket-form.tsx'))

export function TicketPane() {
  return (
    <section className="pane ticket-pane" aria-label="Ticket" data-region="Ticket" tabIndex={-1}>
      <Suspense fallback={<Skeleton rows={8} />}>
        <TicketForm />
      </Suspense>
    </section>
  )
}
