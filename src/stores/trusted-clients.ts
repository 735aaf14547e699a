// `trusted-clients.json`: who the operator has approved (behaviour 107).
import { join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { publicKey } from '../protocol/proof.ts'
import { type RowOf, time } from '../protocol/rows.ts'
import { type Grant, type HeldGrant, heldNow, isWider, storedGrant } from './client-grants.ts'
import {
  createJsonFile,
  type FileState,
  latestDerived,
  restrictReturning,
  stateOf,
  updateReturning,
} from './json-file.ts'
import { findByIdPrefix, rowsUnder } from './rows.ts'
import type { StopStore } from './stops.ts'
import { StoreError } from './store-error.ts'

const shape = {
  /** Chosen by the client; its name, and no proof of who it is. */
  clientId: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(64, 'is longer than 64 characters')),
  label: z.string(),
  origin: z.string(),
  approvedAt: time,
  /** The public key that it must prove to hold (behaviour 48); without one, the `clientId` is all it takes. */
  key: z.exactOptional(publicKey),
  /** It is a page of the console that our server gave out, and is let in as such alone. */
  served: z.exactOptional(z.boolean()),
  /** Absent: it may do what `accountSync` and the place of each command allow. */
  grant: z.exactOptional(storedGrant),
}

/** A row of `trusted-clients.json`: one for each client and origin. Fields we do not know are kept. */
export type TrustedClient = Readonly<RowOf<typeof shape>>

/** Who asks: `key` is one that it has proved to hold. */
export type Caller = Pick<TrustedClient, 'clientId' | 'origin' | 'key'>

/**
 * `trusted`: a row names this very client, origin and key. `keyed`: this client was approved with a key, here or on another origin
 * only, and comes without one. `unknown`: the operator is to be asked.
 */
export type Standing = 'trusted' | 'keyed' | 'unknown'

/** What an unknown client was approved as before: without a key on this origin, or with another key. */
export type FormerTrust = 'without-key' | 'with-other-key'

export interface TrustedClientStore extends FileState {
  list(): readonly TrustedClient[]
  /** All rows of a client, by its whole id. */
  find(clientId: string): readonly TrustedClient[]
  /** As `find()`, with one stat per event-loop turn. */
  findOncePerTurn(clientId: string): readonly TrustedClient[]
  /** One stat per event-loop turn. */
  standingOf(caller: Caller): Standing
  formerTrustOf(caller: Caller): FormerTrust | undefined
  /** Whether it has been let in as a page of the console before. One stat per event-loop turn. */
  isServed(caller: Caller): boolean
  /** It has been let in as one. @throws {StoreError} */
  noteServed(caller: Caller): Promise<void>
  /** Replaces the row of the same `clientId` and origin; its key and its grant go only when it is revoked. @throws {StoreError} `invalid-value` */
  add(client: Omit<TrustedClient, 'approvedAt'>): Promise<TrustedClient>
  /**
   * What the client may do now, with one stat per event-loop turn; undefined: it has no grant. One whose end was seen has ended for good,
   * whatever the clock is set to.
   * @param origin of its page; undefined, or one without a row: it may look, if any row of the client has a grant
   */
  grantOf(clientId: string, origin: string | undefined): HeldGrant | undefined
  /**
   * Gives all rows of a client, by whole id or a prefix of at least 8 characters, this grant. Its runs under way end.
   * @param mayWiden a person has said yes
   * @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found`; `needs-person`: it widens one of them
   */
  grant(prefix: string, grant: Grant, mayWiden: boolean): Promise<readonly TrustedClient[]>
  /** Keeps on the disk which grants have ended by now: a later process may have another clock. @throws {StoreError} */
  noteEnds(): Promise<void>
  /**
   * By whole id or a prefix of at least 8 characters: on every origin.
   * @returns the rows that are gone, at least one
   * @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found`
   */
  revoke(prefix: string): Promise<readonly TrustedClient[]>
  /** @returns how many rows there were */
  revokeAll(): Promise<number>
}

interface ClientsFile {
  readonly clients: readonly TrustedClient[]
}

