// The settings record of each user: the machines that have checked in, the listener each browser has pinned, and layouts (behaviours 118, 119).
import type { Platform } from '../protocol/web-api.ts'
import type { DatabaseShare } from './database.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { type Identity, keepUser } from './users.ts'

interface CheckIn {
  readonly platform: Platform
  readonly listenerId: string
  readonly version: string
}

interface Machine {
  readonly id: string
  readonly platform: Platform
  readonly version: string
  /** ms since the epoch, by the database's clock. */
  readonly seenAt: number
}

export interface UserSettings {
  readonly machines: readonly Machine[]
  /** Keys of devices that have pinned a listener. */
  readonly trustedOn: readonly string[]
  /** By the database's clock, in ms since the epoch. */
  readonly now: number
}

export class SettingsRecord {
  readonly #database: DatabaseShare
  constructor(database: DatabaseShare) {
    this.#database = database
  }

  /** One statement where the user is known. */
  async checkIn(identity: Identity, checkIn: CheckIn): Promise<void> {
    if (await this.#noteMachine(identity, checkIn)) return
    await keepUser(this.#database, identity)
    await this.#noteMachine(identity, checkIn)
  }

  /** @returns whether there is such a user */
  async #noteMachine({ issuer, subject }: Identity, { platform, listenerId, version }: CheckIn): Promise<boolean> {
    const rows = await this.#database.query<{ user_id: string; is_new: boolean }>(
      `INSERT INTO machines (user_id, listener_id, platform, version)
       SELECT id, $3, $4, $5 FROM users WHERE issuer = $1 AND subject = $2
       ON CONFLICT (user_id, listener_id) DO UPDATE
         SET platform = excluded.platform, version = excluded.version, seen_at = now()
       RETURNING user_id, xmax = 0 AS is_new`,
      [issuer, subject, listenerId, platform, version],
    )
    const [row] = rows
    if (row?.is_new === true)
      await this.#database.query(
        `DELETE FROM machines WHERE user_id = $1 AND id IN
           (SELECT id FROM machines WHERE user_id = $1 ORDER BY seen_at DESC OFFSET ${HOSTING_LIMITS.machines})`,
        [row.user_id],
      )
    return row !== undefined
  }

  /** As `logout` asks for. */
  async forgetListener({ issuer, subject }: Identity, listenerId: string): Promise<void> {
    await this.#database.query(
      `DELETE FROM machines USING users
       WHERE users.id = user_id AND issuer = $1 AND subject = $2 AND listener_id = $3`,
      [issuer, subject, listenerId],
    )
  }

  async read(userId: string): Promise<UserSettings> {
    const [row] = await this.#database.query<{ machines: readonly Machine[]; trusted: readonly string[]; now: number }>(
      `SELECT
         coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'platform', platform, 'version', version,
           'seenAt', floor(extract(epoch FROM seen_at) * 1000)) ORDER BY seen_at DESC, id)
           FROM machines WHERE user_id = $1), '[]') AS machines,
         coalesce((SELECT jsonb_agg(device_key ORDER BY device_key) FROM pinned_listeners WHERE user_id = $1), '[]') AS trusted,
         floor(extract(epoch FROM now()) * 1000)::float8 AS now`,
      [userId],
    )
    const { machines = [], trusted = [], now = 0 } = row ?? {}
    return { machines, trustedOn: trusted, now }
  }

  /**
   * Sets the id that each device named has pinned; `null` forgets it. All or none, by one statement.
   * @returns false: the session has ended meanwhile @throws {HostingError} `too-many`
   */
  async trust(userId: string, sessionId: string, changes: Readonly<Record<string, string | null>>): Promise<boolean> {
    const pinned = Object.entries(changes).filter(([, id]) => id !== null)
    const forgotten = Object.keys(changes).filter((device) => changes[device] === null)
    const [row] = await this.#database.query<{ is_signed_in: boolean; has_room: boolean }>(
      // Two requests of one user take turns by the user's row.
      `WITH own AS (
         SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.id = $2 AND u.id = $1 FOR NO KEY UPDATE OF u FOR KEY SHARE OF s
       ), room AS (
         SELECT count(*) <= ${HOSTING_LIMITS.devices} AS is_there FROM (
           SELECT device_key FROM pinned_listeners WHERE user_id = $1 AND device_key <> ALL ($3::text[])
           UNION SELECT unnest($4::text[])
         ) AS devices
       ), forgotten AS (
         DELETE FROM pinned_listeners
         WHERE user_id = $1 AND device_key = ANY ($3::text[]) AND EXISTS (SELECT FROM own) AND (SELECT is_there FROM room)
       ), pinned AS (
         INSERT INTO pinned_listeners (user_id, device_key, listener_id, session_id)
         SELECT $1, device_key, listener_id, own.id
         FROM own, unnest($4::text[], $5::uuid[]) AS given (device_key, listener_id) WHERE (SELECT is_there FROM room)
         ON CONFLICT (user_id, device_key) DO UPDATE
           SET listener_id = excluded.listener_id, session_id = excluded.session_id
       )
       SELECT EXISTS (SELECT FROM own) AS is_signed_in, is_there AS has_room FROM room`,
      [userId, sessionId, forgotten, pinned.map(([device]) => device), pinned.map(([, id]) => id)],
    )
    if (row?.has_room === false)
      throw new HostingError(
        'too-many',
        `there are ${HOSTING_LIMITS.devices} devices with a trusted listener already`,
        { hint: 'remove one under Settings first' },
      )
    return row?.is_signed_in === true
  }

  /** @returns whether there was one */
  async removeMachine(userId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query('DELETE FROM machines WHERE user_id = $1 AND id = $2 RETURNING id', [
      userId,
      id,
    ])
    return rows.length > 0
  }

  async layouts(userId: string): Promise<Readonly<Record<string, unknown>>> {
    const rows = await this.#database.query<{ name: string; content: unknown }>(
      'SELECT name, content FROM layouts WHERE user_id = $1 ORDER BY name',
      [userId],
    )
    return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
  }

  /** @returns false: there are too many already */
  async keepLayout(userId: string, name: string, content: unknown): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO layouts (user_id, name, content)
       SELECT $1, $2, $3 WHERE (SELECT count(*) FROM layouts WHERE user_id = $1 AND name <> $2) < ${HOSTING_LIMITS.layouts}
       ON CONFLICT (user_id, name) DO UPDATE SET content = excluded.content, updated_at = now()
       RETURNING name`,
      [userId, name, JSON.stringify(content)],
    )
    return rows.length > 0
  }

  async removeLayout(userId: string, name: string): Promise<void> {
    await this.#database.query('DELETE FROM layouts WHERE user_id = $1 AND name = $2', [userId, name])
  }
}
