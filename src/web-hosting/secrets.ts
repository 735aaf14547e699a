// Random values that are known to one browser only. The database has their hashes, so that reading it opens no session.
import { createHash, randomBytes } from 'node:crypto'

/** 256 bits, as 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text)
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
