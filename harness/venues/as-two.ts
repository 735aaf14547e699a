// A venue that holds stop and take-profit as two orders.
import type { Exchange } from '../../src/exchange/exchange.ts'

/** The same venue without orders of two prices. */
export function asTwo(exchange: Exchange): Exchange {
  const capabilities = { ...exchange.capabilities, oco: false }
  return new Proxy(exchange, {
    get(target, name) {
      if (name === 'capabilities') return capabilities
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
