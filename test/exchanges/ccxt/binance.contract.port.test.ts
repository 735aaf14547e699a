// The adapter keeps the contract on Binance USDⓈ-M, as the stand-in plays it under the venue's own names.
import { it } from 'vitest'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import type { Fault } from '../../../harness/venues/binance/faults.ts'
import { KEYS } from '../../../harness/venues/binance/staged.ts'
import { Binance } from '../../../harness/venues/binance/start-binance.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { VenueUnderTest } from '../../../src/exchanges/contract/desk.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'

const NAME = 'Binance USDⓈ-M through ccxt'
const HTTPS = 443

const certificate = venueCertificate()
if ('missing' in certificate) {
  it(`the contract of ${NAME}`, ({ skip }) => skip(`no hosts of the venues' names: ${certificate.missing}`))
} else {
  describeVenueContract(NAME, async () => startVenue(certificate))
}

async function startVenue(tls: { readonly key: string; readonly cert: string }): Promise<VenueUnderTest> {
  const venue = await Binance.start({ accounts: [{ ...KEYS, wallet: '100000' }], port: HTTPS, tls })
  const opened: Exchange[] = []
  const open = async (): Promise<Exchange> => {
    const keys = { apiKey: KEYS.key, secret: KEYS.secret }
    const exchange = await openCcxtExchange({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys,
      now: Date.now,
      onProblem: () => {},
    })
    opened.push(exchange)
    return exchange
  }
  let exchange = await open()
  const failNext = (fault: Pick<Fault, 'kind' | 'isDone'>) => venue.fail({ ...fault, route: 'POST /fapi/v1/order' })
  return {
    exchange,
    symbol: 'BTCUSDT',
    control: {
      movePrice: (symbol, price) => venue.engine.movePrice(symbol, price),
      loseNext: async (isDone) => failNext({ kind: 'reset', isDone }),
      refuseNext: async (code) => failNext({ kind: code === 'unavailable' ? 'busy' : 'rate-limited' }),
      async thinBook() {
        venue.engine.isThin = true
      },
      async openGap() {
        venue.streams.faults.isClosed = true
        venue.streams.drop()
        return async () => {
          venue.streams.faults.isClosed = false
        }
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
      await venue.close()
      if (venue.unexpected.length > 0) throw new Error(`the venue was asked for ${venue.unexpected.join(', ')}`)
    },
  }
}
