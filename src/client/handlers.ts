// Callbacks of the web app. A handler's mistake is its owner's: it surfaces as an uncaught error and never breaks the client.

export class Handlers<T> {
  readonly #handlers = new Set<{ readonly call: (value: T) => void }>()

  /** @returns stops the calls */
  add(handler: (value: T) => void): () => void {
    // Wrapped, so that the same function added twice is called twice and removed one by one.
    const entry = { call: handler }
    this.#handlers.add(entry)
    return () => void this.#handlers.delete(entry)
  }

  call(value: T): void {
    for (const { call } of [...this.#handlers]) callSafely(call, value)
  }
}

export function callSafely<T>(handler: (value: T) => void, value: T): void {
  try {
    handler(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
