import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { mutateCode } from './code-plugin.ts'

const root = resolve(import.meta.dirname, '../..')
const files = (process.env.MUTATION_FILES ?? '').split(',').map((file) => resolve(root, file))

/** One process: a switch is a variable of it. */
export default defineConfig({
  plugins: [mutateCode(files)],
  test: {
    root,
    include: ['quality/mutation/code.mutation.ts'],
    globals: true,
    pool: 'forks',
    testTimeout: 7_200_000,
    // What a changed line leaves running fails after its test.
    dangerouslyIgnoreUnhandledErrors: true,
    alias: [{ find: /^vitest$/, replacement: `${import.meta.dirname}/collected.ts` }],
  },
})
