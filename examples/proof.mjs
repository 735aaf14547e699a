// How a client and hookline prove to each other who they are: the chapter Proof of identity of PROTOCOL.md, with Node's crypto alone.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'

/** A private key as text, to be kept where nobody else can read it. */
export function newPrivateKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
}

/**
 * The proofs of one connection.
 *
 * @param {{ clientId: string, privateKey: string, listenerKey?: string }} identity `listenerKey`: the one pinned, if any
 * @param {string} origin that the upgrade names
 */
export function createProofs({ clientId, privateKey, listenerKey }, origin) {
  const own = createPrivateKey(privateKey)
  const key = pointOf(createPublicKey(own))
  const nonce = randomBytes(32).toString('base64url')

  /** @param {'listener' | 'client'} role whose signature it is */
  function signedBytes(role, challenge) {
    const texts = [`hookline proof 1 ${role}`, challenge.nonce, nonce, challenge.key, key, clientId, origin]
    const fields = texts.map((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(text))
      return Buffer.concat([length, Buffer.from(text)])
    })
    return Buffer.concat(fields)
  }

  return {
    /** What `hello` has of it. */
    key,
    nonce,
    /** @returns the `proof` for hookline; undefined: what sent the challenge is not the pinned hookline, say nothing to it */
    answer(challenge) {
      if (listenerKey !== undefined && challenge.key !== listenerKey) return undefined
      const signature = Buffer.from(challenge.signature, 'base64url')
      const listener = inForm(keyAt(challenge.key))
      if (!verify('sha256', signedBytes('listener', challenge), listener, signature)) return undefined
      const proof = sign('sha256', signedBytes('client', challenge), inForm(own))
      return { t: 'proof', signature: proof.toString('base64url') }
    },
  }
}

/** r and s, not DER. */
const inForm = (key) => ({ key, dsaEncoding: 'ieee-p1363' })

/** A public key as the wire has it: the uncompressed point. */
function pointOf(publicKey) {
  const { x, y } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url')
}

function keyAt(point) {
  const bytes = Buffer.from(point, 'base64url')
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((half) => half.toString('base64url'))
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
}
