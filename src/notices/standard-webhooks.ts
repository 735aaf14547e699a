// The signature of Standard Webhooks, version 1: HMAC-SHA256 over id, time and body, under a secret that is written `whsec_` and base64. The receiver
// can tell that a notice is hookline's, is not old, and has not been taken up before.
import { createHmac } from 'node:crypto'

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

export interface SignedMessage {
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
