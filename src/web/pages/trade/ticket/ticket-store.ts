// What the ticket of this tab is filled in with; the chart and the book fill it in too.
import { create } from 'zustand'
import type { Ticket } from './ticket.ts'

export interface TicketState extends Ticket {
  /** The line as a person edited it: it, and not the controls, is what runs. */
  readonly typed: string | undefined
  /** Narrow windows: the sheet is open. */
  readonly isOpen: boolean
}

const EMPTY: TicketState = {
  ...{ side: 'buy', kind: 'market', size: '', unit: 'quote', price: '', stop: '', target: '' },
  ...{ reduceOnly: false, postOnly: false, typed: undefined, isOpen: false },
}

export const useTicket = create<TicketState>(() => EMPTY)

/** By a control: the line is written anew. */
export function editTicket(change: Partial<Ticket>): void {
  useTicket.setState({ ...change, typed: undefined })
}

export function openTicket(side: Ticket['side']): void {
  useTicket.setState({ side, typed: undefined, isOpen: true })
}

export function closeTicket(): void {
  useTicket.setState({ isOpen: false })
}
