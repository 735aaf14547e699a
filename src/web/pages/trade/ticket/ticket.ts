// What a ticket is filled in with.
export type SizeUnit = 'quote' | 'base' | 'percent'

/** As it is filled in: texts may be empty, half typed or wrong. */
export interface Ticket {
  readonly side: 'buy' | 'sell'
  readonly kind: 'market' | 'limit'
  readonly size: string
  readonly unit: SizeUnit
  readonly price: string
  readonly stop: string
  readonly target: string
  readonly reduceOnly: boolean
  readonly postOnly: boolean
}

export type TicketField = 'size' | 'price' | 'stop' | 'target'
