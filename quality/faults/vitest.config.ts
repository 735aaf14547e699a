import { defineConfig } from 'vitest/config'
import { findOwnNetwork } from '../../harness/network/own-network.ts'
import { ownNetworkPool } from '../../harness/network/own-network-pool.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const network = findOwnNetwork()
const VENUES = 'quality/faults/venues/**/*.faults.ts'
const root = `${import.meta.dirname}/../..`
const waits = { hookTimeout: 60_000, expect: { poll: { timeout: PATIENCE_MS } } }

/** One scenario after another: most of them own 127.0.0.1:53219, and all of them want the machine for themselves. */
export default defineConfig({
  test: {
    root,
    fileParallelism: false,
    projects: [
      {
        test: {
          name: 'machine',
          root,
          include: ['quality/faults/**/*.faults.ts'],
          exclude: [VENUES],
          fileParallelism: false,
          sequence: { groupOrder: 0 },
          ...waits,
        },
      },
      {
        // Under the venues' own names, which there are in a network of its own only.
        test: {
          name: 'venues',
          root,
          include: [VENUES],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...waits,
          ...('prefix' in network ? { pool: ownNetworkPool(network.prefix) } : {}),
        },
      },
    ],
  },
})
