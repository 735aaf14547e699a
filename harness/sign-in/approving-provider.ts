// A provider in memory whose person has approved before being asked. What it was asked is kept.

import type { Provider, ProviderOptions } from '../../src/sign-in/provider.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'
import type { NewTokens, RenewedTokens } from '../../src/sign-in/tokens.ts'

export interface ApprovingProvider {
  readonly open: (options: ProviderOptions) => Promise<Provider>
  /** `open https://…`, `poll`, `renew refresh-1`, `revoke refresh-1`. */
  readonly asked: string[]
  /** The next questions of a kind end so. */
  readonly answers: {
    poll?: () => Promise<NewTokens | 'pending' | 'slow-down'>
    renew?: () => Promise<RenewedTokens>
    revoke?: () => Promise<boolean>
  }
}

const HOUR_MS = 3_600_000

/** @param now ms since the epoch @param person as the token says it */
export function approvingProvider(
  now: () => number,
  person: { readonly subject?: string; readonly email?: string; readonly isRenewable?: boolean } = {},
): ApprovingProvider {
  const { subject = 'person-1', email = 'ana@example.com', isRenewable = true } = person
  const asked: string[] = []
  const answers: ApprovingProvider['answers'] = {}
  let issued = 0
  const tokens = (): NewTokens => {
    issued += 1
    return {
      idToken: `id-token-${issued}`,
      subject,
      email,
      expiresAt: now() + HOUR_MS,
      ...(isRenewable ? { refreshToken: `refresh-${issued}` } : {}),
    }
  }
  /** As a provider that rotates: each serves once. */
  const used = new Set<string>()
  const provider = (issuer: string): Provider => ({
    issuer,
    async askForCode() {
      asked.push('code')
      return {
        deviceCode: 'device',
        userCode: 'WDJB-MJHT',
        address: 'https://id.example.com/device',
        addressWithCode: 'https://id.example.com/device?user_code=WDJB-MJHT',
        expiresAt: now() + 600_000,
        intervalMs: 5_000,
      }
    },
    async poll() {
      asked.push('poll')
      return answers.poll?.() ?? tokens()
    },
    async renew(refreshToken) {
      asked.push(`renew ${refreshToken}`)
      if (answers.renew) return answers.renew()
      if (used.has(refreshToken)) throw new SignInError('sign-in-ended', 'the provider no longer renews the sign-in')
      used.add(refreshToken)
      const { refreshToken: next = '', ...token } = tokens()
      return { refreshToken: next, token }
    },
    async revoke(refreshToken) {
      asked.push(`revoke ${refreshToken}`)
      return answers.revoke?.() ?? true
    },
  })
  return {
    asked,
    answers,
    async open({ issuer }) {
      asked.push(`open ${issuer.origin}`)
      return provider(issuer.origin)
    },
  }
}
