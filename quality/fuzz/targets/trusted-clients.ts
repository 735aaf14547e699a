// `trusted-clients.json`: who the operator has approved.

import { openTrustedClients, type Standing, type TrustedClient } from '../../../src/stores/trusted-clients.ts'
import { showTime } from '../../../src/trading/figures.ts'
import { isFields, storeTarget, UUID } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const client = { clientId: UUID, label: 'Console', origin: 'http://127.0.0.1:53220', approvedAt: 1_773_239_400_000 }
const OURS = { clientId: 'fuzz-fuzz-fuzz', label: '', origin: 'https://fuzz.test' }

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'trusted-clients.json',
    open(directory) {
      const store = openTrustedClients(directory)
      return {
        read: () => ({ list: store.list(), standing: store.standingOf(client) }),
        problem: store.problem,
        problems: store.problems,
        async write() {
          await store.add(OURS)
          await store.revoke(OURS.clientId)
        },
      }
    },
    seeds: [{ clients: [client, { ...client, clientId: 'x', note: 'mine' }], version: 1 }, { clients: [] }],
    words: ['clients', ...Object.keys(client), OURS.clientId, 'x'.repeat(64), 'x'.repeat(65)],
    forget: (content: { readonly clients: readonly unknown[] }) => ({
      ...content,
      clients: content.clients.filter((row) => !isFields(row) || row.clientId !== OURS.clientId),
    }),
    check(store) {
      const { list, standing } = store.read() as { list: readonly TrustedClient[]; standing: Standing }
      for (const { approvedAt } of list) promise(showTime(approvedAt) !== '', 'a time can be shown')
      const rows = list.filter(({ clientId }) => clientId === UUID)
      const isHere = ({ origin }: TrustedClient) => origin.replace(/\/$/, '') === client.origin
      const isKeyed = rows.some(({ key }) => key !== undefined)
      promise(standing !== 'trusted' || rows.some(isHere), 'trusted is who stands in the file, on that origin')
      promise(
        standing !== 'trusted' || !rows.filter(isHere).every(({ key }) => key),
        'a row with a key trusts none without',
      )
      promise(
        isKeyed || (standing === 'trusted') === rows.some(isHere),
        'a row without a key is enough for one without',
      )
    },
  })
