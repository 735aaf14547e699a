// The wire under a case: it answers what leaves, by the case's own steps and by the venue's background, and keeps it.
import type { Transport, WireRequest, WireResponse } from '../../../src/exchanges/ccxt/transport.ts'
import type { Background, Step, VenueCases } from './venue-cases.ts'

/** A request as a case writes it. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly output: unknown
}

export interface CaseWire {
  readonly transport: Transport
  /** Requests that a step answered, in the order of the steps. */
  sent(): readonly (Sent | undefined)[]
  /** The numbers of the steps, in the order in which they were answered. */
  readonly order: readonly number[]
  /** Requests that nothing was written for. */
  readonly unexpected: readonly Sent[]
}

export function createCaseWire(venue: VenueCases, steps: readonly Step[]): CaseWire {
  const sent: (Sent | undefined)[] = steps.map(() => undefined)
  const unexpected: Sent[] = []
  const order: number[] = []
  const transport: Transport = async (request) => {
    const what = readRequest(request, venue.skipKeys)
    const open = steps.flatMap((step, index) => (sent[index] === undefined && samePath(step, what) ? [index] : []))
    const asked = venue.background.find((each) => each.query !== undefined && answersTo(each, what))
    const index = open.find((each) => sameQuery(steps[each], what)) ?? (asked === undefined ? open[0] : undefined)
    const step = index === undefined ? undefined : steps[index]
    if (index !== undefined && step !== undefined) {
      sent[index] = what
      order.push(index)
      if (step.isLost === true) throw new TypeError('fetch failed')
      return answer(step.httpResponse, step.httpStatus, step.httpHeaders)
    }
    const background = asked ?? venue.background.find((each) => answersTo(each, what))
    if (background !== undefined) return answer(background.httpResponse)
    unexpected.push(what)
    throw new TypeError('fetch failed')
  }
  return { transport, unexpected, order, sent: () => sent }
}

function answer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json', ...headers }, text }
}

function readRequest({ method, url, body }: WireRequest, skipKeys: readonly string[]): Sent {
  const address = new URL(url)
  for (const key of skipKeys) address.searchParams.delete(key)
  return { method, url: address.href, output: body === undefined || body === '' ? null : readBody(body, skipKeys) }
}

function readBody(body: string, skipKeys: readonly string[]): unknown {
  const isJson = /^[[{]/.test(body)
  const fields: unknown = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
  if (Array.isArray(fields)) return fields.map((each) => without(each, skipKeys))
  return without(fields, skipKeys)
}

function without(fields: unknown, skipKeys: readonly string[]): unknown {
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !skipKeys.includes(key)))
}

/** Sorted, so that the order of a query's pairs is no difference. */
export function sorted({ method, url, output }: Pick<Step, 'method' | 'url' | 'output'>): Sent {
  const address = new URL(url)
  address.searchParams.sort()
  return { method, url: address.href, output }
}

function samePath(step: Step, sent: Sent): boolean {
  const [wanted, got] = [new URL(step.url), new URL(sent.url)]
  return step.method === sent.method && wanted.origin === got.origin && wanted.pathname === got.pathname
}

function sameQuery(step: Step | undefined, sent: Sent): boolean {
  if (step === undefined || sorted(step).url !== sorted(sent).url) return false
  return JSON.stringify(step.output) === JSON.stringify(sent.output)
}

function answersTo({ method, url, query = {} }: Background, sent: Sent): boolean {
  const address = new URL(sent.url)
  if (method !== sent.method || `${address.origin}${address.pathname}` !== url) return false
  const held: Record<string, unknown> = { ...Object.fromEntries(address.searchParams), ...(sent.output as object) }
  return Object.entries(query).every(([key, value]) => held[key] === value)
}

/** Every value under one of the names, at any depth. */
export function valuesOf(output: unknown, names: readonly string[]): unknown[] {
  if (typeof output !== 'object' || output === null) return []
  return Object.entries(output).flatMap(([key, value]) => [
    ...(names.includes(key) ? [value] : []),
    ...valuesOf(value, names),
  ])
}
