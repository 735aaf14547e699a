// The tiers of the tests, each a project: a file's name says to which it belongs. CONTRIBUTING.md says what each may do, and
// test/tiers.test.ts holds the files to it. No test is tried twice.
import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findOwnNetwork } from './harness/network/own-network.ts'
import { ownNetworkPool } from './harness/network/own-network-pool.ts'
import { PATIENCE_MS } from './harness/patience.ts'

/** What takes longest, mostly to wait. One that begins last would be waited for alone. */
const LONG =
  /\/(task-stops|crowds|(okx|binance)\.contract|secrets|departed-runs|hostile-peers|stop-matrix|models\/(bybit|bitget|gate)\.port|attached-stop|okx-pair|own-streams|desk\.e2e|hosted\.e2e|pairing|accessibility)/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const network = findOwnNetwork()

/** Most of what these tiers do is to wait for processes and pages. */
const WAITING = { maxWorkers: 2 * availableParallelism() }

/** Files that need fixed ports run side by side where each can have a network of its own. */
const onFixedPorts: TestProjectInlineConfiguration['test'] =
  'prefix' in network ? { pool: ownNetworkPool(network.prefix), ...WAITING } : { fileParallelism: false }

/** For a whole test, which waits for several things. */
const TEST_MS = 4 * PATIENCE_MS
const waits = { testTimeout: TEST_MS, hookTimeout: TEST_MS, expect: { poll: { timeout: PATIENCE_MS } } }

/** Forked, for a stack and a umask as programs have them; not isolated, for the second edit to be as quick as the first. */
const pure: TestProjectInlineConfiguration['test'] = {
  setupFiles: ['harness/tiers/pure.ts'],
  pool: 'forks',
  isolate: false,
}

export default defineConfig({
  test: {
    reporters: ['default'],
    // Not one fewer than there are cores, as by default: on two cores that would be one.
    maxWorkers: availableParallelism(),
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.{sim,node,port,registry}.test.ts'],
          ...pure,
          ...waits,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'sim',
          include: ['test/**/*.sim.test.ts'],
          ...pure,
          ...waits,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/**/*.node.test.ts'],
          ...waits,
          ...WAITING,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'port',
          include: ['test/**/*.port.test.ts'],
          globalSetup: ['harness/network/announce.ts', 'harness/network/proxies.ts'],
          // The program is imported once by each worker, not by each of its files: that was a third of what the tier computes.
          isolate: false,
          ...waits,
          sequence: { groupOrder: 2 },
          ...onFixedPorts,
        },
      },
      {
        // Needs the fixed ports and the package registry, which no network of its own reaches.
        test: {
          name: 'registry',
          include: ['test/**/*.registry.test.ts'],
          fileParallelism: false,
          ...waits,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup: ['e2e/chromium.ts', 'harness/network/announce.ts'],
          // A worker has one browser; each page that a test opens has a profile of its own.
          isolate: false,
          ...waits,
          sequence: { groupOrder: 4 },
          ...onFixedPorts,
        },
      },
    ],
  },
})
