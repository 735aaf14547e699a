// A client with a key, for tests: it proves itself as PROTOCOL.md says, or as a thief would try to (behaviour 48).
import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import type { Frame } from '../../src/protocol/frames.ts'
import { type Exchange, type ProofRole, signedBytes } from '../../src/protocol/proof.ts'
import { ORIGIN, WsClient } from './ws-client.ts'

export interface TestKey {
  readonly publicKey: string
  /** In base64url. */
  sign(bytes: Uint8Array): string
}

export function newTestKey(): TestKey {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return {
    publicKey: point.toString('base64url'),
    sign: (bytes) => sign('sha256', bytes, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  }
}

export interface ProvingOptions {
  readonly key?: TestKey
  readonly clientId?: string
  readonly label?: string
  readonly origin?: string
  /** Of the upgrade. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs as the client, unless told otherwise. */
export interface Signing {
  readonly as?: ProofRole
  readonly by?: TestKey
  /** What is signed in place of what was exchanged. */
  readonly over?: Partial<Exchange>
}

export class ProvingClient {
  readonly ws: WsClient
  readonly key: TestKey
  readonly exchange: Exchange
  readonly challenge: Frame<'challenge'>

  /** Has said hello, and been challenged. */
  static async challenged(options: ProvingOptions = {}): Promise<ProvingClient> {
    const { key = newTestKey(), clientId = randomUUID(), label = 'keyed', origin = ORIGIN, headers } = options
    const ws = await WsClient.open(origin, headers)
    const nonce = randomBytes(32).toString('base64url')
    ws.send({ t: 'hello', clientId, label, key: key.publicKey, nonce })
    const challenge = await ws.nextFrame('challenge')
    const exchange = {
      listenerNonce: challenge.nonce,
      clientNonce: nonce,
      listenerKey: challenge.key,
      clientKey: key.publicKey,
      clientId,
      origin,
    }
    return new ProvingClient(ws, key, { exchange, challenge })
  }

  /** Has proved itself. */
  static async proved(options: ProvingOptions = {}): Promise<ProvingClient> {
    const client = await ProvingClient.challenged(options)
    client.prove()
    return client
  }

  private constructor(
    ws: WsClient,
    key: TestKey,
    { exchange, challenge }: { readonly exchange: Exchange; readonly challenge: Frame<'challenge'> },
  ) {
    this.ws = ws
    this.key = key
    this.exchange = exchange
    this.challenge = challenge
  }

  signature({ as = 'client', by = this.key, over = {} }: Signing = {}): string {
    return by.sign(signedBytes(as, { ...this.exchange, ...over }))
  }

  prove(signing: Signing = {}): this {
    this.ws.send({ t: 'proof', signature: this.signature(signing) })
    return this
  }
}
