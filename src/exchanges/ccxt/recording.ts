// What an account and its venue said to each other, without what names or signs for the account: for people to share. Headers and signatures
// are never kept; in bodies, queries and answers every known secret and every field that names a person or an account is hidden.
import { hideSecrets } from './redact.ts'
import type { Transport } from './transport.ts'
import { jsonOf } from './wire-log.ts'

/** One request, and what came of it. */
export interface RecordedExchange {
  /** ms since the epoch. */
  readonly at: number
  readonly tookMs: number
  readonly method: string
  readonly url: string
  readonly body?: string
  /** Absent where no whole answer came. */
  readonly status?: number
  readonly answer?: unknown
}

export interface RecordingOptions {
  readonly transport: Transport
  readonly secrets: readonly string[]
  readonly now: () => number
  readonly keep: (recorded: RecordedExchange) => void
}

/** Longer answers, lists of all markets, are not kept. */
const LONGEST_ANSWER = 200_000

/** The same transport; what passes through it is kept. */
export function recordTransport({ transport, secrets, now, keep }: RecordingOptions): Transport {
  return async (request) => {
    const at = now()
    const { method, url, body } = request
    const sent = { at, method, url: urlWithoutNames(url, secrets) }
    const asked = body === undefined || body === '' ? sent : { ...sent, body: textWithoutNames(body, secrets) }
    try {
      const response = await transport(request)
      const answer =
        response.text.length > LONGEST_ANSWER
          ? `${response.text.length} characters`
          : valueWithoutNames(jsonOf(response.text) ?? response.text, secrets)
      keep({ ...asked, tookMs: now() - at, status: response.status, answer })
      return response
    } catch (error) {
      keep({ ...asked, tookMs: now() - at })
      throw error
    }
  }
}

const HIDDEN = '<hidden>'

/** Fields that say whose account it is, or prove it. */
const NAMING =
  /^(?:api-?_?key|access-?_?key|sign|signature|signatures?|nonce|passphrase|password|token|listen-?_?key|secret|uid|user-?_?id|main-?_?uid|sub-?_?uid|account-?_?(?:id|uid|name|number|alias)|sub-?_?account.*|parent-?_?uid|user-?_?name|nick-?_?name|email|mobile|phone|ips?|ip-?_?.*|address|wallet-?_?address|user|vault-?_?address|inviter.*|kyc.*|label|note|remark|portfolio_uuid|portfolio_id|retail_portfolio_id|r|s|v)$/i

/** @returns the value with what names the account hidden, at any depth */
function valueWithoutNames(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return hideSecrets(value, secrets)
  if (Array.isArray(value)) return value.map((each) => valueWithoutNames(each, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      hideSecrets(name, secrets),
      isNaming(name, each) ? HIDDEN : valueWithoutNames(each, secrets),
    ]),
  )
}

/** Deribit and Hyperliquid give our own order ids in `label` and `cloid`: ids of orders are kept. */
function isNaming(name: string, value: unknown): boolean {
  if (!NAMING.test(name) || typeof value === 'boolean' || value === '' || value === null) return false
  return !(name === 'label' && typeof value === 'string' && /^[0-9a-f]{32}$/.test(value))
}

function urlWithoutNames(url: string, secrets: readonly string[]): string {
  const [address = '', query] = url.split('?', 2)
  const place = hideSecrets(address, secrets)
  return query === undefined ? place : `${place}?${formWithoutNames(query, secrets)}`
}

function textWithoutNames(text: string, secrets: readonly string[]): string {
  const json = jsonOf(text)
  if (typeof json === 'object' && json !== null) return JSON.stringify(valueWithoutNames(json, secrets))
  return text.includes('=') ? formWithoutNames(text, secrets) : hideSecrets(text, secrets)
}

function formWithoutNames(form: string, secrets: readonly string[]): string {
  return form
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2)
      if (value === undefined) return hideSecrets(pair, secrets)
      return `${name}=${isNaming(name, value) ? HIDDEN : hideSecrets(value, secrets)}`
    })
    .join('&')
}
