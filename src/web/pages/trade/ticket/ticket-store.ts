// What the ticket of this tab is filled in with; the chart and the book fill it in too.
import { create } from 'zustand'
import type { Preview } from '../../../../protocol/preview.ts'
import { EMPTY_TICKET, type Ticket } from './ticket.ts'

export interface TicketState extends Ticket {
  /** The line as a person edited it: it, and not the controls, is what runs. */
  readonly typed: string | undefined
  /** The controls show all that the edited line means. */
  readonly isFollowed: boolean
  /** Narrow windows: the sheet is open. */
  readonly isOpen: boolean
  /** What the line would do, of the symbol that it is for: the chart shows it too. */
  readonly preview: Preview | undefined
}

export const useTicket = create<TicketState>(() => ({
  ...EMPTY_TICKET,
  typed: undefined,
  isFollowed: true,
  isOpen: false,
  preview: undefined,
}))

/** By a control: the line is written anew. */
export function editTicket(change: Partial<Ticket>): void {
  useTicket.setState((before) => ({ ...change, ...sizeFor(before, change), typed: undefined, isFollowed: true }))
}

/** What is held is measured in shares of it, and money is for what is added: no figure is taken from one to the other. */
function sizeFor(before: Ticket, change: Partial<Ticket>): Partial<Ticket> {
  const isOfHeld = ofHeld({ ...before, ...change })
  if (change.size !== undefined || ofHeld(before) === isOfHeld) return {}
  return { size: '', unit: isOfHeld ? 'percent' : 'quote' }
}

function ofHeld({ kind, aim }: Pick<Ticket, 'kind' | 'aim'>): boolean {
  return kind === 'stop' && aim === 'protect'
}

export function openTicket(side: Ticket['side']): void {
  useTicket.setState({ side, typed: undefined, isFollowed: true, isOpen: true })
}

export function closeTicket(): void {
  useTicket.setState({ isOpen: false })
}
