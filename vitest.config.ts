import { defineConfig } from 'vitest/config'

// Four projects: `layers` checks who imports whom; `unit` needs no fixed port and runs in parallel; `port` owns
// 127.0.0.1:53219 and therefore runs one file after another, after the others; `browser` does so after it, with a real Chromium.
/** On a shared machine a deadline can be missed once; what needs its second try is shown as such, and is a bug to mend. */
const retry = process.env.CI ? 1 : 0

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      { test: { name: 'layers', include: ['test/layers.test.ts'], sequence: { groupOrder: 0 } } },
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/layers.test.ts', 'test/**/*.port.test.ts'],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'port',
          include: ['test/**/*.port.test.ts'],
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          retry,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup: ['e2e/chromium.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
