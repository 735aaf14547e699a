// `listener.json`: the id by which web apps recognise this installation. Never replaced, whatever is in the file.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openIdentity } from '../../../src/stores/identity.ts'
import { StoreError } from '../../../src/stores/store-error.ts'
import { privateDirectory, UUID } from '../store-target.ts'
import { bytesOf, type OpenTarget, promise } from '../target.ts'

export const open: OpenTarget = () => {
  const directory = privateDirectory()
  const path = join(directory, 'listener.json')
  return {
    units: 'bytes',
    seeds: [JSON.stringify({ listenerId: UUID, createdAt: 1_773_239_400_000, note: 'mine' }, null, 2)],
    dictionary: ['listenerId', 'createdAt', UUID, '00000000-0000-0000-0000-000000000000', '\ufeff'].map(bytesOf),
    json: true,
    maxLength: 50_000,
    batch: 128,
    async run(input) {
      const bytes = Buffer.from(input, 'latin1')
      writeFileSync(path, bytes)
      const store = openIdentity(directory)
      try {
        const { listenerId } = await store.load()
        promise(/^[0-9a-f-]{36}$/i.test(listenerId), 'an identity is a UUID')
        promise(store.problem() === undefined, 'an identity comes from a good file')
        promise((await openIdentity(directory).load()).listenerId === listenerId, 'an identity stays the same')
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        promise(/^store-(corrupt|newer)$/.test(error.code), 'a bad file is refused as such')
        promise(store.problem() !== undefined, 'a bad file is told of')
      }
      promise(readFileSync(path).equals(bytes), 'the file is left as it is')
    },
    close: () => rmSync(directory, { recursive: true }),
  }
}
