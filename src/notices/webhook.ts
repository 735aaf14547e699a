// A notice as a signed POST (Standard Webhooks): JSON with a type, a time and the row. Each try of one notice has the same id.
import { randomUUID } from 'node:crypto'
import { NoticeError } from './notice-error.ts'
import { post, refusalOf } from './post.ts'
import { readSigningSecret, signatureHeaders } from './standard-webhooks.ts'
import type { Taken } from './waiting-notices.ts'
import { readWebhookUrl } from './webhook-url.ts'

export interface WebhookOptions {
  readonly url: string
  /** `whsec_…`. @throws {NoticeError} `no-secret` */
  readonly secret: () => Promise<string>
  readonly now: () => number
  readonly version: string
}

export function webhookDelivery({ url: typed, secret, now, version }: WebhookOptions) {
  const ids = new WeakMap<Taken, string>()
  return async (taken: Taken, signal: AbortSignal): Promise<void> => {
    const address = readWebhookUrl(typed)
    if ('why' in address)
      throw new NoticeError('not-supported', `the address of the webhook is refused: ${address.why}`)
    const key = readSigningSecret(await secret())
    if (key === undefined)
      throw new NoticeError('no-secret', 'the secret of the webhook is not one that begins with whsec_')
    const id = ids.get(taken) ?? `msg_${randomUUID()}`
    ids.set(taken, id)
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
