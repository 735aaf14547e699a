// The adapter keeps the contract on OKX's perpetual contracts, as the stand-in plays it under the venue's own names.
import { it } from 'vitest'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import type { Fault } from '../../../harness/venues/okx/faults.ts'
import { KEYS, OKX_PORTS } from '../../../harness/venues/okx/staged.ts'
import { Okx } from '../../../harness/venues/okx/start-okx.ts'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { VenueUnderTest } from '../../../src/exchanges/contract/desk.ts'
import { describeVenueContract } from '../contract/describe-venue-contract.ts'

const NAME = 'OKX through ccxt'

const certificate = venueCertificate()
if ('missing' in certificate) {
  it(`the contract of ${NAME}`, ({ skip }) => skip(`no hosts of the venues' names: ${certificate.missing}`))
} else {
  describeVenueContract(NAME, async () => startVenue(certificate))
}

async function startVenue(tls: { readonly key: string; readonly cert: string }): Promise<VenueUnderTest> {
  const venue = await Okx.start({ accounts: [{ ...KEYS, wallet: '100000' }], ...OKX_PORTS, tls })
  const opened: Exchange[] = []
  const open = async (): Promise<Exchange> => {
    const keys = { apiKey: KEYS.key, secret: KEYS.secret, password: KEYS.passphrase }
    const exchange = await openCcxtExchange({
      venue: 'okx',
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
  const failNext = (fault: Pick<Fault, 'kind' | 'isDone'>) =>
    venue.fail({ ...fault, route: 'POST /api/v5/trade/order' })
  return {
    exchange,
    symbol: 'BTCUSDT',
    control: {
      movePrice: (_symbol, price) => venue.engine.movePrice('BTC-USDT-SWAP', price),
      loseNext: async (isDone) => failNext({ kind: 'reset', isDone }),
      refuseNext: async (code) => failNext({ kind: code === 'unavailable' ? 'paused' : 'rate-limited' }),
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
