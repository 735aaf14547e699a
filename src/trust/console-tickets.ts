// What the console's server signs with the key that only its user can read (src/stores/identity.ts): that the port is held by it, and
// that a page was given out by it. Three kinds, which cannot stand for each other:
//
//   proof   answers a nonce, for a hookline that wants to know whose server has the port
//   ticket  is in one document; it serves the client that brings it first, and no one else
//   pass    is what such a client is given for its next connection from the same document; it serves that client alone
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const TICKET_LIMITS = {
  /** From the document to `hello`; a page that waited longer is loaded again. */
  ticketMs: 10 * 60_000,
  /** A document that stays open longer without a connection is loaded again. */
  passMs: 30 * 24 * 60 * 60_000,
  /** The two processes share a clock; it may be set back between the two looks. */
  aheadMs: 60_000,
} as const

/** Who may use a pass. */
interface PassHolder {
  readonly clientId: string
  readonly origin: string
  readonly key?: string
}

/** @param nonce as the hookline chose it @param address where the server listens, so that no answer serves at another */
export function proofOfServer(key: Buffer, nonce: string, address: string): string {
  return sign(key, 'hookline console proof 1', [nonce, address])
}

export function newTicket(key: Buffer, now: number): string {
  const signed = `${now.toString(36)}.${randomBytes(16).toString('base64url')}`
  return `t.${signed}.${sign(key, 'hookline console ticket 1', [signed])}`
}

/** What a listener accepts: each ticket of the client that brought it first, each pass of the client that it was made for. */
export class TicketDesk {
  /** Tickets that have been brought: when they were made, and by whom. */
  readonly #spent = new Map<string, { readonly at: number; readonly by: string }>()

  /** @param brought a ticket or a pass @returns whether it shows that our server gave out the page */
  accept(key: Buffer, brought: string, holder: PassHolder, now: number): boolean {
    const [kind, at = '', id = '', mac = '', ...rest] = brought.split('.')
    const madeAt = Number.parseInt(at, 36)
    if (rest.length > 0 || !Number.isSafeInteger(madeAt) || madeAt - now > TICKET_LIMITS.aheadMs) return false
    if (kind === 'p') return now - madeAt < TICKET_LIMITS.passMs && equal(mac, signPass(key, `${at}.${id}`, holder))
    if (kind !== 't' || now - madeAt >= TICKET_LIMITS.ticketMs) return false
    if (!equal(mac, sign(key, 'hookline console ticket 1', [`${at}.${id}`]))) return false
    return this.#spend(id, { at: madeAt, by: JSON.stringify([holder.clientId, holder.origin, holder.key]) }, now)
  }

  newPass(key: Buffer, holder: PassHolder, now: number): string {
    const signed = `${now.toString(36)}.${randomBytes(16).toString('base64url')}`
    return `p.${signed}.${signPass(key, signed, holder)}`
  }

  /** A page that waits for the operator, and loses its connection meanwhile, brings it again. */
  #spend(id: string, use: { readonly at: number; readonly by: string }, now: number): boolean {
    for (const [each, { at }] of this.#spent) {
      if (now - at < TICKET_LIMITS.ticketMs) break
      this.#spent.delete(each)
    }
    const before = this.#spent.get(id)
    if (before === undefined) this.#spent.set(id, use)
    return before === undefined || before.by === use.by
  }
}

function signPass(key: Buffer, signed: string, { clientId, origin, key: clientKey = '' }: PassHolder): string {
  return sign(key, 'hookline console pass 1', [signed, clientId, origin, clientKey])
}

/** No two lists of texts have the same bytes. */
function sign(key: Buffer, label: string, texts: readonly string[]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([label, ...texts]))
    .digest('base64url')
}

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
