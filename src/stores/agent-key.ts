// `agent-<name>.json`: who an agent is to hookline: its clientId, the key by which it proves that (behaviour 48), and the hookline that it has pinned.
// Made at its first start; the private key leaves the file for no other place.
import { randomUUID, sign } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { keyIn, newKey, privateKeyText } from './identity.ts'
import { createJsonFile } from './json-file.ts'
import { recordOf } from './rows.ts'
import { StoreError } from './store-error.ts'

/** As `PinStore` of `hookline/client` has it. */
interface AgentPin {
  readonly listenerId?: string
  readonly key?: string
}

const pin = z.object({ listenerId: z.exactOptional(z.string()), key: z.exactOptional(z.string()) })
const schema = z.looseObject({
  clientId: z.uuid(),
  privateKey: privateKeyText,
  pin: z.exactOptional(pin),
})
interface AgentFile {
  readonly clientId: string
  readonly privateKey: string
  readonly pin?: AgentPin
}

export interface AgentKey {
  readonly clientId: string
  /** The uncompressed point of P-256 in base64url. */
  readonly publicKey: string
  /** ECDSA with SHA-256, as r‖s. */
  sign(bytes: Uint8Array): Uint8Array
  /** Empty: none. */
  readonly pin: AgentPin
  /** @throws {StoreError} */
  keepPin(pin: AgentPin): Promise<void>
}

const NAME = /^[a-z0-9-]{1,32}$/
const NONE: AgentFile = { clientId: '', privateKey: '' }

/** @throws {StoreError} `invalid-value`: not a name; `store-corrupt`, `store-locked`, `store-write-failed` */
export async function openAgentKey(directory: string, name: string): Promise<AgentKey> {
  if (!NAME.test(name)) {
    throw new StoreError('invalid-value', 'the name of an agent has 1 to 32 of a-z, 0-9 and -')
  }
  const path = join(directory, `agent-${name}.json`)
  const file = createJsonFile<AgentFile>({ path, parse: recordOf<AgentFile>(schema), defaults: NONE })
  const {
    clientId,
    privateKey,
    pin = {},
  } = await file.update((current) => (current === NONE ? { clientId: randomUUID(), privateKey: newKey() } : current))
  const key = keyIn(privateKey)
  if (key === undefined) throw new StoreError('store-corrupt', `agent-${name}.json holds no P-256 key`)
  return {
    clientId,
    publicKey: key.publicKey,
    sign: (bytes) => sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' }),
    pin,
    async keepPin(next) {
      await file.update((current) => (current === NONE ? current : { ...current, pin: next }))
    },
  }
}
