import { CodedError } from '../base/coded-error.ts'

type TradingErrorCode =
  | 'unknown-symbol'
  /** A coin that has several markets. */
  | 'ambiguous-symbol'
  /** Two names of one list mean the same market. */
  | 'repeated-symbol'
  | 'no-position'
  | 'bad-price'
  /** A whole number of coins that is worth more than what is free. */
  | 'above-position'
  | 'bare-number'
  | 'below-minimum'
  | 'above-maximum'
  /** A part of the balance, and larger than the position that it would turn round. */
  | 'would-flip'
  | 'bad-stop'
  /** A price in multiples of a risk that is not known. */
  | 'no-risk'
  /** The entry was placed, and its stop was not. */
  | 'stop-failed'
  | 'order-rejected'
  /** An order was sent and nothing definite is known of it (behaviour 37). */
  | 'outcome-unknown'
  /** An earlier order of unknown outcome has to be settled first. */
  | 'unsettled-order'
  | 'order-ended'
  /** An earlier order of the same command was refused, and the command ended. */
  | 'not-sent'
  /** A market order on a paper account whose prices are stale. */
  | 'stale-prices'
  /** The run was stopped while its order was under way: that keeps its fate. */
  | 'interrupted'
  /** A change got no answer, and was not made. */
  | 'order-unchanged'

/** Why an intent did not become an order, or not the whole of it. */
export class TradingError extends CodedError<TradingErrorCode> {
  override readonly name = 'TradingError'
}

/** A name that means no market, or several. */
export class SymbolError extends TradingError {
  /** As typed. */
  readonly symbol: string
  constructor(code: 'unknown-symbol' | 'ambiguous-symbol', message: string, symbol: string, hint: string) {
    super(code, message, { hint })
    this.symbol = symbol
  }
}

export function noPosition(symbol: string): TradingError {
  return new TradingError('no-position', `no position on ${symbol}`, { hint: '`positions` lists them' })
}