/** @param stops told of each client that is revoked */
export function openTrustedClients(
  directory: string,
  now: () => number = Date.now,
  stops?: Pick<StopStore, 'issueStop'>,
): TrustedClientStore {
  const file = createJsonFile<ClientsFile>({
    path: join(directory, 'trusted-clients.json'),
    ...rowsUnder<'clients', TrustedClient, ClientsFile>('clients', () => z.looseObject(shape)),
    defaults: { clients: [] },
  })
  const indexOf = latestDerived(rowsByClient)
  const rowsOf = (content: ClientsFile, clientId: string) => indexOf(content).get(clientId) ?? []
  const ended = new Set<string>()
  const held = (clientId: string, grant: Grant): HeldGrant => {
    const known = `${grant.grantedAt} ${grant.until} ${clientId}`
    const asOfNow = heldNow(grant, ended.has(known) ? Number.POSITIVE_INFINITY : now())
    if (asOfNow.hasEnded) ended.add(known)
    return asOfNow
  }
  async function noteEnds(): Promise<void> {
    const isOver = ({ clientId, grant }: TrustedClient) =>
      grant !== undefined && grant.ended !== true && held(clientId, grant).hasEnded
    const noted = (row: TrustedClient): TrustedClient =>
      row.grant !== undefined && isOver(row) ? { ...row, grant: { ...row.grant, ended: true } } : row
    if (!file.read().clients.some(isOver)) return
    await file.update((content) =>
      content.clients.some(isOver) ? { ...content, clients: content.clients.map(noted) } : content,
    )
  }
  let isNoting = false
  /** What fails here is noted again, and reported, by who calls `noteEnds` from time to time. */
  const noteSoon = (grant: HeldGrant): HeldGrant => {
    if (!grant.hasEnded || grant.ended === true || isNoting) return grant
    isNoting = true
    const over = () => {
      isNoting = false
    }
    noteEnds().then(over, over)
    return grant
  }
  const clientNamed = (prefix: string) =>
    findByIdPrefix(oneOfEach(file.read().clients), { prefix, idOf: (row) => row.clientId, noun: 'client' })
  return {
    list: () => file.read().clients,
    find: (clientId) => rowsOf(file.read(), clientId),
    findOncePerTurn: (clientId) => rowsOf(file.readOncePerTurn(), clientId),
    standingOf: (caller) => standingIn(rowsOf(file.readOncePerTurn(), caller.clientId), caller),
    formerTrustOf: (caller) => formerTrustIn(rowsOf(file.readOncePerTurn(), caller.clientId), caller),
    isServed: ({ clientId, origin }) =>
      rowsOf(file.readOncePerTurn(), clientId).some((row) => originOf(row) === origin && row.served === true),
    async noteServed({ clientId, origin }) {
      const isIt = (row: TrustedClient) => row.clientId === clientId && originOf(row) === origin
      await file.update((content) => ({
        ...content,
        clients: content.clients.map((row) => (isIt(row) ? { ...row, served: true } : row)),
      }))
    },
    grantOf(clientId, origin) {
      const rows = rowsOf(file.readOncePerTurn(), clientId)
      const here = origin === undefined ? undefined : rows.find((row) => originOf(row) === origin)
      if (here !== undefined) return here.grant && noteSoon(held(clientId, here.grant))
      const [grant] = rows.flatMap((row) => row.grant ?? [])
      return grant && { ...noteSoon(held(clientId, grant)), may: 'look' }
    },
    async grant(prefix, grant, mayWiden) {
      const { clientId } = clientNamed(prefix)
      const requireMeant = ({ clients }: ClientsFile): void => {
        const widens = (row: TrustedClient) => isWider(grant, row.grant && held(clientId, row.grant))
        if (mayWiden || !clients.some((row) => row.clientId === clientId && widens(row))) return
        throw new StoreError('needs-person', 'the grant is wider than the one that the client has')
      }
      requireMeant(file.read())
      const issued = stops?.issueStop(`client:${clientId}`)
      const rows = await updateReturning(file, (content) => {
        requireMeant(content)
        const clients = content.clients.map((row) => (row.clientId === clientId ? { ...row, grant } : row))
        return [{ ...content, clients }, clients.filter((row) => row.clientId === clientId)]
      })
      await issued
      return rows
    },
    async add({ clientId, label, origin, key, grant }) {
      if (clientId.length < 1 || clientId.length > 64) {
        throw new StoreError('invalid-value', 'a clientId has 1 to 64 characters')
      }
      if (key !== undefined && !publicKey.safeParse(key).success) {
        throw new StoreError('invalid-value', "a client's key is a P-256 public key: 87 characters of base64url")
      }
      return updateReturning(file, (content) => {
        const isHere = (row: TrustedClient) => row.clientId === clientId && originOf(row) === origin
        const before = content.clients.find(isHere)
        const kept = defined({ key: key ?? before?.key, grant: grant ?? before?.grant })
        const client: TrustedClient = { clientId, label, origin, approvedAt: now(), ...kept }
        return [{ ...content, clients: [...content.clients.filter((row) => !isHere(row)), client] }, client]
      })
    },
    async revoke(prefix) {
      const { clientId } = clientNamed(prefix)
      const issued = stops?.issueStop(`client:${clientId}`)
      const gone = restrictReturning(file, (content) => {
        const clients = content.clients.filter((row) => row.clientId !== clientId)
        return [{ ...content, clients }, content.clients.filter((row) => row.clientId === clientId)]
      })
      await issued
      return gone
    },
    async revokeAll() {
      for (const { clientId } of oneOfEach(file.read().clients)) await stops?.issueStop(`client:${clientId}`)
      return restrictReturning(file, (content) => {
        const count = content.clients.length
        return [count === 0 ? content : { ...content, clients: [] }, count]
      })
    },
    noteEnds,
    ...stateOf(file),
  }
}

function standingIn(rows: readonly TrustedClient[], { origin, key }: Caller): Standing {
  const here = rows.filter((row) => originOf(row) === origin)
  if (key !== undefined) return here.some((row) => row.key === key) ? 'trusted' : 'unknown'
  if (here.length > 0 && here.every((row) => row.key === undefined)) return 'trusted'
  // A name that was approved with a key opens nothing without it, on no origin: else an origin would be all that a thief must change.
  return rows.some((row) => row.key !== undefined) ? 'keyed' : 'unknown'
}

function formerTrustIn(rows: readonly TrustedClient[], { origin, key }: Caller): FormerTrust | undefined {
  if (rows.some((row) => row.key !== undefined && row.key !== key)) return 'with-other-key'
  if (key !== undefined && rows.some((row) => row.key === undefined && originOf(row) === origin)) return 'without-key'
  return undefined
}

/** People write origins with a slash at the end. */
function originOf({ origin }: TrustedClient): string {
  return origin.endsWith('/') ? origin.slice(0, -1) : origin
}

function rowsByClient({ clients }: ClientsFile): ReadonlyMap<string, readonly TrustedClient[]> {
  const rows = new Map<string, TrustedClient[]>()
  for (const row of clients) {
    const known = rows.get(row.clientId)
    if (known) known.push(row)
    else rows.set(row.clientId, [row])
  }
  return rows
}

function oneOfEach(clients: readonly TrustedClient[]): TrustedClient[] {
  return [...new Map(clients.map((row) => [row.clientId, row])).values()]
}
