// Hours at a moderate load (scaled: 30 minutes unless `--soak-minutes` says otherwise): what grows slowly shows in nothing shorter.
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { inject, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { type Finding, leftOut, scenario } from './scenario.ts'
import type { SoakPlan, SoakTally } from './soak-load.ts'
import { healthMs, type Sample, SoakedHookline } from './soak-server.ts'

const FIRES_PER_SECOND = 200
const HOOKS = 8
/** 50 pages, of which 20 leave and come back in turn. */
const STAYING = 30
const RESTLESS = 20
const RECONNECTS_PER_SECOND = 5

const SAMPLE_MS = 10_000
/** A short soak samples more often: this many times at least. */
const LEAST_SAMPLES = 30
/** The share of the time in which code is compiled and buffers find their size. */
const WARM_UP = 1 / 6
const HEALTH_EVERY_MS = 100
const HEALTH_P99_MS = 50
const DRIFT = 0.05

const { soakMinutes } = inject('faultOptions')
const title = `${FIRES_PER_SECOND} fires/s, ${STAYING + RESTLESS} pages, ${RECONNECTS_PER_SECOND} reconnects/s for ${soakMinutes} min`
const wanted = `all 200, every line to all that stay, RSS (after GC) and fds ±5 %, /health p99 < ${HEALTH_P99_MS} ms`

if (soakMinutes === 0) leftOut('soak', 'hours of fires and reconnects', wanted, 'ask for it: npm run faults -- --soak')
else scenario('soak', title, wanted, () => soak(soakMinutes * 60_000), soakMinutes + 3)

async function soak(durationMs: number): Promise<Finding> {
  const directory = tempDirectory()
  const plan = await preparePlan(directory, durationMs)
  const server = await SoakedHookline.listening(directory)
  const load = await startLoad(plan)
  const ended = once(load, 'message') as Promise<[SoakTally]>
  const { samples, healths } = await observe(server, durationMs)
  const [tally] = await Promise.race([ended, once(load, 'exit').then(() => Promise.reject(new Error('the load died')))])
  return judge(tally, samples, healths)
}

async function preparePlan(directory: string, durationMs: number): Promise<SoakPlan> {
  const store = openHookStore(directory)
  const hooks = []
  for (let index = 0; index < HOOKS; index++) {
    hooks.push(await store.create({ name: `hook-${index}`, command: `echo line of hook ${index}` }))
  }
  const clientIds = Array.from({ length: STAYING + RESTLESS }, () => randomUUID())
  const clients = clientIds.map((clientId) => ({ clientId, label: 'soak', origin: ORIGIN, approvedAt: 1 }))
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients }))
  return {
    durationMs,
    firesPerSecond: FIRES_PER_SECOND,
    hooks: hooks.map(({ id, secret }) => ({ id, secret })),
    staying: clientIds.slice(0, STAYING),
    restless: clientIds.slice(STAYING),
    reconnectsPerSecond: RECONNECTS_PER_SECOND,
  }
}

async function startLoad(plan: SoakPlan): Promise<ChildProcess> {
  const outfile = join(tempDirectory(), 'soak-load.cjs')
  const entry = join(import.meta.dirname, 'soak-load.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node20', format: 'cjs' })
  const load = fork(outfile, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  onTestFinished(() => void load.kill('SIGKILL'))
  load.send(plan)
  return load
}

interface Observed {
  /** After the warm-up, as all here. */
  readonly samples: readonly Sample[]
  readonly healths: readonly number[]
}

async function observe(server: SoakedHookline, durationMs: number): Promise<Observed> {
  const startedAt = performance.now()
  const sampleMs = Math.min(SAMPLE_MS, durationMs / LEAST_SAMPLES)
  const isOver = () => performance.now() - startedAt >= durationMs
  const isWarm = () => performance.now() - startedAt >= durationMs * WARM_UP
  const samples: Sample[] = []
  const healths: number[] = []
  const sampling = async () => {
    for (await sleep(sampleMs); !isOver(); await sleep(sampleMs)) {
      const sample = await server.sample()
      if (isWarm()) samples.push(sample)
    }
  }
  const asking = async () => {
    for (await sleep(HEALTH_EVERY_MS); !isOver(); await sleep(HEALTH_EVERY_MS)) {
      const ms = await healthMs()
      if (isWarm()) healths.push(ms)
    }
  }
  await Promise.all([sampling(), asking()])
  return { samples, healths }
}

function judge(tally: SoakTally, samples: readonly Sample[], healths: readonly number[]): Finding {
  const rss = compareEnds(samples.map(({ rssBytes }) => rssBytes / 2 ** 20))
  const heap = compareEnds(samples.map(({ heapBytes }) => heapBytes / 2 ** 20))
  const descriptors = compareEnds(samples.map((sample) => sample.descriptors))
  const healthP99 = percentile(healths, 0.99)
  const delayP99 = Math.max(...samples.map(({ delayP99Ms }) => delayP99Ms))
  const refused = Object.values(tally.refused).reduce((sum, count) => sum + count, 0)
  console.log(
    `${JSON.stringify({ ...tally, failed: tally.failed.slice(0, 5) })}\nheap ${heap.first.toFixed(2)}→${heap.last.toFixed(2)} MiB, event loop p99 ≤ ${delayP99.toFixed(1)} ms`,
  )
  const lost = tally.astray + tally.hungUp + tally.failed.length
  return {
    got: [
      `${tally.fires} × 200, ${refused} not, ${lost} lost`,
      `RSS ${rss.first.toFixed(1)}→${rss.last.toFixed(1)} MiB`,
      `fds ${descriptors.first}→${descriptors.last}`,
      `p99 ${healthP99.toFixed(1)} ms`,
    ].join('; '),
    holds:
      tally.fires > 0 &&
      tally.lines === tally.fires * STAYING * 2 &&
      refused + lost === 0 &&
      Math.max(rss.drift, descriptors.drift) <= DRIFT &&
      healthP99 < HEALTH_P99_MS,
  }
}

/** The medians of the first fifth and of the last. */
function compareEnds(figures: readonly number[]): { first: number; last: number; drift: number } {
  const fifth = Math.max(1, Math.floor(figures.length / 5))
  const first = percentile(figures.slice(0, fifth), 0.5)
  const last = percentile(figures.slice(-fifth), 0.5)
  return { first, last, drift: Math.abs(last - first) / first }
}

function percentile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN
}
