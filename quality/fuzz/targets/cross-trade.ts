// `cross-trade.json`: which account's positions are mirrored onto which others.
import { decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { type CrossTradeConfig, openCrossTrade, scrubCrossTradeConfig } from '../../../src/stores/cross-trade.ts'
import { isFields, storeTarget, UUID } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const copier = { account: 'swing', weight: 0.5, mode: 'Market' as const }
const config = { id: UUID, enabled: true, masterAccount: 'paper', masterWeight: 1, copiers: [copier], updatedAt: 1 }
const OURS = 'b1f2c3d4-5a6b-4c7d-8e9f-0a1b2c3d4e5f'

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'cross-trade.json',
    open(directory) {
      const store = openCrossTrade(directory)
      return {
        read: () => ({ list: store.list(), all: store.all() }),
        problem: store.problem,
        problems: store.problems,
        async write() {
          await store.merge({ ...config, id: OURS })
          await store.remove(OURS, 2)
        },
      }
    },
    seeds: [
      {
        configs: [
          config,
          { ...config, id: OURS, masterSymbol: 'ETHUSDT', copiers: [{ ...copier, symbol: 'BTCUSDT' }] },
        ],
        version: 1,
      },
      { configs: [{ ...config, deletedAt: 1_773_239_400_000 }] },
    ],
    words: ['configs', ...Object.keys(config), ...Object.keys(copier), 'deletedAt', OURS, 'Chase', 'LimitSlippage'],
    // Tombstones older than 30 days go with any write.
    forget: (content: { readonly configs: readonly unknown[] }) => ({
      ...content,
      configs: content.configs.filter((row) => !isFields(row) || (row.id !== OURS && !('deletedAt' in row))),
    }),
    check(store) {
      const { list } = store.read() as { list: readonly CrossTradeConfig[] }
      const configs = list.map(scrubCrossTradeConfig)
      const frame = encodeFrame({
        t: 'state:cross-trade',
        running: false,
        configCount: configs.length,
        configs: configs.map((row) => ({ ...row, copiers: [...row.copiers] })),
      })
      promise(decodeServerFrame(frame).ok, 'a page can read what a good file holds')
    },
  })
