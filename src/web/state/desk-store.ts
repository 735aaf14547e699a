// State of the frame: open parts, and the line that a button proposes. None of it comes from hookline.
import { create } from 'zustand'

/** On Trade: the ticket is filled in, or a line that closes the position is shown. None of them sends. */
export type TradeAction =
  | { readonly kind: 'ticket-side'; readonly side: 'buy' | 'sell' }
  | { readonly kind: 'ticket-kind'; readonly order: 'limit' | 'market' }
  | { readonly kind: 'ticket-size'; readonly at: number }
  | { readonly kind: 'ticket-focus' }
  | { readonly kind: 'close-position' }

/** For the terminal's field, where it replaces what is typed; a new object for each wish. */
interface ProposedLine {
  readonly line: string
  readonly caret: number
}

interface Desk {
  readonly isDrawerOpen: boolean
  readonly isPaletteOpen: boolean
  readonly isHelpOpen: boolean
  /** A key of Trade that was pressed, for the page to act on; a new object for each press. */
  readonly tradeKey: TradeAction | undefined
  readonly proposed: ProposedLine | undefined
}

export const useDeskStore = create<Desk>(() => ({
  isDrawerOpen: false,
  isPaletteOpen: false,
  isHelpOpen: false,
  tradeKey: undefined,
  proposed: undefined,
}))

/** Puts a line into the terminal for a person to look at and send. @param caret default: behind it */
export function propose(line: string, caret = line.length): void {
  useDeskStore.setState({ isDrawerOpen: true, isPaletteOpen: false, proposed: { line, caret } })
}

export function openDrawer(): void {
  useDeskStore.setState({ isDrawerOpen: true, proposed: undefined })
}

export function closeDrawer(): void {
  useDeskStore.setState({ isDrawerOpen: false })
}
