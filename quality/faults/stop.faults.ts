// Faults of the operator's own making: a hook that must stop now, and one that would keep the others waiting.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, exec, RunningHookline } from '../../harness/process/hookline.ts'
import type { RawClient } from '../../harness/wire/raw-http.ts'
import { runsEnded } from './journal-lines.ts'
import { connections, countStatus, fireRequest, percentile, runIdOf, sendTimed } from './load-fires.ts'
import { doorOpens } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'
import { openPage, trustPages } from './trusted-page.ts'

const FIRES = 500

const WAYS: Readonly<Record<string, (directory: string, hook: CreatedHook) => unknown>> = {
  'remoteExec off': (directory) => writeFlags(directory, { remoteExec: false }),
  'enabled off': (directory) => writeFlags(directory, { enabled: false }),
  'hook revoked': (directory, { id }) => exec(directory, `hook revoke ${id}`),
  'token rotated': (directory, { id }) => exec(directory, `hook rotate ${id}`),
  panic: (directory) => exec(directory, 'panic'),
}

function writeFlags(directory: string, listener: object): void {
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ listener }))
}

/** How many orders have been begun: their intents are on the disk before they leave. */
function countIntents(directory: string): number {
  const path = join(directory, 'orders.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8').split('"t":"intent"').length - 1 : 0
}

scenario(
  'stop',
  `${FIRES} fires of \`sleep 2s; buy\` are accepted, 100 run, and then they are stopped, in ${Object.keys(WAYS).length} ways`,
  'no order is begun after it, and the journal has the end of every fire within 1.5 s',
  async () => {
    const got: string[] = []
    let holds = true
    for (const [way, stop] of Object.entries(WAYS)) {
      const directory = tempDirectory()
      const hook = await createHook(directory, 'dip', 'sleep 2s; buy 0.001 BTCUSDT', '--parallel', '100')
      const hookline = await RunningHookline.listening(directory)
      const [sender] = (await connections(1)) as [RawClient]
      const answers = await sendTimed(sender, fireRequest(hook), FIRES)
      await stop(directory, hook)
      const from = performance.now()
      await runsEnded(directory, answers.map(runIdOf))
      const ms = performance.now() - from
      // What was asleep would have bought by now.
      await sleep(2_500)
      const orders = countIntents(directory)
      hookline.signal('SIGKILL')
      await hookline.ended()
      got.push(`${way}: ${orders} orders, ${ms.toFixed(0)} ms`)
      holds &&= countStatus(answers, 200) === FIRES && orders === 0 && ms < 1_500
    }
    return { got: got.join('; '), holds }
  },
)

const PROBES = 200

scenario(
  'turns',
  `one hook has all its places asleep and 1 000 fires waiting; another fires ${PROBES} times`,
  'each starts within 50 ms of its POST',
  async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    trustPages(directory, { clientId })
    const slow = await createHook(directory, 'slow', 'sleep 10m', '--max-age', '60m')
    const quick = await createHook(directory, 'quick', 'echo here')
    await RunningHookline.listening(directory)
    await doorOpens()
    const page = await openPage({ clientId })
    await page.send({ t: 'subscribe', topics: ['hook-output'] }).settled()
    const [sender] = (await connections(1)) as [RawClient]
    const waiting = await sendTimed(sender, fireRequest(slow), 1_000)
    const startedMs: number[] = []
    while (startedMs.length < PROBES) {
      const from = performance.now()
      await sendTimed(sender, fireRequest(quick))
      const { hookId } = await page.nextFrame('cmd:output')
      if (hookId !== quick.id) throw new Error('a fire of the slow hook has printed')
      startedMs.push(performance.now() - from)
    }
    const [p50, max] = [percentile(startedMs, 0.5), percentile(startedMs, 1)]
    return {
      got: `${countStatus(waiting, 200)} accepted of the slow hook; the other starts after ${p50.toFixed(1)} ms, at most ${max.toFixed(1)} ms`,
      holds: countStatus(waiting, 200) === 1_000 && max < 50,
    }
  },
)
