// Whom a request is counted for: a person, for all their addresses, browsers and command lines together, or an address whose person is not known yet.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { SenderPlaces } from '../web-server/front.ts'
import { clientAddress, type TrustedProxies } from './client-address.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { createRequestRate } from './request-rate.ts'
import { hashOf } from './secrets.ts'
import type { Asker } from './statement-turns.ts'

const { burst, perSecond, addresses, requestsOfPerson } = HOSTING_LIMITS

export class Askers {
  readonly #trusted: TrustedProxies
  readonly #addressRate = createRequestRate({ burst, perSecond, addresses, now: () => performance.now() })
  readonly #personRate = createRequestRate({ burst, perSecond, addresses, now: () => performance.now() })
  readonly #places = new SenderPlaces(requestsOfPerson)
  /** By the hash of a session's secret, whose it was at its last request: says whom to count for, and opens nothing. */
  readonly #owners = new Map<string, string>()

  constructor(trusted: TrustedProxies) {
    this.#trusted = trusted
  }

  addressOf(context: Context): string {
    const { incoming } = context.env as HttpBindings
    return clientAddress(incoming.socket.remoteAddress, context.req.header('x-forwarded-for'), this.#trusted)
  }

  /** @returns undefined: the address may ask, else in how many seconds it may again */
  waitOf(address: string): number | undefined {
    return this.#addressRate(address)
  }

  stranger(context: Context): Asker {
    return { kind: 'stranger', name: this.addressOf(context) }
  }

  /** It has a session, and its person is not known. */
  visitor(context: Context): Asker {
    return { kind: 'visitor', name: this.addressOf(context) }
  }

  /** Takes one of the person's places until the answer is out. @throws {HTTPException} 429 */
  admit(context: Context, person: string): Asker {
    const { outgoing } = context.env as HttpBindings
    const wait = this.#places.take(person, outgoing) ? this.#personRate(person) : 1
    if (wait === undefined) return { kind: 'person', name: person }
    context.header('Retry-After', String(wait))
    throw new HTTPException(429, { message: 'too many requests' })
  }

  /** @param token of a session @returns who had it at its last request here */
  ownerOf(token: string): string | undefined {
    return this.#owners.get(keyOf(token))
  }

  /** @param person undefined: the session is over */
  noteOwner(token: string, person: string | undefined): void {
    const key = keyOf(token)
    this.#owners.delete(key)
    if (person === undefined) return
    this.#owners.set(key, person)
    if (this.#owners.size > addresses) this.#owners.delete(this.#owners.keys().next().value as string)
  }
}

function keyOf(token: string): string {
  return hashOf(token).toString('base64')
}
