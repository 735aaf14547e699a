// A model under the contract and under scenes: opened through the adapter without a socket, on a clock of its own that runs as fast as it is
// waited for. The clock is there before any class of the library is loaded: those keep the timers that they find.
import { setTimeout as idle } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type ModelSpec, VenueModel, withoutStreams } from '../../../harness/venues/models/model.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { VenueUnderTest } from '../../../src/exchanges/contract/desk.ts'

/** Files that are read and written, and what is computed beside: no time passes over those. */
const WORK = /^FSReq|Request$/

vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
void runClock()

/** Each timer as soon as nothing else is under way. Vitest's own mode waits a real millisecond before each, and there are hundreds of thousands. */
async function runClock(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some((resource) => WORK.test(resource))) continue
    if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer()
    else await idle(1)
  }
}

export function openModel(model: VenueModel): Promise<Exchange> {
  const { venue, kind, keys } = model.spec
  return openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys,
    now: Date.now,
    onProblem: () => undefined,
    transport: model.transport,
    createStreams: withoutStreams,
  })
}

/** The model as the contract's suite wants a venue. */
export interface Pace {
  /** Where few questions are let through, so many times as long is waited. */
  readonly patience?: number
}

export async function startModel(spec: ModelSpec, { patience = 1 }: Pace = {}): Promise<VenueUnderTest> {
  const model = new VenueModel(spec)
  model.engine.refillMs *= patience
  const { engine } = model
  const opened: Exchange[] = []
  const open = async (): Promise<Exchange> => {
    const exchange = await openModel(model)
    opened.push(exchange)
    return exchange
  }
  let exchange = await open()
  return {
    exchange,
    symbol: spec.markets[0]?.symbol ?? '',
    control: {
      movePrice: (symbol, price) => engine.movePrice(symbol, price),
      advance: (ms) => advance(ms * patience),
      loseNext: async (isDone) => model.fail({ kind: 'lost', isDone }),
      refuseNext: async (code) => {
        const isLimited = code === 'rate-limited'
        model.fail({
          kind: isLimited ? 'rate-limited' : spec.unavailable === undefined ? 'unreachable' : 'unavailable',
        })
      },
      async thinBook() {
        engine.isThin = true
      },
    },
    async restart() {
      await exchange.close()
      exchange = await open()
      return exchange
    },
    openAnother: open,
    async stop() {
      await Promise.all(opened.map((each) => each.close()))
      expect(model.unexpected).toEqual([])
    },
  }
}

export async function advance(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

export const STREAMLESS = { openGap: 'nothing is streamed: all is asked for' } as const

const NONE = 'the venue has no stop that we send'
/** Scenes of a venue without stops. */
export const NO_STOPS = {
  'lost-stop': NONE,
  fired: NONE,
  'fired-in-part': NONE,
  'trigger-failed': NONE,
  'would-trigger': NONE,
  'cancelled-stop': NONE,
} as const
