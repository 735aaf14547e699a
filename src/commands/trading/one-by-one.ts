// What looks at a position and then orders by it goes one after another for each symbol of an account.
const lines = new WeakMap<object, Map<string, Promise<void>>>()

/** @param account whatever is one for the account */
export async function oneByOne<T>(account: object, symbol: string, work: () => Promise<T>): Promise<T> {
  const ofAccount = lines.get(account) ?? new Map<string, Promise<void>>()
  lines.set(account, ofAccount)
  const before = ofAccount.get(symbol) ?? Promise.resolve()
  const mine = before.then(work)
  const over = mine.then(
    () => {},
    // Its caller hears of it.
    () => {},
  )
  ofAccount.set(symbol, over)
  try {
    return await mine
  } finally {
    if (ofAccount.get(symbol) === over) ofAccount.delete(symbol)
  }
}
