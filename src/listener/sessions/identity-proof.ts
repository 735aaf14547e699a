// hookline's side of the proof of identity (behaviour 48): signs what it challenges with, and checks what comes back.
import { createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { Frame } from '../../protocol/frames.ts'
import { type Exchange, signedBytes } from '../../protocol/proof.ts'
import type { ListenerKey } from '../../stores/identity.ts'
import type { Hello } from './session-state.ts'

/** At most `atOnce` of what it is given is under way; the others wait in order. */
export function createTurns(atOnce: number): <R>(work: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((turn) => waiting.push(turn))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** One client's exchange on one socket: its nonce serves once. */
export interface ClientProof {
  challenge(): Promise<Frame<'challenge'>>
  /** Whether the client has the key that its hello named. */
  check(signature: string): Promise<boolean>
}

export interface IdentityProofs {
  /** @returns undefined: the hello's key is not a point of the curve, or there is none */
  begin(hello: Hello, origin: string): ClientProof | undefined
}

/** Signatures are made in Node's thread pool, which files need too: strangers get no more of it than this at once. */
const AT_ONCE = 2

const HASH = 'sha256'
const signAsync = promisify(sign)
const verifyAsync = promisify(verify)

/** @param ownKey undefined while it is not known: nobody is let in then */
export function createIdentityProofs(ownKey: () => ListenerKey | undefined): IdentityProofs {
  const inTurn = createTurns(AT_ONCE)
  return {
    begin({ key, nonce, clientId }, origin) {
      const listener = ownKey()
      const publicKey = key === undefined ? undefined : pointOf(key)
      if (!listener || key === undefined || nonce === undefined || publicKey === undefined) return undefined
      const exchange: Exchange = {
        listenerNonce: randomBytes(32).toString('base64url'),
        clientNonce: nonce,
        listenerKey: listener.publicKey,
        clientKey: key,
        clientId,
        origin,
      }
      return {
        async challenge() {
          const signature = await inTurn(() =>
            signAsync(HASH, signedBytes('listener', exchange), inForm(listener.privateKey)),
          )
          const { listenerNonce, listenerKey } = exchange
          return {
            t: 'challenge',
            nonce: listenerNonce,
            key: listenerKey,
            signature: signature.toString('base64url'),
          }
        },
        check: (signature) =>
          inTurn(() =>
            verifyAsync(HASH, signedBytes('client', exchange), inForm(publicKey), Buffer.from(signature, 'base64url')),
          ),
      }
    },
  }
}

function inForm(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' } as const
}

function pointOf(key: string): KeyObject | undefined {
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  if (x === undefined || y === undefined) return undefined
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    // Not on the curve.
    return undefined
  }
}
