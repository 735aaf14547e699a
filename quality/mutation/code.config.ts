import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { mutateCode } from './code-plugin.ts'

const root = resolve(import.meta.dirname, '../..')
const files = (process.env.MUTATION_FILES ?? '').split(',').map((file) => resolve(root, file))
const SHARDS = Number(process.env.MUTATION_SHARDS ?? '1')

export default defineConfig({
  plugins: [mutateCode(files)],
  test: {
    root,
    maxWorkers: SHARDS,
    dangerouslyIgnoreUnhandledErrors: true,
    projects: Array.from({ length: SHARDS }, (_, shard) => ({
      plugins: [mutateCode(files)],
      test: {
        name: `shard ${shard}`,
        root,
        include: ['quality/mutation/code.mutation.ts'],
        globals: true,
        pool: 'forks' as const,
        testTimeout: 7_200_000,
        dangerouslyIgnoreUnhandledErrors: true,
        env: { MUTATION_SHARD: `${shard}/${SHARDS}` },
        alias: [{ find: /^vitest$/, replacement: `${import.meta.dirname}/collected.ts` }],
      },
    })),
  },
})
