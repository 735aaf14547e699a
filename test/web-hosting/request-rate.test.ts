import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress, TrustedProxies } from '../../src/web-hosting/client-address.ts'
import { createBoundedLog, createRequestRate } from '../../src/web-hosting/request-rate.ts'

function rateAt(options: Partial<Parameters<typeof createRequestRate>[0]> = {}) {
  let now = 0
  const ask = createRequestRate({ burst: 3, perSecond: 1, addresses: 2, now: () => now, ...options })
  const pass = (ms: number) => {
    now += ms
  }
  return { ask, pass }
}

describe('requests of one address', () => {
  it('may come in a burst, then at a pace', () => {
    const { ask, pass } = rateAt()
    expect([ask('a'), ask('a'), ask('a'), ask('a')]).toEqual([undefined, undefined, undefined, 1])
    expect(ask('b')).toBeUndefined()
    pass(1_000)
    expect([ask('a'), ask('a')]).toEqual([undefined, 1])
  })

  it('are forgotten for others, longest ago first', () => {
    const { ask } = rateAt({ burst: 1 })
    for (const address of ['a', 'b', 'c']) expect(ask(address)).toBeUndefined()
    expect([ask('c'), ask('b'), ask('a')]).toEqual([1, 1, undefined])
  })

  it('never come through more often than the pace allows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), (pauses) => {
        const { ask, pass } = rateAt()
        let passed = 0
        let time = 0
        for (const pause of pauses) {
          pass(pause)
          time += pause
          if (ask('a') === undefined) passed++
        }
        expect(passed).toBeLessThanOrEqual(3 + time / 1_000 + 1e-6)
      }),
    )
  })
})

describe('the address of a client', () => {
  it.each([
    ['a peer without a proxy', '203.0.113.9', undefined, '203.0.113.9'],
    ['a stranger that claims another', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the proxy of this machine', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['the proxy, after what a client claimed', '127.0.0.1', '10.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['the proxy over IPv6', '::1', '198.51.100.1', '198.51.100.1'],
    ['the proxy as mapped', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['the proxy with no address in it', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['a host of IPv6', '127.0.0.1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['another host of that network', '127.0.0.1', '2001:db8:1:2::9', '2001:db8:1:2'],
    ['a short one', '127.0.0.1', '2001:db8::9', '2001:db8:0:0'],
    ['this machine', '::1', undefined, '0:0:0:0'],
    ['a peer that is gone', undefined, undefined, ''],
  ])('is right for %s', (_who, peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded)).toBe(address)
  })

  it.each([
    ['a proxy elsewhere that is trusted', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['two of them', '::ffff:10.1.2.3', '9.9.9.9, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['one over IPv6', '2001:db8::5', '198.51.100.1', '198.51.100.1'],
    ['one that is not', '11.0.0.1', '198.51.100.1', '11.0.0.1'],
  ])('is right behind %s', (_who, peer, forwarded, address) => {
    expect(clientAddress(peer, forwarded, new TrustedProxies(['10.0.0.0/8', '2001:db8::5']))).toBe(address)
  })
})

describe('the log', () => {
  it('has some of 300 refusals that strangers have made up, how many it has not, and every failure once in a while', () => {
    const lines: string[] = []
    let now = 0
    const log = createBoundedLog(
      (line) => void lines.push(line),
      () => now,
    )
    for (let index = 0; index < 300; index++) log.refusal(`Origin is http://${index}`)
    for (let index = 0; index < 300; index++) log.failure('PostgreSQL does not answer')
    expect(lines).toHaveLength(21)
    now += 10_000
    log.refusal('Origin is http://last')
    log.failure('PostgreSQL does not answer')
    expect(lines.slice(21)).toEqual(['refused: Origin is http://last (and 280 others)', 'PostgreSQL does not answer'])
  })
})
