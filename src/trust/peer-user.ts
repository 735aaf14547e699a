// The user behind a connection, as the kernel has it (behaviour 11): the port is open to every user of this machine, and an origin is
// only as true as the program that names it.
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { readBounded } from '../stores/kernel-files.ts'

// Linux's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6`: which user has the other end of a connection within this machine
// (Documentation/networking/proc_net_tcp.rst). Pure; peer-user.ts reads them.

interface End {
  /** As `net` writes it. */
  readonly address: string
  readonly port: number
}

/**
 * - a number: the user's id
 * - `gone`: the other end was closed, and with that has no user any more; what it sent before may still be read
 * - `unknown`: these are not the tables of this connection, or it is not in them
 */
type EndOwner = number | 'gone' | 'unknown'

const ESTABLISHED = '01'
const LISTEN = '0A'
const ANYONE = '00000000:0000'
const ANYONE_6 = `${'0'.repeat(32)}:0000`
/** Columns of a row. */
const [STATE, UID, INODE] = [3, 7, 9] as const

/** @param tables both, one behind the other @param ours our end of the connection @param peer the other, whose owner is wanted */
export function ownerOf(tables: string, ours: End, peer: End): EndOwner {
  const isIpv6 = ours.address.includes(':')
  const theirs = rowOf(tables, hex(peer), hex(ours)) ?? (isIpv6 ? undefined : rowOf(tables, mapped(peer), mapped(ours)))
  if (theirs !== undefined) return theirs[INODE] === '0' ? 'gone' : Number(theirs[UID])
  if (rowOf(tables, hex(ours), isIpv6 ? ANYONE_6 : ANYONE)?.[STATE] !== LISTEN) return 'unknown'
  return rowOf(tables, hex(ours), hex(peer))?.[STATE] === ESTABLISHED ? 'unknown' : 'gone'
}

/** Who listens where a connection within this machine has led. @param server its end, in IPv4, or `::1` */
export function ownerOfServer(tables: string, server: End): number | 'unknown' {
  const port = hexDigits(server.port, 4)
  const own = server.address === '::1' ? [hex(server)] : [hex(server), mapped(server)]
  // The most exact address gets the connection.
  const everywhere = [...(server.address === '::1' ? [] : [`${'0'.repeat(8)}:${port}`]), `${'0'.repeat(32)}:${port}`]
  for (const local of [...own, ...everywhere]) {
    const anyone = local.length > ANYONE.length ? ANYONE_6 : ANYONE
    const row = rowOf(tables, local, anyone)
    if (row?.[STATE] === LISTEN) return Number(row[UID])
  }
  return 'unknown'
}

function rowOf(tables: string, local: string, remote: string): readonly string[] | undefined {
  const at = tables.indexOf(` ${local} ${remote} `)
  if (at === -1) return undefined
  const from = tables.lastIndexOf('\n', at) + 1
  const end = tables.indexOf('\n', at)
  // The last row of a table that was being read while it changed may be cut.
  if (end === -1) return undefined
  return tables.slice(from, end).trim().split(/\s+/)
}

/** `127.0.0.1:53219` is `0100007F:CFE3` where the processor puts the least byte first; of IPv6, each four bytes so. */
function hex({ address, port }: End): string {
  const bytes = address.includes(':') ? bytesOfIpv6(address) : address.split('.').map(Number)
  const words: string[] = []
  for (let from = 0; from < bytes.length; from += 4) {
    const word = bytes.slice(from, from + 4).map((byte) => hexDigits(byte, 2))
    words.push((endianness() === 'LE' ? word.reverse() : word).join(''))
  }
  return `${words.join('')}:${hexDigits(port, 4)}`
}

/** @param address may end in one of IPv4, and in a zone: `::ffff:127.0.0.1`, `fe80::1%eth0` */
function bytesOfIpv6(address: string): number[] {
  const [plain = ''] = address.split('%', 1)
  const [before = [], after = []] = plain.split('::').map((part) => part.split(':').flatMap(bytesOfGroup))
  const zeros = Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0)
  return [...before, ...zeros, ...after]
}

function bytesOfGroup(group: string): number[] {
  if (group === '') return []
  if (group.includes('.')) return group.split('.').map(Number)
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}

/** The same as a socket of IPv6 has it: `::ffff:127.0.0.1`. */
function mapped(end: End): string {
  const marker = endianness() === 'LE' ? 'FFFF0000' : '0000FFFF'
  return `${'0'.repeat(16)}${marker}${hex(end)}`
}

function hexDigits(value: number, count: number): string {
  return value.toString(16).toUpperCase().padStart(count, '0')
}

type PeerVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string }
  /** The system does not tell: the caller is judged by everything else. */
  | { readonly ok: 'unknown'; readonly reason: string }

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const ROOT = 0
/** Of each table; with more, no one new is let in. */
export const MAX_TABLE_BYTES = 16_777_216

/** What is asked of a connection. */
type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>

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
    // Not readable, or too large: then no one can say.
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
