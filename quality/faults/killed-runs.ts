// hookline killed, or started, while fires come: what was accepted, what the journal knows of it, and what it did.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { readPaperAccount } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, LISTENING, post, RunningHookline, run } from '../../harness/process/hookline.ts'
import { type Fired, fire, runIdsOf } from './fire-hook.ts'
import { countOnce, readJournal } from './journal-lines.ts'

/** Fires that run at once, and fires that wait behind them. */
export const QUEUE = { running: 100, waiting: 50 }
/** Every fire of `BUY` buys this much, so that the position tells how many of them did. */
const AMOUNT = 60
export const BUY = `buy ${AMOUNT} DOGEUSDT`

/** How many fires of `BUY` have bought. */
export function countBought(directory: string): number {
  return Number(readPaperAccount(directory, 'paper')?.positions[0]?.amount ?? 0) / AMOUNT
}

export interface KilledQueue {
  /** Runs that the next start, and the one after it, say were cut off. */
  readonly told: number
  readonly toldAgain: number
  /** Runs that the journal has as interrupted, once. */
  readonly journalled: number
  readonly bought: number
}

/** Kills hookline with full slots and a queue, then starts it again twice. */
export async function killWithQueue(): Promise<KilledQueue> {
  const directory = tempDirectory()
  const hold = await createHook(directory, 'hold', 'sleep 10m', '--parallel', '100')
  const buy = await createHook(directory, 'buy', BUY)
  const hookline = await RunningHookline.listening(directory)
  const fired: Fired[] = []
  while (fired.length < QUEUE.running) fired.push(await fire(hold))
  while (fired.length < QUEUE.running + QUEUE.waiting) fired.push(await fire(buy))
  hookline.signal('SIGKILL')
  await hookline.ended()
  const told = (text: string) => Number(/^warning: (\d+) runs? (?:was|were) interrupted/m.exec(text)?.[1] ?? 0)
  // Time enough for whatever would start by itself.
  const first = await run(directory, [], { input: 'sleep 1s\n' })
  const second = await run(directory, [], { input: 'sleep 1s\n' })
  const interrupted = readJournal(directory).lines.filter(({ t }) => t === 'interrupted')
  const timesOf = (runId: string) => interrupted.filter((line) => line.runId === runId).length
  return {
    told: told(first.stdout),
    toldAgain: told(second.stdout),
    journalled: runIdsOf(fired).filter((runId) => timesOf(runId) === 1).length,
    bought: countBought(directory),
  }
}

/** Few enough for the journal to hold them all. */
const SENDERS = 4
const PAUSE_MS = 5

/** Fires until hookline is killed, at any moment of its first trades. @returns the runs that were accepted */
export async function killWhileFiring(directory: string, hook: CreatedHook): Promise<string[]> {
  const hookline = await RunningHookline.listening(directory)
  const accepted: string[] = []
  const send = async (): Promise<void> => {
    for (;;) {
      const { status, body } = await post(hook.url, hook.token)
      if (status === 200) accepted.push(JSON.parse(body).runId)
      await sleep(PAUSE_MS)
    }
  }
  // Each ends with the connection that the kill has cut.
  const senders = Promise.allSettled(Array.from({ length: SENDERS }, send))
  await expect.poll(() => accepted.length, { interval: 1 }).toBeGreaterThan(0)
  // Long enough, now and then, for the question about what the last kill left unanswered.
  await sleep(Math.random() * 2_500)
  hookline.signal('SIGKILL')
  await Promise.all([senders, hookline.ended()])
  // As its age does after five seconds.
  rmSync(join(directory, 'paper-paper.json.lock'), { recursive: true, force: true })
  return accepted
}

export interface StartIntoFires {
  readonly accepted: number
  readonly once: number
  /** It said that runs were cut off. */
  readonly alarmed: boolean
}

/** The first start of a fresh directory, into senders that knock until they are let in and then fire 20 times each. */
export async function startIntoFires(senders: number): Promise<StartIntoFires> {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'alert', 'echo seen')
  const hookline = new RunningHookline(directory, ['listen'])
  const accepted: string[] = []
  const send = async (): Promise<void> => {
    for (let fires = 0; fires < 20; ) {
      const { body } = await post(hook.url, hook.token).catch(() => ({ body: '' }))
      if (body === '') continue
      accepted.push(JSON.parse(body).runId)
      fires++
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  await hookline.prints(LISTENING)
  hookline.signal('SIGTERM')
  const { stdout } = await hookline.ended()
  const once = countOnce(readJournal(directory), accepted)
  return { accepted: accepted.length, once, alarmed: stdout.includes('interrupted') }
}
