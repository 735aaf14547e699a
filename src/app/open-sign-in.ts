// Who the operator is, in this process. What speaks to providers is loaded when somebody signs in or out, or a token is renewed.
import type { Credentials } from '../credentials/credentials.ts'
import { SignIn } from '../sign-in/sign-in.ts'
import type { SignInStore } from '../stores/sign-in.ts'
import type { Clock } from '../trading/clock.ts'

export function openSignInWork(store: SignInStore, credentials: Credentials, clock: Clock): SignIn {
  return new SignIn({
    ...{ store, credentials: credentials.ownOnly(), now: clock.now, delay: clock.delay },
    openProvider: async (options) => (await import('../sign-in/provider.ts')).openProvider(options),
  })
}
