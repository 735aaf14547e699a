// Proof of identity (behaviour 48): what both sides sign. Pure, so that hookline and its clients build the same bytes.
//
// Keys are ECDSA on P-256, signatures over SHA-256 as r‖s (IEEE P1363): every browser's WebCrypto and Node have them.
import * as z from 'zod/mini'

// How keys, nonces and signatures are written: base64url without padding, one spelling each (the bits that the last character has
// left over are zero).

/** A public key: the uncompressed point of P-256, which begins with the byte 4. */
export const publicKey = z.string().check(z.regex(/^B[A-P][\w-]{84}[AEIMQUYcgkosw048]$/, 'must be a P-256 public key'))
/** 32 bytes. */
export const nonce = z.string().check(z.regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be 32 bytes in base64url'))
/** 64 bytes. */
export const signature = z.string().check(z.regex(/^[\w-]{85}[AQgw]$/, 'must be 64 bytes in base64url'))

export type ProofRole = 'listener' | 'client'

/** What an exchange is about. Keys, nonces and signatures are base64url without padding, as they are on the wire. */
export interface Exchange {
  /** 32 random bytes of hookline's, for this socket. */
  readonly listenerNonce: string
  /** 32 random bytes of the client's, for this socket. */
  readonly clientNonce: string
  /** Public keys: the uncompressed point, 65 bytes. */
  readonly listenerKey: string
  readonly clientKey: string
  readonly clientId: string
  /** Of the client's upgrade, serialised: `http://127.0.0.1:53220`. */
  readonly origin: string
}

/** The first field says whose signature it is, so that neither can be reflected as the other. */
const LABELS: Readonly<Record<ProofRole, string>> = {
  listener: 'hookline proof 1 listener',
  client: 'hookline proof 1 client',
}

/** Seven texts, each as its length in bytes (32 bits, big-endian) and its UTF-8: no two exchanges have the same bytes. */
export function signedBytes(role: ProofRole, exchange: Exchange): Uint8Array<ArrayBuffer> {
  const { listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin } = exchange
  const texts = [LABELS[role], listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin]
  const bytes: number[] = []
  for (const text of texts) {
    const field = utf8(text)
    const { length } = field
    bytes.push((length >>> 24) & 0xff, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff, ...field)
  }
  return new Uint8Array(bytes)
}

/** How people are shown a key, to compare two by eye: its last 12 characters, which are 70 bits of the point. */
export function keyTail(key: string): string {
  return `…${key.slice(-12)}`
}

/** There is no TextEncoder without a DOM or Node. A lone surrogate becomes U+FFFD, as it does there. */
function utf8(text: string): number[] {
  const bytes: number[] = []
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code))
    else bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code))
  }
  return bytes
}

function tail(code: number): number {
  return 0x80 | (code & 0x3f)
}
