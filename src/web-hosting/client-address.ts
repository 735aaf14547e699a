// Which address a request comes from, as far as it can be known behind a TLS proxy.
import { isIP, isIPv6 } from 'node:net'

/**
 * The last entry of `X-Forwarded-For` where the peer is this machine's proxy, which has appended it; else the peer itself. Any sender can claim
 * the entries before it. Of IPv6 only the network (/64): one host has as many addresses as it likes.
 */
export function clientAddress(peer: string | undefined, forwarded: string | undefined): string {
  const last = forwarded?.split(',').at(-1)?.trim()
  const address = isOwnMachine(peer) && last !== undefined && isIP(last) !== 0 ? last : (peer ?? '')
  return isIPv6(address) && !address.startsWith('::ffff:') ? networkOf(address) : address
}

function isOwnMachine(peer = ''): boolean {
  return peer === '::1' || peer.startsWith('127.') || peer.startsWith('::ffff:127.')
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}
