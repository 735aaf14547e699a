// Faults of senders and of what they start: the same alert again, bodies of every kind, commands that fail, a process that dies
// between accepting and running, a clock that jumps.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import {
  BINARY,
  type CreatedHook,
  createHook,
  LISTENING,
  RunningHookline,
  run,
} from '../../harness/process/hookline.ts'
import { findingOf } from './checks.ts'
import { checkJump } from './clock-jump.ts'
import { type Fired, fire, runIdsOf, tellStatuses, writeHooks } from './fire-hook.ts'
import { ALERT, BODIES, CONTENT_TYPES, FAILING_COMMANDS } from './hostile-bodies.ts'
import { countOnce, readJournal, runsEnded } from './journal-lines.ts'
import {
  BUY,
  countBought,
  killWhileFiring,
  killWithQueue,
  QUEUE,
  type StartIntoFires,
  startIntoFires,
} from './killed-runs.ts'
import { startUnder } from './launchers.ts'
import { scenario } from './scenario.ts'

interface Listening {
  readonly directory: string
  readonly hook: CreatedHook
  readonly hookline: RunningHookline
}

async function listenWith(command = 'echo seen'): Promise<Listening> {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'alert', command)
  return { directory, hook, hookline: await RunningHookline.listening(directory) }
}

/** What came of fires that are all meant to run: as a finding. */
async function eachIsOneRun({ directory, hookline }: Listening, fired: readonly Fired[]) {
  const runIds = runIdsOf(fired)
  const once = countOnce(await runsEnded(directory, runIds), runIds)
  const countPrinted = () => hookline.stdout.split('[hook:alert] seen\n').length - 1
  await expect.poll(countPrinted, { timeout: 5_000 }).toBe(fired.length)
  const printed = countPrinted()
  return {
    got: `${tellStatuses(fired)}; ${once} of ${fired.length} run exactly once, ${printed} printed`,
    holds: fired.every(({ status }) => status === 200) && once === fired.length && printed === fired.length,
  }
}

scenario(
  32,
  'a sender resends the same body after 5, 10 and 15 s',
  'each POST is answered 200 and is one run: repeats are not recognised (PROTOCOL.md)',
  async () => {
    const listening = await listenWith()
    const fired: Fired[] = []
    for (let sent = 0; sent < 4; sent++) {
      if (sent > 0) await sleep(5_000)
      fired.push(await fire(listening.hook, { body: ALERT, headers: { 'Content-Type': 'application/json' } }))
    }
    return eachIsOneRun(listening, fired)
  },
)

scenario(
  33,
  'two different bodies come under one id, in the body and in three headers',
  'the two headers of PROTOCOL.md are one key and one run; other ids are not read, and nothing of them is swallowed',
  async () => {
    const listening = await listenWith()
    const fired: Fired[] = []
    const send = (name: string, side: string) =>
      fire(listening.hook, {
        body: JSON.stringify({ id: 'alert-1', side }),
        headers: { 'Content-Type': 'application/json', [name]: 'alert-1' },
      })
    const keyed: Fired[] = []
    for (const side of ['buy', 'sell']) {
      keyed.push(await send('webhook-id', side), await send('Idempotency-Key', side))
      fired.push(await send('X-GitHub-Delivery', side))
    }
    const [first] = keyed
    if (first !== undefined) fired.push(first)
    const isOne = new Set(keyed.map(({ runId }) => runId)).size === 1
    const finding = await eachIsOneRun(listening, fired)
    return { got: `${finding.got}; ${isOne ? 'one key, one run' : 'a key ran twice'}`, holds: finding.holds && isOne }
  },
)

scenario(34, 'two alerts have the same body and no id, 6 s apart (60 s scaled to a tenth)', 'both run', async () => {
  const listening = await listenWith()
  const first = await fire(listening.hook, { body: 'BTCUSDT crossed 65000' })
  await sleep(6_000)
  const second = await fire(listening.hook, { body: 'BTCUSDT crossed 65000' })
  return eachIsOneRun(listening, [first, second])
})

scenario(
  35,
  'the command of an accepted fire fails in eight ways, one of them a bug',
  'each answered 200, none 5xx; the journal and the terminal have each failure',
  async () => {
    const directory = tempDirectory()
    const hooks = writeHooks(directory, FAILING_COMMANDS)
    const hookline = startUnder('broken-command.cjs', directory, [BINARY, 'listen'])
    await hookline.prints(LISTENING)
    const fired = []
    for (const hook of hooks) fired.push(await fire(hook))
    const runIds = runIdsOf(fired)
    const journal = await runsEnded(directory, runIds)
    const failed = runIds.filter((runId) => journal.done(runId)[0]?.ok === false && journal.done(runId)[0]?.error)
    const told = hooks.filter(({ name }) => hookline.stdout.includes(`[hook:${name}] error: `))
    const log = () => readFileSync(join(directory, 'hookline.log'), 'utf8')
    await expect.poll(log).toContain('a mistake in a command')
    const stacks = log().split('RangeError: a mistake in a command\\n    at ').length - 1
    return {
      got: `${tellStatuses(fired)}; failures: ${failed.length} in the journal, ${told.length} told; ${stacks} stack in the log`,
      holds:
        fired.every(({ status }) => status === 200) &&
        [runIds, failed, told].every(({ length }) => length === hooks.length) &&
        stacks === 1 &&
        hookline.stderr === '',
    }
  },
)

