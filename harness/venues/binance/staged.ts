// A stand-in of Binance under the venue's own names, for one test.
import type { TestContext } from 'vitest'
import { stageVenue } from '../staged.ts'
import type { AccountOptions } from './account.ts'
import { Binance, type BinanceOptions } from './start-binance.ts'

export const KEYS = {
  key: 'K3yOfTheStandIn0123456789abcdefghijKLMNOPQRSTUVWXYZ',
  secret: 'S3cretOfTheStandIn0123456789abcdefghijKLMNOPQRSTUV',
} as const

const HTTPS = 443

/** On 443 of the loopback, where the hosts of Binance are in here. */
export function stageBinance(
  context: Pick<TestContext, 'skip'>,
  options: Partial<BinanceOptions> & { readonly account?: Partial<AccountOptions> } = {},
): Promise<Binance> {
  const { account, ...rest } = options
  const accounts = [{ ...KEYS, ...account }]
  return stageVenue(context, (tls) => Binance.start({ accounts, port: HTTPS, tls, ...rest }))
}
