// How keys, nonces and signatures are written: base64url without padding, one spelling each (the bits that the last character has
// left over are zero).
import * as z from 'zod/mini'

/** A public key: the uncompressed point of P-256, which begins with the byte 4. */
export const publicKey = z.string().check(z.regex(/^B[A-P][\w-]{84}[AEIMQUYcgkosw048]$/, 'must be a P-256 public key'))
/** 32 bytes. */
export const nonce = z.string().check(z.regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be 32 bytes in base64url'))
/** 64 bytes. */
export const signature = z.string().check(z.regex(/^[\w-]{85}[AQgw]$/, 'must be 64 bytes in base64url'))
