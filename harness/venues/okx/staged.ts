// A stand-in of OKX under the venue's own names, for one test.
import type { TestContext } from 'vitest'
import { stageVenue } from '../staged.ts'
import type { AccountOptions } from './account.ts'
import { Okx, type OkxOptions } from './start-okx.ts'

export const KEYS = {
  key: 'k3y0f7he-5tand-1n0f-0kx0-0123456789ab',
  secret: 'S3CRE70F7HE57AND1N0F0KX0123456789',
  passphrase: 'Passphrase-of-the-stand-in-1',
} as const

/** REST; and the streams on a port of their own. */
export const OKX_PORTS = { port: 443, morePorts: [8443] } as const

/** On 443 and 8443 of the loopback, where the hosts of OKX are in here. */
export function stageOkx(
  context: Pick<TestContext, 'skip'>,
  options: Partial<OkxOptions> & { readonly account?: Partial<AccountOptions> } = {},
): Promise<Okx> {
  const { account, ...rest } = options
  const accounts = [{ ...KEYS, ...account }]
  return stageVenue(context, (tls) => Okx.start({ accounts, ...OKX_PORTS, tls, ...rest }))
}
