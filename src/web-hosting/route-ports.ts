// What the routes of a hosted console are given.
import type { Context } from 'hono'
import type { AssetSource } from '../web-server/assets.ts'
import type { LateRefusals } from '../web-server/connections.ts'
import type { Askers } from './askers.ts'
import type { Cookies } from './cookies.ts'
import type { Database } from './database.ts'
import type { Provider } from './provider.ts'
import type { Sessions, SignedIn } from './sessions.ts'
import type { StatementTurns } from './statement-turns.ts'
import type { SettingsRecord } from './user-settings.ts'

/** Of a request: where a person whom it fails tries again, as an address of this console. Default: the same address. */
export const RETRY = 'retry'

export interface HostedAppPorts {
  readonly database: Database
  /** That it opens at most. */
  readonly databaseConnections: number
  readonly provider: Provider
  readonly assets: AssetSource
  readonly publicUrl: URL
  readonly cookies: Cookies
  readonly askers: Askers
  readonly late: LateRefusals
  /** For the log: why a sign-in was refused. */
  readonly onRefused: (reason: string) => void
  /** A request could not be answered: a `HostingError` is for the operator to look into, anything else is a bug. */
  readonly onFailure: (error: Error) => void
}

export interface RoutePorts extends Omit<HostedAppPorts, 'database' | 'databaseConnections'> {
  readonly turns: StatementTurns
  /** @throws {HTTPException} 401, 429 */
  requireUser(context: Context): Promise<User>
}

/** With the database as this person has it. */
export interface User extends SignedIn {
  readonly sessions: Sessions
  readonly record: SettingsRecord
}
