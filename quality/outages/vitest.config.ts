import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { findOwnNetwork } from '../../harness/network/own-network.ts'
import { ownNetworkPool } from '../../harness/network/own-network-pool.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const network = findOwnNetwork()
const root = `${import.meta.dirname}/../..`

/** One after another where all share 127.0.0.1:53219; else as many at once as there are cores. */
export default defineConfig({
  test: {
    root,
    include: ['quality/outages/*.outages.ts'],
    maxWorkers: availableParallelism(),
    hookTimeout: 60_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    ...('prefix' in network ? { pool: ownNetworkPool(network.prefix) } : { fileParallelism: false }),
  },
})
