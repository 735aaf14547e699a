// How the vault encrypts: scrypt makes a key of the passphrase, AES-256-GCM seals one text under it. What a text belongs to is sealed with it,
// so that no entry can be moved to another account, venue or version of the file.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import type { Sealed } from '../stores/vault-file.ts'

const SCRYPT = { N: 2 ** 17, r: 8, p: 1 }
const SCRYPT_MEMORY = 128 * SCRYPT.N * SCRYPT.r
const TAG_BYTES = 16
export const SALT_BYTES = 32

export type DeriveKey = (passphrase: string, salt: string) => Promise<Buffer>

/** Off the event loop; about a second and 128 MiB. */
export function deriveKey(passphrase: string, salt: string): Promise<Buffer> {
  const options = { ...SCRYPT, maxmem: SCRYPT_MEMORY + 2 ** 20 }
  return new Promise((resolve, reject) => {
    // One passphrase typed on two keyboards is one passphrase.
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 32, options, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

/** @param belongsTo read back with the same, or not at all */
export function seal(key: Uint8Array, text: string, belongsTo: readonly (string | number)[]): Sealed {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(bytesOf(belongsTo))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { nonce: nonce.toString('hex'), data: data.toString('hex') }
}

/** @returns undefined: another key, another owner, or one bit is not as it was sealed */
export function unseal(key: Uint8Array, sealed: Sealed, belongsTo: readonly (string | number)[]): string | undefined {
  const data = Buffer.from(sealed.data, 'hex')
  const end = data.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.nonce, 'hex'), { authTagLength: TAG_BYTES })
  decipher.setAAD(bytesOf(belongsTo))
  decipher.setAuthTag(data.subarray(end))
  try {
    return Buffer.concat([decipher.update(data.subarray(0, end)), decipher.final()]).toString('utf8')
  } catch {
    // `final` throws for nothing but a tag that does not fit.
    return undefined
  }
}

/** As JSON, so that no two owners read alike. */
function bytesOf(belongsTo: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify(['hookline vault', ...belongsTo]))
}
