// The user behind a connection, as the kernel has it (behaviour 11): the port is open to every user of this machine, and an origin is
// only as true as the program that names it.
import type { Socket } from 'node:net'
import { readBounded } from '../stores/bounded-read.ts'
import { type End, type EndOwner, ownerOf, ownerOfServer } from './socket-table.ts'

export type PeerVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string }
  /** The system does not tell: the caller is judged by everything else. */
  | { readonly ok: 'unknown'; readonly reason: string }

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const ROOT = 0
/** Of each table; with more, nobody new is let in. */
export const MAX_TABLE_BYTES = 16_777_216

/** What is asked of a connection. */
export type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>

/** Judges callers one read of the tables at a time, however many there are. @param files the tables, for tests */
export function createPeerJudge(files: readonly string[] = TABLES): (socket: Ends) => Promise<PeerVerdict> {
  const readTables = oneAtATime(() => Promise.all(files.map(readTable)).then((tables) => tables.join('\n')))
  const ownUser = process.geteuid?.()

  return async (socket) => {
    if (process.platform !== 'linux' || ownUser === undefined)
      return { ok: 'unknown', reason: `${process.platform} has no table of sockets` }
    const { localAddress, localPort, remoteAddress, remotePort } = socket
    if (
      localAddress === undefined ||
      localPort === undefined ||
      remoteAddress === undefined ||
      remotePort === undefined
    )
      return judge('gone', ownUser)
    const ours = { address: localAddress, port: localPort }
    const peer = { address: remoteAddress, port: remotePort }
    try {
      return judge(ownerOf(await readTables(), ours, peer), ownUser)
    } catch (error) {
      return describeFailure(error as NodeJS.ErrnoException)
    }
  }
}

/**
 * Whether the program that a connection of ours has led to is of this user, or root's. @param files the tables, for tests
 * @returns false also where the system does not tell
 */
export async function isOwnServer(
  { remoteAddress, remotePort }: Ends,
  files: readonly string[] = TABLES,
): Promise<boolean> {
  const ownUser = process.geteuid?.()
  if (process.platform !== 'linux' || ownUser === undefined) return false
  if (remoteAddress === undefined || remotePort === undefined) return false
  try {
    const tables = await Promise.all(files.map(readTable))
    const owner = ownerOfServer(tables.join('\n'), { address: remoteAddress, port: remotePort })
    return owner === ownUser || owner === ROOT
  } catch {
    // Not readable, or too large: then nobody can say.
    return false
  }
}

/** The user whose program listens there. @returns undefined: the system does not say @param files the tables, for tests */
export async function userAt(server: End, files: readonly string[] = TABLES): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const tables = await Promise.all(files.map(readTable)).catch(() => [])
  const owner = ownerOfServer(tables.join('\n'), server)
  return owner === 'unknown' ? undefined : owner
}

export function judge(owner: EndOwner, ownUser: number): PeerVerdict {
  if (owner === ownUser || owner === ROOT) return { ok: true }
  if (owner === 'unknown') return { ok: 'unknown', reason: 'the connection is not in the table of sockets' }
  if (owner === 'gone') return { ok: false, reason: 'the caller has gone, and with it the user that it was' }
  return { ok: false, reason: `the caller is user ${owner}; hookline runs as user ${ownUser}` }
}

/** A table that anyone can make too large does not let anyone in. */
function describeFailure(error: NodeJS.ErrnoException): PeerVerdict {
  if (error instanceof TableTooLargeError) return { ok: false, reason: error.message }
  return { ok: 'unknown', reason: `the table of sockets cannot be read (${error.code})` }
}

class TableTooLargeError extends Error {}

/** @returns '' where there is none: a kernel without IPv6 @throws {TableTooLargeError}, or the system's error */
async function readTable(path: string): Promise<string> {
  const table = await readBounded(path, MAX_TABLE_BYTES).catch((error: NodeJS.ErrnoException) => {
    if (path === TABLES[1] && error.code === 'ENOENT') return ''
    throw error
  })
  if (table === undefined) throw new TableTooLargeError('the table of sockets is too large')
  return table
}

/** Who asks while a read is under way gets the next one, which begins after it: an earlier one may have missed what it asks about. */
function oneAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  let next: Promise<T> | undefined

  function begin(): Promise<T> {
    next = undefined
    const mine = read().finally(() => {
      if (underWay === mine) underWay = undefined
    })
    underWay = mine
    return mine
  }
  return () => {
    if (underWay === undefined) return begin()
    next ??= underWay.then(begin, begin)
    return next
  }
}