scenario(
  36,
  `kill -9 with ${QUEUE.running + QUEUE.waiting} accepted fires under way, ${QUEUE.waiting} of them not begun`,
  'each is named as cut off by the next start, once; none is begun or run again',
  async () => {
    const { told, toldAgain, journalled, bought } = await killWithQueue()
    const accepted = QUEUE.running + QUEUE.waiting
    return {
      got: `${told} of ${accepted} named, ${journalled} in the journal, ${toldAgain} named again, ${bought} of ${QUEUE.waiting} begun`,
      holds: told === accepted && journalled === accepted && toldAgain === 0 && bought === 0,
    }
  },
)

const KILLS = 20

scenario(
  36,
  `${KILLS} × kill -9 at any moment under fires that buy`,
  'each accepted fire is in the journal; none buys twice or after the kill',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'alert', BUY)
    const accepted: string[] = []
    for (let kill = 0; kill < KILLS; kill++) accepted.push(...(await killWhileFiring(directory, hook)))
    const bought = countBought(directory)
    await run(directory, [], { input: 'sleep 1s\n' })
    const later = countBought(directory) - bought
    const journal = readJournal(directory)
    const lost = accepted.filter((runId) => journal.started(runId) === 0).length
    const succeeded = accepted.filter((runId) => journal.done(runId).some(({ ok }) => ok)).length
    return {
      got: `${accepted.length} accepted, ${lost} not in the journal; ${bought} bought, ${succeeded} of them known to have, ${later} later`,
      // Of those that had bought, a kill hides the end of the last one.
      holds:
        accepted.length >= KILLS &&
        lost === 0 &&
        bought > 0 &&
        bought - succeeded <= KILLS &&
        bought >= succeeded &&
        later === 0,
    }
  },
)

const STARTS = 20
const SENDERS = 8

scenario(
  'start',
  `${STARTS} first starts, each into ${SENDERS} senders that knock until they are let in`,
  'every accepted fire runs once; none is told as cut off by a crash',
  async () => {
    const starts: StartIntoFires[] = []
    while (starts.length < STARTS) starts.push(await startIntoFires(SENDERS))
    const accepted = starts.reduce((sum, start) => sum + start.accepted, 0)
    const once = starts.reduce((sum, start) => sum + start.once, 0)
    const alarms = starts.filter(({ alarmed }) => alarmed).length
    return {
      got: `${once} of ${accepted} run exactly once, ${alarms} of ${STARTS} starts tell of runs cut off`,
      holds: once === accepted && accepted > 0 && alarms === 0,
    }
  },
)

scenario(
  37,
  `${Object.keys(BODIES).length} kinds of bodies come as ${CONTENT_TYPES.length} content types, gzip among them`,
  'bodies are ignored (PROTOCOL.md): all answered 200, each one run, no crash',
  async () => {
    const listening = await listenWith()
    const fired: Fired[] = []
    for (const [name, body] of Object.entries(BODIES))
      for (const type of CONTENT_TYPES) {
        const encoding: Record<string, string> = name === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}
        fired.push(await fire(listening.hook, { body, headers: { 'Content-Type': type, ...encoding } }))
      }
    // Said to be what it is not.
    fired.push(await fire(listening.hook, { body: ALERT, headers: { 'Content-Encoding': 'gzip' } }))
    const finding = await eachIsOneRun(listening, fired)
    const { hookline } = listening
    const health = (await (await fetch('http://127.0.0.1:53219/health')).json()) as { pid: number }
    const isWell = health.pid === hookline.pid && hookline.stderr === ''
    return { got: `${finding.got}; ${isWell ? 'the same process' : 'not well'}`, holds: finding.holds && isWell }
  },
)

const HOUR_MS = 3_600_000

scenario(
  38,
  'the clock jumps an hour ahead; an hour back',
  'approvals, quiet times, sessions, pauses, writes, `runs` and the journal go on',
  async () => findingOf({ ...(await checkJump('+1 h', HOUR_MS)), ...(await checkJump('−1 h', -HOUR_MS)) }),
)
