// What the routes of a hosted console are given.
import type { Context } from 'hono'
import type { AssetSource } from '../web-server/assets.ts'
import type { TrustedProxies } from './client-address.ts'
import type { Cookies } from './cookies.ts'
import type { Database } from './database.ts'
import type { Provider } from './provider.ts'
import type { Sessions, SignedIn } from './sessions.ts'
import type { SettingsRecord } from './user-settings.ts'

export interface HostedAppPorts {
  readonly database: Database
  readonly provider: Provider
  readonly assets: AssetSource
  readonly publicUrl: URL
  readonly trustedProxies: TrustedProxies
  /** For the log: why a sign-in was refused. */
  readonly onRefused: (reason: string) => void
  /** A request could not be answered: a `HostingError` is for the operator to look into, anything else is a bug. */
  readonly onFailure: (error: Error) => void
}

export interface RoutePorts extends HostedAppPorts {
  readonly sessions: Sessions
  readonly record: SettingsRecord
  readonly cookies: Cookies
  /** @throws {HTTPException} 401 */
  requireUser(context: Context): Promise<SignedIn>
}
