// The tiers of the tests, each a project: a file's name says to which it belongs. CONTRIBUTING.md says what each may do, and
// test/tiers.test.ts holds the files to it. No test is tried twice.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findOwnNetwork } from './harness/network/own-network.ts'
import { ownNetworkPool } from './harness/network/own-network-pool.ts'
import { PATIENCE_MS } from './harness/patience.ts'

/** Of the files that take 8 s or more, on an idle machine of two cores. */
const MEASURED_SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('harness/tiers/measured-seconds.json', import.meta.url), 'utf8'),
)

/** Of the tiers that run side by side, which begins; a worker that changes its tier starts anew. */
const TIERS = ['sim', 'unit', 'models', 'node', 'port', 'registry', 'e2e']

/** A long file that begins last would be waited for alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => TIERS.indexOf(project.name)
    const seconds = ({ moduleId }: TestSpecification) =>
      MEASURED_SECONDS[relative(import.meta.dirname, moduleId).replaceAll('\\', '/')] ?? 0
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rank(a) - rank(b) || seconds(b) - seconds(a))
  }
}

const MODELS = 'test/exchanges/models/*.node.test.ts'

const network = findOwnNetwork()

type Parallel = NonNullable<TestProjectInlineConfiguration['test']>

/** These files start processes, and compute meanwhile. */
const STARTING: Parallel = { maxWorkers: 4 * availableParallelism(), sequence: { groupOrder: 1 } }

/** These mostly wait: for a clock, and for what a venue tells once a second. */
const WAITING: Parallel = { maxWorkers: 4 * availableParallelism(), sequence: { groupOrder: 2 } }

/** Pages compute as much as they wait. */
const BROWSING: Parallel = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 3 } }

/**
 * Files on fixed ports run side by side where each can have a network of its own; elsewhere one after another, tier by tier.
 * @param together how they run side by side @param groupOrder elsewhere
 */
function onFixedPorts(together: Parallel, groupOrder: number): Parallel {
  return 'prefix' in network ? together : { fileParallelism: false, sequence: { groupOrder } }
}

/** On a disk in CI, where a file that is written anew may get the inode of the one before. */
const FILES = process.env.CI ? [] : ['harness/tiers/memory-files.ts']

const ownNetwork: Parallel =
  'prefix' in network
    ? { pool: ownNetworkPool(network.prefix), setupFiles: [...FILES, 'harness/network/freed-ports.ts'] }
    : { setupFiles: FILES }

/** For a whole test, which waits for several things. */
const TEST_MS = 4 * PATIENCE_MS
const waitsBy = (interval: number) => ({
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  expect: { poll: { timeout: PATIENCE_MS, interval } },
})
const waits = waitsBy(50)

/** Forked, for a stack and a umask as programs have them; not isolated, for the second edit to be as quick as the first. */
const pure: TestProjectInlineConfiguration['test'] = {
  setupFiles: ['harness/tiers/pure.ts'],
  pool: 'forks',
  isolate: false,
  // What is polled is in memory, or in a file in memory.
  ...waitsBy(5),
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
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'sim',
          include: ['test/**/*.sim.test.ts'],
          ...pure,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/**/*.node.test.ts'],
          exclude: [MODELS],
          isolate: false,
          setupFiles: FILES,
          ...waits,
          ...STARTING,
        },
      },
      {
        // Of the node tier, in workers of their own: the models' clock is there before the library that keeps the timers it finds.
        test: {
          name: 'models',
          include: [MODELS],
          isolate: false,
          setupFiles: FILES,
          ...waits,
          ...STARTING,
        },
      },
      {
        test: {
          name: 'port',
          include: ['test/**/*.port.test.ts'],
          globalSetup: ['harness/network/announce.ts', 'harness/network/real-servers.ts'],
          // The program is imported once by each worker, not by each of its files: that was a third of what the tier computes.
          isolate: false,
          ...waits,
          ...ownNetwork,
          ...onFixedPorts(WAITING, 4),
        },
      },
      {
        // Needs the package registry, which no network of its own reaches, and the fixed ports: one test at a time locks them.
        test: {
          name: 'registry',
          include: ['test/**/*.registry.test.ts'],
          ...waits,
          ...onFixedPorts(BROWSING, 5),
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup: ['e2e/chromium.ts', 'harness/network/announce.ts'],
          // A worker has one browser, and one page that tests of ordinary ones have one after another.
          isolate: false,
          ...waits,
          // Each question to a page costs its process, the browser's and the worker's.
          expect: { poll: { timeout: PATIENCE_MS, interval: 100 } },
          ...ownNetwork,
          ...onFixedPorts(BROWSING, 6),
        },
      },
    ],
  },
})
