// Which address a request comes from, as far as it can be known behind a TLS proxy.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Addresses of proxies: those of this machine, and what `--trusted-proxies` names. */
export class TrustedProxies {
  readonly #list = new BlockList()

  /** @param networks as `10.0.0.0/8` or an address @throws the system's error: one of them is neither */
  constructor(networks: readonly string[] = []) {
    for (const each of ['127.0.0.0/8', '::1', ...networks]) {
      const [address = '', bits] = each.split('/')
      const family = isIPv6(address) ? 'ipv6' : 'ipv4'
      if (bits === undefined) this.#list.addAddress(address, family)
      else this.#list.addSubnet(address, Number(bits), family)
    }
  }

  has(address: string): boolean {
    return isIP(address) !== 0 && this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

/**
 * The last entry of `X-Forwarded-For` where the peer is a proxy that is trusted, which has appended it, and so on through its proxies; else the peer
 * itself. Any sender can claim the entries before it. Of IPv6 only the network (/64): one host has as many addresses as it likes.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trusted = new TrustedProxies(),
): string {
  const hops = forwarded?.split(',').map((each) => each.trim()) ?? []
  let address = unmapped(peer ?? '')
  while (trusted.has(address)) {
    const before = unmapped(hops.pop() ?? '')
    if (isIP(before) === 0) break
    address = before
  }
  return isIPv6(address) ? networkOf(address) : address
}

/** IPv4 as a socket of IPv6 has it. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}
