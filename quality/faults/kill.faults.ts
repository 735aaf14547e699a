// kill -9 at any moment, on one directory: what a round leaves behind is what the next one finds. `FAULTS_SEED` repeats the choices of a
// run; what the machine makes of them is new each time.
import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../harness/random/random.ts'
import { rawRequest } from '../../harness/wire/raw-http.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { type Hook, openHookStore } from '../../src/stores/hooks.ts'
import { ageLocks } from './kill/age-locks.ts'
import { BrokenPromises } from './kill/broken-promises.ts'
import { bundleHookEditor, HookEditor } from './kill/hook-editor.ts'
import { FIRED_AMOUNT, MARK_SYMBOL } from './kill/order-ledger.ts'
import { Promises } from './kill/promises.ts'
import { Traffic } from './kill/traffic.ts'
import { type Finding, scenario } from './scenario.ts'

const FIXED = {
  echo: 'echo ok',
  slow: 'echo begin; sleep 50ms; echo end',
  long: 'echo begin; sleep 10m',
  buying: `buy ${FIRED_AMOUNT} ${MARK_SYMBOL}`,
  selling: `sell ${FIRED_AMOUNT} ${MARK_SYMBOL}`,
}

const STARTING_SHARE = 0.15
const ON_AN_ANSWER_SHARE = 0.25
/** Of the others, those whose time counts from when the page is let in, and not from the first fire. */
const WHOLE_SHARE = 0.75
const LATEST_KILL_MS = 300
const START_UP_MS = 200
const ANSWERS = 200
const EDITOR_KILLED_SHARE = 0.2
/** The next start must answer within so long. */
const START_MS = 1_000
const PATIENCE_MS = 15_000

const { rounds } = inject('faultOptions')

scenario(
  'kill',
  `kill -9 at a random moment of random work, ${rounds} times on one directory`,
  `every 200 and ack is kept, nothing runs twice or is torn, next start < ${START_MS / 1_000} s`,
  () => killAgainAndAgain(Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31))),
  3 + rounds / 60,
)

interface World {
  readonly directory: string
  readonly random: Random
  readonly promises: Promises
  readonly editor: HookEditor
  readonly clientId: string
  readonly fixed: readonly Hook[]
  readonly startsMs: number[]
}

async function killAgainAndAgain(seed: number): Promise<Finding> {
  const broken = new BrokenPromises()
  const world = await createWorld(createRandom(seed), broken)
  let round = 0
  while (round < rounds && broken.size === 0) {
    round++
    // The first one makes the files that later ones only change.
    if (round > 1 && world.random.chance(STARTING_SHARE)) await killWhileStarting(world)
    else await killAtWork(world)
  }
  if (broken.size === 0) await startAndStop(world)
  if (broken.size > 0) console.log(`seed ${seed}, round ${round}:\n${broken.inWords()}`)
  const { promises, startsMs } = world
  const starts = startsMs.slice(1).toSorted((a, b) => a - b)
  const slowest = starts.at(-1) ?? Number.NaN
  const median = starts[Math.floor(starts.length / 2)] ?? Number.NaN
  console.log(
    `${promises.orders.told} orders, ${promises.hooks.confirmed} hook edits, ${promises.interrupted} interrupted runs told`,
  )
  return {
    got: [
      `${round} kills: ${promises.fires} × 200, ${promises.acks} acks`,
      (['lost', 'twice', 'torn', 'wrong'] as const).map((breach) => `${broken.count(breach)} ${breach}`).join(', '),
      `start ${median.toFixed(0)}, ≤ ${slowest.toFixed(0)} ms`,
    ].join('; '),
    holds: round === rounds && broken.size === 0 && slowest < START_MS,
  }
}

async function createWorld(random: Random, broken: BrokenPromises): Promise<World> {
  const directory = tempDirectory()
  const clientId = randomUUID()
  const client = { clientId, label: 'random', origin: ORIGIN, approvedAt: 1 }
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [client] }))
  const store = openHookStore(directory)
  const fixed: Hook[] = []
  for (const [name, command] of Object.entries(FIXED)) fixed.push(await store.create({ name, command }))
  const promises = new Promises(directory, fixed, broken)
  const editor = new HookEditor(await bundleHookEditor(tempDirectory()), directory)
  return { directory, random, promises, editor, clientId, fixed, startsMs: [] }
}

async function killWhileStarting(world: World): Promise<void> {
  const hookline = new RunningHookline(world.directory, ['listen'])
  await sleep(world.random.below(START_UP_MS))
  hookline.signal('SIGKILL')
  await hookline.ended()
  await settle(world, hookline)
}

async function killAtWork(world: World): Promise<void> {
  const { random, editor } = world
  const hookline = new RunningHookline(world.directory, ['listen'])
  world.startsMs.push(await untilHealthy(hookline.pid))
  const traffic = new Traffic({ ...world, random: random.fork() })
  const answers = traffic.answers(1 + random.below(ANSWERS))
  const whole = traffic.start()
  if (random.chance(ON_AN_ANSWER_SHARE)) await inTime('an answer', answers, world)
  else {
    if (random.chance(WHOLE_SHARE)) await inTime('a welcome', whole, world)
    await sleep(random.below(LATEST_KILL_MS))
  }
  hookline.signal('SIGKILL')
  if (random.chance(EDITOR_KILLED_SHARE)) await editor.kill()
  await hookline.ended()
  ageLocks(world.directory)
  await traffic.stop()
  await editor.idle()
  await settle(world, hookline)
}

async function inTime(what: string, expected: Promise<void>, { promises }: World): Promise<void> {
  const come = new AbortController()
  const late = sleep(PATIENCE_MS, true, { signal: come.signal }).catch(() => false)
  const isLate = await Promise.race([expected, late])
  come.abort()
  if (isLate) promises.broken.add('wrong', `${what} has not come in ${PATIENCE_MS} ms`)
}

async function settle({ promises, directory }: World, hookline: RunningHookline): Promise<void> {
  const told = /(\d+) runs? (?:was|were) interrupted/.exec(hookline.stdout)?.[1]
  promises.settle(hookline.pid, told === undefined ? undefined : Number(told))
  ageLocks(directory)
}

/** Asks until this very process answers. @returns how long that took */
async function untilHealthy(pid: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n').catch(() => undefined)
    if (answer?.status === 200 && JSON.parse(answer.body).pid === pid) return performance.now() - startedAt
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error('hookline does not listen')
    await sleep(1)
  }
}

/** The last start after all that: it tells of what the last kill cut off, and ends as asked. */
async function startAndStop(world: World): Promise<void> {
  const hookline = await RunningHookline.listening(world.directory)
  const { status } = await rawRequest('GET /health HTTP/1.1\r\nHost: 127.0.0.1:53219\r\n\r\n')
  world.promises.broken.expect(status === 200, 'wrong', `/health was answered ${status}`)
  hookline.signal('SIGTERM')
  const { code } = await hookline.ended()
  world.promises.broken.expect(code === 0, 'wrong', `the last one ended with ${code}`)
  await settle(world, hookline)
  for (const line of readFileSync(join(world.directory, 'hookline.log'), 'utf8').split('\n')) {
    world.promises.broken.expect(!line.includes('internal error'), 'wrong', `a bug in the log: ${line}`)
  }
}
