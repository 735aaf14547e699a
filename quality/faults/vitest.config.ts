import { defineConfig } from 'vitest/config'
import { PATIENCE_MS } from '../../harness/patience.ts'

/** One scenario after another: most of them own 127.0.0.1:53219, and all of them want the machine for themselves. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['quality/faults/**/*.faults.ts'],
    fileParallelism: false,
    hookTimeout: 60_000,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
})
