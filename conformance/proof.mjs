// What both sides sign, after PROTOCOL.md (Proof of identity), and keys to sign it with. It shares no code with hookline's own.
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'

/**
 * @typedef {{ listenerNonce: string, clientNonce: string, listenerKey: string, clientKey: string, clientId: string, origin: string }} Exchange
 * @typedef {{ publicKey: string, sign: (bytes: Buffer) => string }} Key
 */

/** @param {string} role `listener` or `client`: whose signature it is @param {Exchange} exchange */
export function signedBytes(role, exchange) {
  const { listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin } = exchange
  const texts = [`hookline proof 1 ${role}`, listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin]
  return Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(text))
      return [length, Buffer.from(text)]
    }),
  )
}

/** @returns {Key} */
export function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return {
    publicKey: point.toString('base64url'),
    sign: (bytes) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  }
}

/** @param {string} publicKey @param {string} signature @param {Buffer} bytes */
export function isSignedBy(publicKey, signature, bytes) {
  const point = Buffer.from(publicKey, 'base64url')
  if (point.length !== 65) return false
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  try {
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
    return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  } catch {
    // The point is not on the curve.
    return false
  }
}

export function newNonce() {
  return randomBytes(32).toString('base64url')
}

/** Whether the expected fields are in the frame; `$absent`: the field is not. @param {unknown} actual @param {unknown} expected @returns {boolean} */
export function matches(actual, expected) {
  if (expected === '$absent') return actual === undefined
  if (typeof expected !== 'object' || expected === null) return actual === expected
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(expected).every(([name, value]) =>
    matches(/** @type {Record<string, unknown>} */ (actual)[name], value),
  )
}
