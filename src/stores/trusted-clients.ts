// `trusted-clients.json`: who the operator has approved (behaviour 107).
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type RowOf, time } from '../protocol/rows.ts'
import { findByIdPrefix } from './id-prefix.ts'
import { createJsonFile, type FileState, stateOf, updateReturning } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'
import { rowsUnder } from './row-file.ts'
import { StoreError } from './store-error.ts'

const shape = {
  /** Chosen by the client; its identity. */
  clientId: z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(64, 'is longer than 64 characters')),
  label: z.string(),
  origin: z.string(),
  approvedAt: time,
}

/** A row of `trusted-clients.json`. Fields we do not know are kept. */
export type TrustedClient = Readonly<RowOf<typeof shape>>

export interface TrustedClientStore extends FileState {
  list(): readonly TrustedClient[]
  find(clientId: string): TrustedClient | undefined
  /** Whether a row names this very pair: trust in a client holds on its origin only. One stat per event-loop turn. */
  isTrusted(clientId: string, origin: string): boolean
  /** Replaces the row of the same `clientId`. @throws {StoreError} `invalid-value` */
  add(client: Omit<TrustedClient, 'approvedAt'>): Promise<TrustedClient>
  /**
   * By whole id or a prefix of at least 8 characters.
   * @returns the client that is gone
   * @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found`
   */
  revoke(prefix: string): Promise<TrustedClient>
  /** @returns how many there were */
  revokeAll(): Promise<number>
}

interface ClientsFile {
  readonly clients: readonly TrustedClient[]
}

export function openTrustedClients(directory: string, now: () => number = Date.now): TrustedClientStore {
  const file = createJsonFile<ClientsFile>({
    path: join(directory, 'trusted-clients.json'),
    ...rowsUnder<'clients', TrustedClient, ClientsFile>('clients', () => z.looseObject(shape)),
    defaults: { clients: [] },
  })
  const indexOf = latestDerived(({ clients }: ClientsFile) => new Map(clients.map((row) => [row.clientId, row])))
  const pairsOf = latestDerived(({ clients }: ClientsFile) => new Set(clients.map(pairOf)))
  return {
    list: () => file.read().clients,
    find: (clientId) => indexOf(file.read()).get(clientId),
    isTrusted: (clientId, origin) => pairsOf(file.readOncePerTurn()).has(pairOf({ clientId, origin })),
    async add({ clientId, label, origin }) {
      if (clientId.length < 1 || clientId.length > 64) {
        throw new StoreError('invalid-value', 'a clientId has 1 to 64 characters')
      }
      const client: TrustedClient = { clientId, label, origin, approvedAt: now() }
      await file.update((content) => {
        const others = content.clients.filter((row) => row.clientId !== clientId)
        return { ...content, clients: [...others, client] }
      })
      return client
    },
    revoke: (prefix) =>
      updateReturning(file, (content) => {
        const client = findByIdPrefix(content.clients, { prefix, idOf: (row) => row.clientId, noun: 'client' })
        const clients = content.clients.filter((row) => row.clientId !== client.clientId)
        return [{ ...content, clients }, client]
      }),
    revokeAll: () =>
      updateReturning(file, (content) => {
        const count = content.clients.length
        return [count === 0 ? content : { ...content, clients: [] }, count]
      }),
    ...stateOf(file),
  }
}

/** Origins hold no blanks. */
function pairOf({ clientId, origin }: Pick<TrustedClient, 'clientId' | 'origin'>): string {
  return `${origin} ${clientId}`
}
