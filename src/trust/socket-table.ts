// Linux's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6`: which user has the other end of a connection within this machine
// (Documentation/networking/proc_net_tcp.rst). Pure; peer-user.ts reads them.
import { endianness } from 'node:os'

export interface End {
  /** As `net` writes it. */
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
