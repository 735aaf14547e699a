/** All that a hosted console bounds. Times in ms, sizes in bytes, ages in seconds. */
export const HOSTING_LIMITS = {
  /** Connections to PostgreSQL that one server holds, unless `--database-connections` says otherwise. */
  databaseConnections: 10,
  /** A migration, which may have many rows to go through, and the wait for its locks. */
  migrationMs: 600_000,
  /** One wait for a lock of it, and the pause before the next. */
  lockMs: 1_000,
  migrationPauseMs: 500,
  /** Connections that one person, or one address whose person is not known yet, holds at once. */
  statementsOfAsker: 2,
  /** Statements of one asker that wait for their turn; one more is refused. */
  waitingOfAsker: 32,
  /** For a connection, for each statement, and for its turn. */
  databaseMs: 3_000,
  /** For each request to the sign-in service. */
  providerMs: 5_000,
  /** How long what the sign-in service says of itself is believed. */
  discoveryMs: 600_000,
  /** How long its keys are believed: with the request for others, a key that it has withdrawn is over within a minute. */
  keysMs: 45_000,
  /** Its keys are asked for no sooner again because a token names another. */
  keysPauseMs: 10_000,
  /** Requests for its description and keys: so many at once, and so many each second. */
  providerBurst: 10,
  providerPerSecond: 1,
  /** Clocks of the sign-in service and of this machine may differ by so much. */
  clockToleranceSeconds: 60,
  /** From the start of a sign-in to the way back. */
  signInSeconds: 600,
  /** For so long the page that was left is known to a sign-in that took longer. */
  signInKeptSeconds: 3_600,
  /** A session, however much it is used. */
  sessionSeconds: 30 * 86_400,
  /** A session that no one uses. */
  idleSeconds: 14 * 86_400,
  /** When a session was last seen is written no more often. */
  seenEverySeconds: 3_600,
  /** Of one user; the oldest make room. */
  sessions: 20,
  machines: 32,
  /** Of one user; further ones are refused. */
  devices: 256,
  /** Requests under way. */
  requestsOfPerson: 16,
  layouts: 16,
  /** One layout, as JSON. */
  layoutBytes: 8_192,
  /** A bearer token; over it 401. */
  tokenBytes: 8_192,
  /** From one address to sign-in and check-in: so many at once, and so many each second. For each server. */
  burst: 60,
  perSecond: 10,
  /** `GET /healthz` asks the database no more often. */
  healthMs: 1_000,
  /** Addresses remembered for that, and sessions whose person is. */
  addresses: 10_000,
} as const
