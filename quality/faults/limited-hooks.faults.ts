import { setTimeout as sleep } from 'node:timers/promises'
import { readPaperAccount } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, RunningHookline, run } from '../../harness/process/hookline.ts'
import { fire } from './fire-hook.ts'
import { scenario } from './scenario.ts'

const ROUNDS = 12
const SENDERS = 6
const LIMITS = { once: 1, day: 7, rate: 5 }

/** A run that has begun has bought, or was cut off before. */
function bought(directory: string, account: string): number {
  return Number(readPaperAccount(directory, account)?.positions[0]?.amount ?? 0) / 60
}

/** Sends until hookline is gone. @returns how many were answered with 200 */
async function keepFiring(hooks: readonly CreatedHook[], isOver: () => boolean): Promise<number> {
  let accepted = 0
  for (let index = 0; !isOver(); index++) {
    const hook = hooks[index % hooks.length] as CreatedHook
    const answer = await fire(hook).catch(() => undefined)
    if (answer === undefined) return accepted
    if (answer.status === 200) accepted += 1
  }
  return accepted
}

async function makeHooks(directory: string): Promise<CreatedHook[]> {
  const make = (name: string, ...limits: readonly string[]) =>
    createHook(directory, name, 'buy 60.0 DOGEUSDT', '--account', name, ...limits)
  return [
    await make('once', '--once'),
    await make('day', '--per-day', `${LIMITS.day}`),
    await make('rate', '--rate', `${LIMITS.rate}/1h`),
  ]
}

scenario(
  'limits',
  `three hooks with limits, each on an account of its own, ${SENDERS} senders, and ${ROUNDS} kills at random moments`,
  `at most ${LIMITS.once}, ${LIMITS.day} and ${LIMITS.rate} of their fires buy, all rounds together; each other fire is answered`,
  async () => {
    const directory = tempDirectory()
    for (const name of Object.keys(LIMITS)) await run(directory, ['exec', `account add ${name} paper`])
    const hooks = await makeHooks(directory)
    let accepted = 0
    for (let round = 0; round < ROUNDS; round++) {
      const hookline = await RunningHookline.listening(directory)
      let isOver = false
      const senders = Array.from({ length: SENDERS }, () => keepFiring(hooks, () => isOver))
      await sleep(50 + Math.random() * 900)
      hookline.signal('SIGKILL')
      isOver = true
      await hookline.ended()
      for (const count of await Promise.all(senders)) accepted += count
    }
    const runs = Object.keys(LIMITS).map((name) => bought(directory, name))
    const most = Object.values(LIMITS)
    return {
      got: `${accepted} fires accepted; bought ${runs.join(', ')}`,
      holds:
        accepted > ROUNDS * 10 &&
        runs.every((count, index) => count <= (most[index] ?? 0)) &&
        runs.some((count) => count > 0),
    }
  },
)
