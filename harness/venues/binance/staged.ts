// A stand-in under the venue's own names, for one test; where the machine gives no such names the test is skipped and says why.
import { onTestFinished, type TestContext } from 'vitest'
import { venueCertificate } from '../../network/venue-names.ts'
import type { AccountOptions } from './account.ts'
import { Binance, type BinanceOptions } from './start-binance.ts'

export const KEYS = {
  key: 'K3yOfTheStandIn0123456789abcdefghijKLMNOPQRSTUVWXYZ',
  secret: 'S3cretOfTheStandIn0123456789abcdefghijKLMNOPQRSTUV',
} as const

const HTTPS = 443

/** On 443 of the loopback, where the hosts of Binance are in here. */
export async function stageBinance(
  { skip }: Pick<TestContext, 'skip'>,
  options: Partial<BinanceOptions> & { readonly account?: Partial<AccountOptions> } = {},
): Promise<Binance> {
  const certificate = venueCertificate()
  if ('missing' in certificate) return skip(`no hosts of the venues' names: ${certificate.missing}`)
  const { account, ...rest } = options
  const accounts = [{ ...KEYS, ...account }]
  const venue = await Binance.start({ accounts, port: HTTPS, tls: certificate, ...rest })
  onTestFinished(() => venue.close())
  return venue
}
