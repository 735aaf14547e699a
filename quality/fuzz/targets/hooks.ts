// `hooks.json`: the registered commands and their secrets.

import { decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { openHookStore, scrubHook } from '../../../src/stores/hooks.ts'
import { showTime } from '../../../src/trading/figures.ts'
import { SECRET, storeTarget } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const hook = { id: '0'.repeat(32), name: 'dip', secret: SECRET, command: 'buy $250', createdAt: 1_773_239_400_000 }

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'hooks.json',
    open(directory) {
      const store = openHookStore(directory)
      return {
        read: () => ({ list: store.list(), one: store.findOncePerTurn(hook.id) }),
        problem: store.problem,
        problems: store.problems,
        async write() {
          const { id } = await store.create({ name: 'Fuzz', command: 'echo fuzz', account: 'paper' })
          await store.rotate(id.slice(0, 16))
          await store.revoke(id)
        },
      }
    },
    seeds: [
      {
        hooks: [
          hook,
          { ...hook, id: '1'.repeat(32), name: 'rip', account: 'paper', note: 'mine' },
          { ...hook, id: 'short' },
        ],
        version: 1,
      },
      { hooks: [] },
    ],
    words: ['hooks', ...Object.keys(hook), 'account', hook.id, 'Fuzz', 'F'.repeat(32)],
    check(store) {
      const { list } = store.read() as { list: readonly (typeof hook)[] }
      for (const { createdAt } of list) promise(showTime(createdAt) !== '', 'a time can be shown')
      const frame = encodeFrame({ t: 'state:hooks', hooks: list.map(scrubHook) })
      promise(!frame.includes('"secret":'), 'no secret leaves')
      promise(decodeServerFrame(frame).ok, 'a page can read what a good file holds')
    },
  })
