// The line of the ticket: what the controls write, or what a person made of it.
import { readTicket, type Written, writeTicket } from './ticket-line.ts'
import { type TicketState, useTicket } from './ticket-store.ts'

/** By hand: the controls follow where they can show it. */
export function editLine(line: string, symbol: string): void {
  useTicket.setState({ ...readTicket(line, symbol), typed: line })
}

/** What runs. */
export function lineOf(state: TicketState, symbol: string): Written {
  if (state.typed === undefined) return writeTicket(state, symbol)
  return state.typed.trim() === '' ? { field: 'size' } : { line: state.typed.trim() }
}
