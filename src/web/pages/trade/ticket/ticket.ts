// What a ticket is filled in with.
export type SizeUnit = 'quote' | 'base' | 'percent'

export const TICKET_KINDS = ['market', 'limit', 'stop', 'chase', 'twap', 'scale'] as const
export type TicketKind = (typeof TICKET_KINDS)[number]

/** As it is filled in: texts may be empty, half typed or wrong. What its kind has no use for is kept for when it changes back. */
export interface Ticket {
  readonly side: 'buy' | 'sell'
  readonly kind: TicketKind
  readonly size: string
  readonly unit: SizeUnit
  /** Of a limit. */
  readonly price: string
  /** Of what protects an entry. */
  readonly stop: string
  readonly target: string
  /** Of a stop order: at which price it comes. */
  readonly trigger: string
  /** Of the limit that it becomes. */
  readonly limit: string
  /** A stop order: for what is held, or to enter. */
  readonly aim: 'protect' | 'enter'
  /** How far a chase goes. */
  readonly reach: string
  /** How long a chase or a twap goes on. */
  readonly lasts: string
  /** What becomes of the rest of a chase. */
  readonly rest: 'cancel' | 'market'
  /** Into how many a twap or a scale is cut. */
  readonly slices: string
  /** By how much the slices of a twap vary. */
  readonly random: string
  /** Beyond it a twap leaves slices out. */
  readonly beyond: string
  /** The first and the last price of a scale. */
  readonly from: string
  readonly to: string
  /** Whether more of a scale is near its first or its last price. */
  readonly skew: string
  readonly reduceOnly: boolean
  readonly postOnly: boolean
}

/** What a person types into. */
export type TicketField = Exclude<keyof Ticket, 'side' | 'kind' | 'unit' | 'aim' | 'rest' | 'reduceOnly' | 'postOnly'>

export const EMPTY_TICKET: Ticket = {
  side: 'buy',
  kind: 'market',
  size: '',
  unit: 'quote',
  price: '',
  stop: '',
  target: '',

  trigger: '',
  limit: '',
  aim: 'protect',
  reach: '',
  lasts: '',
  rest: 'cancel',
  slices: '',
  random: '',
  beyond: '',
  from: '',
  to: '',
  skew: '',
  reduceOnly: false,
  postOnly: false,
}
