// Who the operator is, in this process. What speaks to providers is loaded when someone signs in or out, or a token is renewed.
import { checkOut } from '../checkin/check-in.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { SignIn } from '../sign-in/sign-in.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import { isOwnServer } from '../trust/peer-user.ts'
import type { Stores } from './open-stores.ts'
import { VERSION } from './this-process.ts'

type SignInStores = Pick<Stores, 'signInFile' | 'config' | 'identity'>

export function openSignInWork(stores: SignInStores, credentials: Credentials, clock: Clock): SignIn {
  return new SignIn({
    store: stores.signInFile,
    credentials: credentials.ownOnly(),
    now: clock.now,
    delay: clock.delay,
    openProvider: async (options) => (await import('../sign-in/provider.ts')).openProvider(options),
    onLoggedOut: (idToken) => leaveWebApp(stores, idToken),
  })
}

/** Its pages need not look for this machine any more. */
async function leaveWebApp({ config, identity }: SignInStores, idToken: string): Promise<void> {
  try {
    const { listenerId } = await identity.load()
    const token = async () => idToken
    await checkOut({ webUrl: config.read().webUrl, listenerId, version: VERSION, token, isOwnPeer: isOwnServer })
  } catch (error) {
    // Without an identity no web app has ever known this machine.
    if (!(error instanceof StoreError)) throw error
  }
}
