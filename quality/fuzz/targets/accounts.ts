// `accounts.json`: names, venues and keys.

import { decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { openAccountStore, scrubAccount } from '../../../src/stores/accounts.ts'
import { showTime } from '../../../src/trading/figures.ts'
import { isFields, SECRET, storeTarget } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const row = { name: 'paper', exchange: 'paper', createdAt: 1_773_239_400_000, updatedAt: 1_773_239_400_000 }
const OURS = 'fuzzer'

interface Content {
  readonly accounts: readonly unknown[]
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'accounts.json',
    open(directory) {
      const store = openAccountStore(directory)
      return {
        read: () => ({ list: store.list(), one: store.find('paper') }),
        problem: store.problem,
        problems: store.problems,
        async write() {
          await store.merge({ name: OURS, exchange: 'paper', createdAt: 1, updatedAt: 1, apiKey: 'k' })
          await store.merge({ name: OURS, exchange: 'paper', createdAt: 1, updatedAt: 2 })
        },
      }
    },
    seeds: [
      {
        accounts: [row, { ...row, name: 'main', exchange: 'binance', apiKey: SECRET, secret: SECRET, note: 'mine' }],
        version: 1,
      },
      {
        accounts: [
          { ...row, deletedAt: 1_773_239_400_000 },
          { ...row, name: OURS, updatedAt: 0 },
        ],
      },
    ],
    words: ['accounts', ...Object.keys(row), 'apiKey', 'secret', 'password', 'deletedAt', OURS, 'Paper'],
    // Tombstones older than 30 days go with any write.
    forget: (content: Content) => ({
      ...content,
      accounts: content.accounts.filter(
        (account) => !isFields(account) || (account.name !== OURS && !('deletedAt' in account)),
      ),
    }),
    check(store) {
      const { list } = store.read() as { list: readonly (typeof row)[] }
      for (const { createdAt } of list) promise(showTime(createdAt) !== '', 'a time can be shown')
      const frame = encodeFrame({ t: 'state:accounts', accounts: list.map(scrubAccount) })
      // A key that stands where a name should is a name.
      const isNamedSo = list.some(({ name, exchange }) => `${name} ${exchange}`.includes(SECRET))
      promise(isNamedSo || !frame.includes(SECRET), 'no key leaves')
      promise(!/"(apiKey|secret|password)":/.test(frame), 'no field for a key leaves')
      promise(decodeServerFrame(frame).ok, 'a page can read what a good file holds')
    },
  })
