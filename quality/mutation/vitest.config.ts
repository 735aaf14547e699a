import { defineConfig } from 'vitest/config'

const root = `${import.meta.dirname}/../..`
const SHARDS = 4

/** Each shard of the venues in a process of its own: a profile is changed in memory. */
export default defineConfig({
  test: {
    root,
    maxWorkers: SHARDS,
    projects: Array.from({ length: SHARDS }, (_, shard) => ({
      test: {
        name: `shard ${shard}`,
        root,
        include: ['quality/mutation/venues.mutation.ts'],
        globals: true,
        pool: 'forks' as const,
        testTimeout: 3_600_000,
        env: { MUTATION_SHARD: `${shard}/${SHARDS}` },
        alias: [{ find: /^vitest$/, replacement: `${import.meta.dirname}/collected.ts` }],
      },
    })),
  },
})
