import { ExchangeError } from '../exchange/exchange-error.ts'

export type TradingErrorCode =
  | 'unknown-symbol'
  /** A coin that has several markets. */
  | 'ambiguous-symbol'
  /** Two names of one list mean the same market. */
  | 'repeated-symbol'
  | 'no-position'
  | 'bad-price'
  | 'below-minimum'
  | 'above-maximum'
  /** A part of the balance, and larger than the position that it would turn round. */
  | 'would-flip'
  | 'bad-stop'
  /** The entry was placed, and its stop was not. */
  | 'stop-failed'
  | 'order-rejected'
  /** An order was sent and nothing definite is known of it (behaviour 37). */
  | 'outcome-unknown'
  /** An earlier order of unknown outcome has to be settled first. */
  | 'unsettled-order'
  | 'order-ended'
  /** A change got no answer, and was not made. */
  | 'order-unchanged'

/** Why an intent did not become an order, or not the whole of it. */
export class TradingError extends Error {
  override readonly name = 'TradingError'
  readonly code: TradingErrorCode
  /** What to do next, for people. */
  readonly hint: string | undefined
  constructor(code: TradingErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}

export function noPosition(symbol: string): TradingError {
  return new TradingError('no-position', `there is no position on ${symbol}`, { hint: '`positions` lists them' })
}

/** Its position is gone, and it still rests. */
export function notTakenBack(error: ExchangeError | TradingError, symbol: string): TradingError {
  return new TradingError('stop-failed', `${symbol} is flat, and what protected it still rests: ${error.message}`, {
    hint: `\`cancel ${symbol}\` takes it back; hookline tries again`,
    cause: error,
  })
}

/**
 * A protective order of an entry could not be placed, changed or taken back.
 * @returns `stop-failed` with what the position lacks; what is neither the venue's no nor ours as it is
 */
export function withoutProtection(error: unknown, symbol: string, role: 'stop' | 'take' = 'stop'): unknown {
  const isExpected = error instanceof ExchangeError || error instanceof TradingError
  if (!isExpected || (error instanceof TradingError && error.code === 'stop-failed')) return error
  const [what, command] = role === 'take' ? ['take-profit', 'take'] : ['stop', 'stop']
  return new TradingError('stop-failed', `${symbol} is without its ${what}: ${error.message}`, {
    hint: `\`${command} at <price>\` places one, \`close\` ends the position`,
    cause: error,
  })
}
