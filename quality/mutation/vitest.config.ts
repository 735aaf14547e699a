import { defineConfig } from 'vitest/config'

const root = `${import.meta.dirname}/../..`

/** Two at a time, each in a process of its own: a venue is spoiled in memory. */
export default defineConfig({
  test: {
    root,
    include: ['quality/mutation/*.mutation.ts'],
    ...{ globals: true, pool: 'forks', maxWorkers: 2, testTimeout: 1_800_000, hookTimeout: 120_000 },
    alias: [{ find: /^vitest$/, replacement: `${import.meta.dirname}/collected.ts` }],
  },
})
