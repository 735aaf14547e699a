// A notice as a signed POST (Standard Webhooks): JSON with a type, a time and the row. Each try of one notice has the same id.
import { createHmac } from 'node:crypto'
import { isLoopback } from '../protocol/address.ts'
import type { Taken } from './channel-sender.ts'
import { NoticeError } from './notice.ts'
import { post, refusalOf } from './post.ts'

interface WebhookOptions {
  readonly url: string
  /** `whsec_…`. @throws {NoticeError} `no-secret` */
  readonly secret: () => Promise<string>
  readonly now: () => number
  readonly version: string
}

export function webhookDelivery({ url: typed, secret, now, version }: WebhookOptions) {
  return async (taken: Taken, signal: AbortSignal): Promise<void> => {
    const address = readWebhookUrl(typed)
    if ('why' in address)
      throw new NoticeError('not-supported', `the address of the webhook is refused: ${address.why}`)
    const key = readSigningSecret(await secret())
    if (key === undefined)
      throw new NoticeError('no-secret', 'the secret of the webhook is not one that begins with whsec_')
    const id = `msg_${taken.ids[0]}`
    const body = bodyOf(taken)
    const headers = {
      'User-Agent': `hookline/${version}`,
      ...signatureHeaders(key, { id, at: now(), body }),
    }
    const refusal = refusalOf(await post({ url: address.url, body, headers, signal, now }))
    if (refusal !== undefined) throw refusal
  }
}

/** One notice each: the bundle of a webhook is 1. */
function bodyOf({ rows: [row], leftOut }: Taken): string {
  if (row === undefined) return '{}'
  const { kind, severity, text, at, count, account, hook } = row
  const data = { kind, severity, text, account, hook, count, ...(leftOut > 0 ? { leftOut } : {}) }
  return JSON.stringify({ type: `notice.${kind}`, timestamp: new Date(at).toISOString(), data })
}

// The signature of Standard Webhooks, version 1: HMAC-SHA256 over id, time and body, under a secret that is written `whsec_` and base64. The receiver
// can tell that a notice is hookline's, is not old, and has not been taken up before.

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64

/** @returns undefined: it is not such a secret */
export function readSigningSecret(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  const encoded = text.slice(PREFIX.length)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : undefined
}

interface SignedMessage {
  readonly id: string
  /** ms since the epoch, of this try. */
  readonly at: number
  readonly body: string
}

export function signatureHeaders(secret: Buffer, { id, at, body }: SignedMessage): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

// Where notices may be posted to. A person types the address at the terminal; it is https, or http to this machine alone, and it is followed
// nowhere else.

const MAX_URL_LENGTH = 1_000

/** @returns the address, or why it is refused */
export function readWebhookUrl(text: string): { readonly url: URL } | { readonly why: string } {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return { why: 'it is not a URL' }
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    return { why: 'it must begin with https://; http:// is only for this machine' }
  }
  if (url.username !== '' || url.password !== '') return { why: 'it has a name or a password in it' }
  return { url }
}

/** What is shown of an address: its path may be a secret of its receiver. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return 'an invalid address'
  const { origin, pathname, search } = new URL(text)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}
