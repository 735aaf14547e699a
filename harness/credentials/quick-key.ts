// In place of scrypt, which takes a second by design: for tests of what is done with the key.
import { createHash } from 'node:crypto'

export async function quickKey(passphrase: string, salt: string): Promise<Buffer> {
  return createHash('sha256').update(`${salt} ${passphrase}`).digest()
}
