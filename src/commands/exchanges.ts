// The exchanges this build can trade on. A live exchange is one more row here and an adapter behind the `Exchange` port.

export interface ExchangeKind {
  readonly id: string
  /** Whether an account on it has an API key and secret, asked for with hidden input. */
  readonly needsCredentials: boolean
}

export const exchangeKinds: readonly ExchangeKind[] = [{ id: 'paper', needsCredentials: false }]
