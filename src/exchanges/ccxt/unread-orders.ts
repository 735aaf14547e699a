// Rows of open orders that could not be read, by what of them can be told: kept until a list has them no more, and a problem once.
import type { UnreadOrder } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { symbolKey } from '../../exchange/order.ts'

const MOST_TOLD = 1_000

export class UnreadOrders {
  readonly #onProblem: (problem: unknown) => void
  readonly #told = new Set<string>()
  #rows: readonly UnreadOrder[] = []

  constructor(onProblem: (problem: unknown) => void) {
    this.#onProblem = onProblem
  }

  list(): readonly UnreadOrder[] {
    return this.#rows
  }

  /** @param symbol the list was of this one only */
  replace(rows: readonly UnreadOrder[], symbol: string | undefined): void {
    const others = symbol === undefined ? [] : this.#rows.filter((row) => row.symbol !== symbol)
    const all = [...others, ...rows].map((row) => [keyOf(row), row] as const)
    this.#rows = [...new Map(all).values()]
    for (const row of rows) this.#tell(row)
  }

  #tell(row: UnreadOrder): void {
    const key = keyOf(row)
    if (this.#told.has(key)) return
    if (this.#told.size >= MOST_TOLD) this.#told.clear()
    this.#told.add(key)
    const { id = 'without an id', symbol, why } = row
    const where = symbol === undefined ? '' : ` on ${symbol}`
    this.#onProblem(
      new ExchangeError('network', `the venue lists order ${id}${where}, which cannot be read: ${why}`, {
        hint: 'look at the order at the venue',
      }),
    )
  }
}

function keyOf({ id = '', symbol = '', why }: UnreadOrder): string {
  return `${symbolKey(symbol, id)} ${why}`
}
