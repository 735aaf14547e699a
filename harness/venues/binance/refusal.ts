// Binance's own no: a code, a text and the HTTP status that goes with it.

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number
  readonly status: number

  constructor(code: number, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

export const refuse = {
  unauthorized: () => new Refusal(-2015, 'Invalid API-key, IP, or permissions for action.', 401),
  keyFormat: () => new Refusal(-2014, 'API-key format invalid.', 401),
  signature: () => new Refusal(-1022, 'Signature for this request is not valid.'),
  clock: () => new Refusal(-1021, 'Timestamp for this request is outside of the recvWindow.'),
  recvWindow: () => new Refusal(-1131, 'recvWindow must be less than 60000.'),
  missing: (name: string) =>
    new Refusal(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`),
  symbol: () => new Refusal(-1121, 'Invalid symbol.'),
  symbolStatus: () => new Refusal(-1122, 'Invalid symbol status.'),
  orderType: () => new Refusal(-1116, 'Invalid orderType.'),
  side: () => new Refusal(-1117, 'Invalid side.'),
  timeInForce: () => new Refusal(-1115, 'Invalid timeInForce.'),
  precision: () => new Refusal(-1111, 'Precision is over the maximum defined for this asset.'),
  clientId: () => new Refusal(-4015, 'Client order id is not valid.'),
  duplicateId: () => new Refusal(-4116, 'ClientOrderId is duplicated.'),
  tick: () => new Refusal(-4014, 'Price not increased by tick size.'),
  lot: () => new Refusal(-4023, 'Qty not increased by step size.'),
  tooSmall: () => new Refusal(-4003, 'Quantity less than or equal to zero.'),
  tooLarge: () => new Refusal(-4005, 'Quantity greater than max quantity.'),
  priceTooSmall: () => new Refusal(-4006, 'Stop price less than zero.'),
  minNotional: (least: string) =>
    new Refusal(-4164, `Order's notional must be no smaller than ${least} (unless you choose reduce only).`),
  priceTooHigh: () => new Refusal(-4016, "Limit price can't be higher than the cap."),
  priceTooLow: () => new Refusal(-4024, "Limit price can't be lower than the floor."),
  hedged: () => new Refusal(-4061, "Order's position side does not match user's setting."),
  margin: () => new Refusal(-2019, 'Margin is insufficient.'),
  reduceOnly: () => new Refusal(-2022, 'ReduceOnly Order is rejected.'),
  wouldTrigger: () => new Refusal(-2021, 'Order would immediately trigger.'),
  fok: () =>
    new Refusal(
      -5021,
      'Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history',
    ),
  postOnly: () =>
    new Refusal(
      -5022,
      'Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history',
    ),
  algoElsewhere: () =>
    new Refusal(-4120, 'Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.'),
  notFound: () => new Refusal(-2013, 'Order does not exist.'),
  notOpen: () => new Refusal(-2011, 'Unknown order sent.'),
  unchanged: () => new Refusal(-5027, 'No need to modify the order.'),
  onlyLimit: () => new Refusal(-5025, 'Only limit order is supported.'),
  leverage: (leverage: string) => new Refusal(-4028, `Leverage ${leverage} is not valid`),
  leverageTooSmall: () => new Refusal(-2028, 'Leverage is smaller than permitted: insufficient margin balance.'),
  marginTypeSame: () => new Refusal(-4046, 'No need to change margin type.'),
  marginTypeHeld: () => new Refusal(-4047, 'Margin type cannot be changed if there exists open orders.'),
  positionSideSame: () => new Refusal(-4059, 'No need to change position side.'),
  listenKey: () => new Refusal(-1125, 'This listenKey does not exist.'),
} as const
