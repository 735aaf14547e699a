// The time of day set to another while hookline runs, and all that must not notice.
import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import {
  BINARY,
  type CreatedHook,
  createHook,
  LISTENING,
  type RunningHookline,
} from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import type { Checks } from './checks.ts'
import { fire } from './fire-hook.ts'
import { readJournal } from './journal-lines.ts'
import { startUnder } from './launchers.ts'
import { openPage, trustPages } from './trusted-page.ts'

/** Allowed by default beside ORIGIN. */
const TWIN_ORIGIN = 'http://localhost:53220'
const SESSIONS = 5

interface Clocked {
  readonly directory: string
  readonly hook: CreatedHook
  readonly hookline: RunningHookline
  readonly clockFile: string
  readonly sessions: readonly WsClient[]
}

/** The REPL with a clock that can be set, and approved pages that are connected. */
async function startClocked(): Promise<Clocked> {
  const directory = tempDirectory()
  const clockFile = join(directory, 'clock')
  const trusted = { clientId: randomUUID() }
  trustPages(directory, trusted)
  const hook = await createHook(directory, 'alert', 'echo seen')
  const hookline = startUnder('shifted-clock.cjs', directory, [clockFile, BINARY])
  await hookline.prints(LISTENING)
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openPage(trusted)))
  return { directory, hook, hookline, clockFile, sessions }
}

/** Resolves once runs are journalled at the new time. */
async function setClock({ directory, hook, hookline, clockFile }: Clocked, shiftMs: number): Promise<void> {
  writeFileSync(clockFile, String(shiftMs))
  hookline.signal('SIGUSR2')
  const error = async () => {
    const { runId } = await fire(hook)
    const at = readJournal(directory).lines.find((line) => line.runId === runId)?.at ?? Number.NaN
    return Math.abs(at - Date.now() - shiftMs)
  }
  await expect.poll(error, { timeout: 10_000 }).toBeLessThan(60_000)
}

/** One page is denied, another one asks. @returns the one that asks */
async function askOperator({ hookline }: Clocked): Promise<WsClient> {
  const denied = await WsClient.hello({ label: 'to be denied' }, TWIN_ORIGIN)
  await hookline.prints('to be denied')
  await sleep(READING_MS)
  hookline.say('n')
  await denied.closed()
  const asking = await WsClient.hello({ label: 'to be approved' })
  await hookline.prints('to be approved')
  await sleep(READING_MS)
  return asking
}

/** A shorter look is no look: hookline asks again. */
const READING_MS = 300

async function checkWrites({ hookline, hook }: Clocked): Promise<boolean> {
  const answers = [await ask(hookline, 'symbol ETHUSDT'), await ask(hookline, 'set @a 1')]
  answers.push(await ask(hookline, 'account add second paper'), await ask(hookline, 'account remove second'))
  answers.push(await ask(hookline, `hook rotate ${hook.id}`))
  const token = /token +([0-9a-f]{32})/.exec(answers.at(-1) ?? '')?.[1] ?? ''
  const [late, rotated] = [await fire(hook), await fire({ url: hook.url, token })]
  return answers.every((text) => !text.includes('error:')) && late.status === 401 && rotated.status === 200
}

/** Another process has rotated the journal: is the next run in the new file within 3 s? */
async function checkJournal({ directory, hookline }: Clocked): Promise<boolean> {
  const path = join(directory, 'runs.jsonl')
  renameSync(path, `${path}.1`)
  for (let tries = 0; tries < 30; tries++) {
    await ask(hookline, 'echo here')
    if (readJournal(directory, [path]).lines.some(({ command }) => command === 'echo here')) return true
    await sleep(100)
  }
  return false
}

/** Everything that lives through a jump of the clock by an hour. */
export async function checkJump(name: string, shiftMs: number): Promise<Checks> {
  const clocked = await startClocked()
  const { directory, hookline, sessions } = clocked
  const slow = await createHook(directory, 'slow', 'sleep 2s; echo slept')
  const asking = await askOperator(clocked)
  const firedAt = performance.now()
  await fire(slow)
  const slept = hookline.prints('[hook:slow] slept').then(() => performance.now() - firedAt)
  await setClock(clocked, shiftMs)
  const again = await WsClient.hello({ label: 'again' }, TWIN_ORIGIN)
  const { code } = await again.closed()
  hookline.say('y')
  const isWelcomed = await asking.nextFrame('welcome').then(
    () => true,
    () => false,
  )
  for (const session of sessions) session.send({ t: 'cmd:exec', id: 'on', command: 'echo on' })
  const answered = await Promise.all(sessions.map((session) => session.nextFrame('cmd:done')))
  const sleptMs = await slept
  const writes = await checkWrites(clocked)
  await ask(hookline, 'echo the youngest')
  const youngest = await ask(hookline, 'runs 3')
  const journal = await checkJournal(clocked)
  // The next one wants the port.
  hookline.signal('SIGTERM')
  await hookline.ended()
  return {
    [`${name}: the question stays`]: isWelcomed,
    [`${name}: the quiet time after a denial`]: code === 4429,
    [`${name}: sessions stay`]: answered.every(({ success }) => success),
    [`${name}: a pause of 2 s`]: sleptMs >= 1_900 && sleptMs < 4_000,
    [`${name}: writes and a new token`]: writes,
    [`${name}: the youngest run first`]: youngest.includes('echo the youngest'),
    [`${name}: the journal rotated elsewhere`]: journal,
  }
}
