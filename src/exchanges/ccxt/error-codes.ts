// ccxt's error classes, by name, and what they are to us. By name and not by `instanceof`: each venue is a chunk of its own with classes of its
// own. A test compares the names with those of the pinned ccxt.
import type { ExchangeErrorCode } from '../../exchange/exchange-error.ts'

interface CcxtErrorClass {
  /** As a question, or as a refusal of an order. */
  readonly code: ExchangeErrorCode
  /** Whether it is the venue's no to an order, whatever HTTP says. Elsewhere the status and the venue's own code decide. */
  readonly isRefusal: boolean
}

const no = (code: ExchangeErrorCode): CcxtErrorClass => ({ code, isRefusal: true })
const perhaps = (code: ExchangeErrorCode): CcxtErrorClass => ({ code, isRefusal: false })

export const CCXT_ERRORS: Readonly<Record<string, CcxtErrorClass>> = {
  BaseError: perhaps('network'),
  // A code that ccxt does not know. Some venues say so of a fault of their own, with the order already placed.
  ExchangeError: perhaps('invalid-order'),
  AuthenticationError: no('authentication'),
  PermissionDenied: no('permission'),
  AccountNotEnabled: no('permission'),
  AccountSuspended: no('permission'),
  ArgumentsRequired: no('invalid-order'),
  BadRequest: no('invalid-order'),
  BadSymbol: no('bad-symbol'),
  OperationRejected: no('invalid-order'),
  NoChange: no('invalid-order'),
  MarginModeAlreadySet: no('invalid-order'),
  MarketClosed: no('unavailable'),
  ManualInteractionNeeded: no('permission'),
  RestrictedLocation: no('permission'),
  InsufficientFunds: no('insufficient-funds'),
  InvalidAddress: no('invalid-order'),
  AddressPending: no('invalid-order'),
  InvalidOrder: no('invalid-order'),
  OrderNotFound: no('order-not-found'),
  OrderNotCached: no('order-not-found'),
  OrderImmediatelyFillable: no('order-immediately-fillable'),
  OrderNotFillable: no('invalid-order'),
  DuplicateOrderId: no('duplicate-id'),
  ContractUnavailable: no('bad-symbol'),
  NotSupported: no('not-supported'),
  InvalidProxySettings: perhaps('network'),
  ExchangeClosedByUser: perhaps('network'),
  OperationFailed: perhaps('network'),
  NetworkError: perhaps('network'),
  DDoSProtection: no('rate-limited'),
  RateLimitExceeded: no('rate-limited'),
  ExchangeNotAvailable: perhaps('unavailable'),
  OnMaintenance: no('unavailable'),
  InvalidNonce: no('clock'),
  ChecksumError: perhaps('network'),
  RequestTimeout: perhaps('network'),
  BadResponse: perhaps('network'),
  NullResponse: perhaps('network'),
  CancelPending: perhaps('network'),
  UnsubscribeError: perhaps('network'),
}
