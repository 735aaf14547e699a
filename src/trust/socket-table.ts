// Linux's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6`: which user has the other end of a connection within this machine
// (Documentation/networking/proc_net_tcp.rst). Pure; peer-user.ts reads them.
import { endianness } from 'node:os'

export interface End {
  /** IPv4, as `net` writes it. */
  readonly address: string
  readonly port: number
}

/**
 * - a number: the user's id
 * - `gone`: the other end was closed, and with that has no user any more; what it sent before may still be read
 * - `unknown`: these are not the tables of this connection, or it is not in them
 */
export type EndOwner = number | 'gone' | 'unknown'

const ESTABLISHED = '01'
const LISTEN = '0A'
const ANYONE = '00000000:0000'
const LOOPBACK_6 = `${'0'.repeat(24)}${endianness() === 'LE' ? '01000000' : '00000001'}`
/** Columns of a row. */
const [STATE, UID, INODE] = [3, 7, 9] as const

/** @param tables both, one behind the other @param ours our end of the connection @param peer the other, whose owner is wanted */
export function ownerOf(tables: string, ours: End, peer: End): EndOwner {
  const theirs = rowOf(tables, hex(peer), hex(ours)) ?? rowOf(tables, mapped(peer), mapped(ours))
  if (theirs !== undefined) return theirs[INODE] === '0' ? 'gone' : Number(theirs[UID])
  if (rowOf(tables, hex(ours), ANYONE)?.[STATE] !== LISTEN) return 'unknown'
  return rowOf(tables, hex(ours), hex(peer))?.[STATE] === ESTABLISHED ? 'unknown' : 'gone'
}

/** Who listens where a connection within this machine has led. @param server its end, in IPv4, or `::1` */
export function ownerOfServer(tables: string, server: End): number | 'unknown' {
  const port = hexDigits(server.port, 4)
  const own = server.address === '::1' ? [`${LOOPBACK_6}:${port}`] : [hex(server), mapped(server)]
  // The most exact address gets the connection.
  const everywhere = [...(server.address === '::1' ? [] : [`${'0'.repeat(8)}:${port}`]), `${'0'.repeat(32)}:${port}`]
  for (const local of [...own, ...everywhere]) {
    const anyone = local.length > ANYONE.length ? `${'0'.repeat(32)}:0000` : ANYONE
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

/** `127.0.0.1:53219` is `0100007F:CFE3` where the processor puts the least byte first. */
function hex({ address, port }: End): string {
  const bytes = address.split('.').map((part) => hexDigits(Number(part), 2))
  if (endianness() === 'LE') bytes.reverse()
  return `${bytes.join('')}:${hexDigits(port, 4)}`
}

/** The same as a socket of IPv6 has it: `::ffff:127.0.0.1`. */
function mapped(end: End): string {
  const marker = endianness() === 'LE' ? 'FFFF0000' : '0000FFFF'
  return `${'0'.repeat(16)}${marker}${hex(end)}`
}

function hexDigits(value: number, count: number): string {
  return value.toString(16).toUpperCase().padStart(count, '0')
}
