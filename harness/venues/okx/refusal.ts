// How the venue says no: a code of its own, for the whole request or for one of its orders.
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  constructor(code: string, message: string, status = 200) {
    super(message)
    this.code = code
    this.status = status
  }
}

const no = (code: string, message: string, status?: number) => () => new Refusal(code, message, status)

/** Of the whole request: `code` in the envelope. */
export const refuse = {
  noKey: no('50103', 'Request header "OK-ACCESS-KEY" cannot be empty.', 401),
  badKey: no('50111', 'Invalid OK-ACCESS-KEY', 401),
  badSignature: no('50113', 'Invalid Sign', 401),
  environment: no('50101', 'APIKey does not match current environment.', 401),
  noSuchKey: no('50119', "API key doesn't exist"),
  badTimestamp: no('50112', 'Invalid OK-ACCESS-TIMESTAMP', 401),
  syntax: no('50002', 'JSON syntax error', 400),
  badPassphrase: no('50105', 'Request header OK-ACCESS-PASSPHRASE incorrect.', 401),
  expired: no('50102', 'Timestamp request expired', 401),
  address: no('50110', "Your IP is not included in your API key's IP whitelist.", 401),
  rights: no('50120', "This API key doesn't have permission to use this function"),
  notFound: no('51603', 'Order does not exist'),
  instrument: no('51001', "Instrument ID doesn't exist."),
  leverage: no('59102', 'Leverage exceeds the maximum limit. Please lower the leverage.'),
  leverageFunds: no(
    '59108',
    'Your account leverage is too low and has insufficient margin. Please increase the leverage.',
  ),
  parameter: (name: string) => new Refusal('51000', `Parameter ${name} error`, 400),
  missing: (name: string) => new Refusal('50014', `Parameter ${name} can not be empty.`, 400),
  path: no('404', 'Not Found', 404),
}

/** Of one order: `sCode` in its row, under HTTP 200. */
export const reject = {
  parameter: (name: string) => new Refusal('51000', `Parameter ${name} error`),
  instrument: no('51001', "Instrument ID doesn't exist."),
  funds: no('51008', 'Order failed. Insufficient USDT margin in account'),
  mode: no('51010', "You can't complete this request under your current account mode."),
  duplicate: no('51016', 'Duplicated client order ID'),
  duplicateAlgo: no('51065', 'algoClOrdId cannot be the same.'),
  tooSmall: no('51020', 'Your order should meet or exceed the minimum order amount.'),
  lot: no('51121', 'Order quantity must be a multiple of the lot size.'),
  nothingToReduce: no(
    '51169',
    "Order failed because you don't have any positions in this direction for this contract to reduce or close.",
  ),
  stopAbove: no('51280', 'SL trigger price must be less than the last price'),
  stopBelow: no('51278', 'SL trigger price must be greater than the last price'),
  profitBelow: no('51279', 'TP trigger price must be greater than the last price'),
  profitAbove: no('51277', 'TP trigger price must be less than the last price'),
  profitBelowOrder: no('51046', 'The take profit trigger price must be higher than the order price'),
  stopAboveOrder: no('51047', 'The stop loss trigger price must be lower than the order price'),
  notOpen: no('51400', 'Cancellation failed as the order has been filled, canceled or does not exist.'),
  notChangeable: no('51503', 'Your order has already been filled or canceled.'),
}
