// `cross-trade-running.json`: the heartbeat of the process that runs the cross-trade engine.
import { decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { openCrossTradeEngine } from '../../../src/stores/cross-trade.ts'
import { storeTarget, UUID } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const NOW = 1_773_239_400_000
const beat = { pid: 4711, startedAt: NOW - 60_000, heartbeatAt: NOW - 1_000, configIds: [UUID] }
const copier = {
  configId: UUID,
  account: 'swing',
  symbol: 'BTCUSDT',
  state: 'blocked',
  desired: '1',
  owned: '0',
  why: 'x',
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'cross-trade-running.json',
    open(directory) {
      const engine = openCrossTradeEngine(directory, () => NOW)
      return {
        read() {
          const state = engine.read()
          const frame = encodeFrame({ t: 'state:cross-trade', ...state, configCount: 0, configs: [] })
          promise(decodeServerFrame(frame).ok, 'a page can read what a heartbeat tells')
          // Nobody is told of a bad heartbeat: it only means that nothing runs, and what a good one said before is told still.
          return null
        },
        problem: () => undefined,
        problems: () => [],
      }
    },
    seeds: [beat, { ...beat, copiers: [copier] }, { ...beat, heartbeatAt: NOW - 15_001 }, {}],
    words: [...Object.keys(beat), ...Object.keys(copier), String(NOW)],
  })
