// The ticket in a narrow window: two buttons at the foot, and a sheet behind them.
import { lazy, Suspense } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { Skeleton } from '../../../components/pane.tsx'
import { closeTicket, openTicket, useTicket } from './ticket-store.ts'

const TicketForm = lazy(() => import('./ticket-form.tsx'))

export function TicketSheet() {
  const isOpen = useTicket((state) => state.isOpen)
  return (
    <section className="ticket-bar" aria-label="Trade">
      <button type="button" className="button run buy" onClick={() => openTicket('buy')}>
        Buy
      </button>
      <button type="button" className="button run sell" onClick={() => openTicket('sell')}>
        Sell
      </button>
      {isOpen && (
        <Dialog title="Ticket" className="sheet" onClose={closeTicket}>
          <button type="button" className="button small sheet-close" onClick={closeTicket}>
            Close
          </button>
          <Suspense fallback={<Skeleton rows={8} />}>
            <TicketForm />
          </Suspense>
        </Dialog>
      )}
    </section>
  )
}
