// What shows that our server gave out a page, and that it has the port.
import { describe, expect, it } from 'vitest'
import { newTicket, proofOfServer, TICKET_LIMITS, TicketDesk } from '../../src/trust/console-tickets.ts'

const KEY = Buffer.alloc(32, 1)
const OTHER_KEY = Buffer.alloc(32, 2)
const NOW = 1_800_000_000_000
const TAB = { clientId: 'tab', origin: 'http://127.0.0.1:53220', key: 'its key' }
const OTHERS = [
  { ...TAB, clientId: 'other' },
  { ...TAB, key: 'another key' },
  { ...TAB, origin: 'http://localhost:53220' },
  { clientId: TAB.clientId, origin: TAB.origin },
]

describe('a ticket', () => {
  it('serves the client that brings it first, as often as it loses its connection, and no other', () => {
    const desk = new TicketDesk()
    const ticket = newTicket(KEY, NOW)
    expect(desk.accept(KEY, ticket, TAB, NOW)).toBe(true)
    expect(desk.accept(KEY, ticket, TAB, NOW + 1)).toBe(true)
    for (const other of OTHERS) expect(desk.accept(KEY, ticket, other, NOW + 1)).toBe(false)
  })

  it('serves for ten minutes', () => {
    const accepts = (age: number) => new TicketDesk().accept(KEY, newTicket(KEY, NOW), TAB, NOW + age)
    expect(TICKET_LIMITS.ticketMs).toBe(600_000)
    expect([accepts(599_999), accepts(600_000)]).toEqual([true, false])
    expect([accepts(-60_000), accepts(-60_001)]).toEqual([true, false])
  })

  it.each([
    ['made with another key', newTicket(OTHER_KEY, NOW)],
    ['of another time', newTicket(KEY, NOW).replace(/^t\.[^.]+/, `t.${(NOW + 1).toString(36)}`)],
    ['with more at its end', `${newTicket(KEY, NOW)}.x`],
    ['that calls itself a pass', newTicket(KEY, NOW).replace('t.', 'p.')],
    ['that is a proof', proofOfServer(KEY, 'nonce', '127.0.0.1:53220')],
    ['that is empty', ''],
  ])('%s serves nobody', (_what, ticket) => {
    expect(new TicketDesk().accept(KEY, ticket, TAB, NOW)).toBe(false)
  })
})

describe('a pass', () => {
  it('serves its client alone, at any desk of the same key, for 30 days', () => {
    const pass = new TicketDesk().newPass(KEY, TAB, NOW)
    const accepts = (holder: typeof TAB | (typeof OTHERS)[number], age: number, key = KEY) =>
      new TicketDesk().accept(key, pass, holder, NOW + age)
    expect([accepts(TAB, 0), accepts(TAB, TICKET_LIMITS.passMs - 1)]).toEqual([true, true])
    expect([accepts(TAB, TICKET_LIMITS.passMs), accepts(TAB, 0, OTHER_KEY)]).toEqual([false, false])
    for (const other of OTHERS) expect(accepts(other, 0)).toBe(false)
  })
})

describe('the proof of a server', () => {
  it('is of one nonce, one address and one key', () => {
    const proof = proofOfServer(KEY, 'nonce', '127.0.0.1:53220')
    expect(proofOfServer(KEY, 'nonce', '127.0.0.1:53220')).toBe(proof)
    expect(proofOfServer(KEY, 'other', '127.0.0.1:53220')).not.toBe(proof)
    expect(proofOfServer(KEY, 'nonce', '::1:53220')).not.toBe(proof)
    expect(proofOfServer(OTHER_KEY, 'nonce', '127.0.0.1:53220')).not.toBe(proof)
  })
})
