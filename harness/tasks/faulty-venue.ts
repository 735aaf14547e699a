// What may go wrong between a task and its venue, for the next so many requests.
import { defined } from '../../src/base/defined.ts'
import type { Exchange, StreamState } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'

/** Of the next orders: it is placed and its answer never comes, it never arrives, or the venue says no. */
export type SendingFault = 'lost-answer' | 'lost-order' | 'refused'

/** Stands before the paper exchange: counts what is sent, loses what it is told to, and may be stale. */
export function createFaultyVenue({ capabilities }: { readonly capabilities?: Partial<Exchange['capabilities']> }) {
  const sent: { readonly clientOrderId: string; readonly tag?: string }[] = []
  const faults: SendingFault[] = []
  const cancelFaults: SendingFault[] = []
  const handlers = new Set<(event: { type: 'stream'; state: StreamState }) => void>()
  let stream: 'live' | 'stale' = 'live'

  function wrap(exchange: Exchange): Exchange {
    const own: Partial<Exchange> = {
      async createOrder(request) {
        sent.push({ ...request })
        const fault = faults.shift()
        if (fault === 'refused')
          return { kind: 'refused', error: new ExchangeError('invalid-order', 'the venue says no') }
        if (fault !== 'lost-order') {
          const outcome = await exchange.createOrder(request)
          if (fault === undefined) return outcome
        }
        return { kind: 'unknown', error: lost(request.clientOrderId) }
      },
      async cancelOrder(ref) {
        const fault = cancelFaults.shift()
        if (fault === 'refused') throw new ExchangeError('unavailable', 'the venue says no')
        if (fault !== 'lost-order') {
          const order = await exchange.cancelOrder(ref)
          if (fault === undefined) return order
        }
        throw lost(ref.clientOrderId)
      },
      subscribe(handler) {
        const stop = exchange.subscribe((event) => {
          if (stream === 'live') handler(event)
        })
        handlers.add(handler)
        return () => {
          handlers.delete(handler)
          stop()
        }
      },
    }
    return new Proxy(exchange, {
      get(target, name) {
        if (name === 'stream') return stream
        if (name === 'capabilities') return { ...target.capabilities, ...capabilities }
        if (Object.hasOwn(own, name)) return own[name as keyof Exchange]
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  return {
    sent,
    wrap,
    fault: (kind: SendingFault, times = 1) => void faults.push(...Array<SendingFault>(times).fill(kind)),
    faultCancels: (kind: SendingFault, times = 1) => void cancelFaults.push(...Array<SendingFault>(times).fill(kind)),
    setStream(state: StreamState) {
      stream = state === 'stale' ? 'stale' : 'live'
      for (const handler of [...handlers]) handler({ type: 'stream', state })
    },
  }
}

function lost(clientOrderId: string | undefined): ExchangeError {
  return new ExchangeError('outcome-unknown', 'no answer came', defined({ clientOrderId }))
}
