// A venue played by a table of answers: each request finds the first row whose words are all in its method and URL.

import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { Transport, WireRequest, WireResponse } from '../../../src/exchanges/ccxt/transport.ts'

export const NOW = 1_790_000_000_000
/** Public test keys of no account. */
export const KEYS = {
  apiKey: 'key-of-nobody',
  secret: 'secret-of-nobody',
  password: 'passphrase-of-nobody',
  privateKey: `0x${'1'.repeat(64)}`,
  walletAddress: `0x${'2'.repeat(40)}`,
}

/** What a request is answered with: JSON under 200, a whole response, or nothing, ever. */
export type Answer = object | string | Partial<WireResponse & { readonly json: unknown }> | Error
export type Script = readonly (readonly [words: string, answer: Answer | ((request: WireRequest) => Answer)])[]

export interface ScriptedVenue {
  readonly exchange: Exchange
  readonly requests: WireRequest[]
  /** Those whose method and URL have all the words. */
  sent(words: string): readonly WireRequest[]
  /** These answers come first from now on. */
  answer(...rows: Script): void
}

export interface ScriptedTransport extends Omit<ScriptedVenue, 'exchange'> {
  readonly transport: Transport
}

export function scriptedTransport(script: Script): ScriptedTransport {
  const requests: WireRequest[] = []
  let rows = script
  return {
    requests,
    async transport(request) {
      requests.push(request)
      const row = rows.find(([words]) => has(request, words))
      if (row === undefined) throw new Error(`no answer to ${request.method} ${request.url} ${request.body ?? ''}`)
      const answer = typeof row[1] === 'function' ? row[1](request) : row[1]
      if (answer instanceof Error) throw answer
      return responseOf(answer)
    },
    sent: (words) => requests.filter((request) => has(request, words)),
    answer(...more) {
      rows = [...more, ...rows]
    },
  }
}

export async function openScripted(venue: string, kind: MarketKind, script: Script): Promise<ScriptedVenue> {
  const { transport, ...scripted } = scriptedTransport(script)
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: KEYS,
    transport,
    now: () => NOW,
    onProblem: () => undefined,
  })
  return { ...scripted, exchange }
}

function has({ method, url, body = '' }: WireRequest, words: string): boolean {
  return words.split(' ').every((word) => `${method} ${url} ${body}`.includes(word))
}

function responseOf(answer: Exclude<Answer, Error>): WireResponse {
  if (typeof answer === 'string') return { status: 200, headers: {}, text: answer }
  if ('json' in answer || 'text' in answer) {
    const { status = 200, headers = {}, text, json } = answer as Partial<WireResponse & { json: unknown }>
    return { status, headers, text: text ?? JSON.stringify(json) }
  }
  return { status: 200, headers: {}, text: JSON.stringify(answer) }
}
