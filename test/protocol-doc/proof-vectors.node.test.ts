// The vectors of PROTOCOL.md, by which another client's author knows that it signs the right bytes, against the code of both sides.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSignedBy } from '../../src/client/client-keys.ts'
import { createIdentityProofs } from '../../src/listener/sessions/session-state.ts'
import {
  type Exchange,
  type ProofRole,
  publicKey,
  signature as signatureForm,
  signedBytes,
} from '../../src/protocol/proof.ts'
import { readSections } from './document.ts'

interface Vectors extends Readonly<Record<ProofRole, { readonly signed: string; readonly signature: string }>> {
  readonly exchange: Exchange
}

const fences = readSections().flatMap((section) => section.fences.filter(({ info }) => info === 'json proof'))
const vectors = JSON.parse((fences[0]?.lines ?? []).join('\n')) as Vectors
const { exchange } = vectors
const keys = { listener: exchange.listenerKey, client: exchange.clientKey }

describe.each(['listener', 'client'] as const)('the documented proof of the %s', (role) => {
  const other = role === 'listener' ? 'client' : 'listener'

  it('is over the bytes that the code signs', () => {
    expect(Buffer.from(signedBytes(role, exchange)).toString('hex')).toBe(vectors[role].signed)
  })

  it('is over the bytes that the words describe', () => {
    const label = `hookline proof 1 ${role}`
    const { listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin } = exchange
    const fields = [label, listenerNonce, clientNonce, listenerKey, clientKey, clientId, origin].map((text) => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return Buffer.concat([length, bytes])
    })
    expect(Buffer.concat(fields).toString('hex')).toBe(vectors[role].signed)
  })

  it('verifies with its key, and with no other; nor does the other half', async () => {
    const bytes = signedBytes(role, exchange)
    const { signature } = vectors[role]
    expect(publicKey.safeParse(keys[role]).success && signatureForm.safeParse(signature).success).toBe(true)
    expect(await isSignedBy(keys[role], signature, bytes)).toBe(true)
    expect(await isSignedBy(keys[other], signature, bytes)).toBe(false)
    expect(await isSignedBy(keys[role], vectors[other].signature, bytes)).toBe(false)
    expect(await isSignedBy(keys[role], signature, signedBytes(other, exchange))).toBe(false)
  })
})

describe('what is signed', () => {
  it('is other bytes for any other exchange', () => {
    const seen = new Set<string>()
    const digest = (role: ProofRole, of: Exchange) => createHash('sha256').update(signedBytes(role, of)).digest('hex')
    for (const role of ['listener', 'client'] as const) {
      seen.add(digest(role, exchange))
      for (const field of Object.keys(exchange)) {
        seen.add(digest(role, { ...exchange, [field]: 'x' }))
        seen.add(digest(role, { ...exchange, [field]: '' }))
      }
      seen.add(digest(role, { ...exchange, clientId: `${exchange.clientId}h`, origin: exchange.origin.slice(1) }))
    }
    expect(seen.size).toBe(2 * (1 + 2 * Object.keys(exchange).length + 1))
  })

  it.each(['tab', '', 'Tür', '\u20ac', '\u{1f600}', 'a\ud800b', '\udc00'])('has texts as UTF-8: %j', (clientId) => {
    const bytes = Buffer.from(signedBytes('client', { ...exchange, clientId }))
    const expected = new TextEncoder().encode(clientId)
    expect(bytes.includes(Buffer.concat([Buffer.of(0, 0, 0, expected.length), expected]))).toBe(true)
  })
})

describe('hookline', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = { publicKey: exchange.listenerKey, privateKey: pair.privateKey }
  const hello = { t: 'hello', clientId: 'tab', webCrossTradeActive: false } as const

  it('signs many challenges at once, each with a nonce of its own', async () => {
    const proofs = createIdentityProofs(() => own)
    const many = Array.from({ length: 50 }, () =>
      proofs.begin({ ...hello, key: exchange.clientKey, nonce: exchange.clientNonce }, exchange.origin)?.challenge(),
    )
    const challenges = await Promise.all(many)
    expect(new Set(challenges.map((challenge) => challenge?.nonce)).size).toBe(50)
  })

  it('begins no exchange with a point that is not on the curve, nor while it has no key', () => {
    const keyed = { ...hello, key: exchange.clientKey, nonce: exchange.clientNonce }
    const begin = (proofs: ReturnType<typeof createIdentityProofs>, key = keyed.key) =>
      proofs.begin({ ...keyed, key }, exchange.origin)
    expect(begin(createIdentityProofs(() => own))).toBeDefined()
    expect(
      begin(
        createIdentityProofs(() => own),
        `BA${'A'.repeat(85)}`,
      ),
    ).toBeUndefined()
    expect(begin(createIdentityProofs(() => undefined))).toBeUndefined()
  })
})
