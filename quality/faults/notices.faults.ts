// Faults of those who receive notices (behaviour 50): they do not answer, answer without end, send elsewhere or hang up, while hooks fail all the time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type NoticeReceiver, receiveNotices } from '../../harness/network/notice-receiver.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { findingOf } from './checks.ts'
import { type Fired, fire, runIdsOf, tellStatuses, writeHooks } from './fire-hook.ts'
import { countOnce, runsEnded } from './journal-lines.ts'
import { scenario } from './scenario.ts'
import { healthMs } from './soak-server.ts'

const FIRES = 400
const SECRET = Buffer.alloc(32, 11).toString('base64')
/** What is given up at the end, and what stopping takes besides. */
const STOPS_WITHIN_MS = 4_000

/** By the path that each webhook posts to. */
async function startReceivers(): Promise<Readonly<Record<string, NoticeReceiver>>> {
  const elsewhere = await receiveNotices()
  return {
    elsewhere,
    sound: await receiveNotices(),
    silent: await receiveNotices(() => {}),
    cutting: await receiveNotices((response) => void response.destroy()),
    failing: await receiveNotices((response) => void response.writeHead(503, { 'Retry-After': '999999' }).end()),
    redirecting: await receiveNotices(
      (response) => void response.writeHead(307, { Location: `${elsewhere.origin}/stolen` }).end(),
    ),
    endless: await receiveNotices((response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response
        .writeHead(200)
        .on('drain', more)
        .on('error', () => {})
      more()
    }),
  }
}

function writeConfig(directory: string, receivers: Readonly<Record<string, NoticeReceiver>>): void {
  const path = join(directory, 'keys-of-channels.json')
  writeFileSync(path, JSON.stringify({ secret: `whsec_${SECRET}` }), { mode: 0o600 })
  const webhooks = Object.entries(receivers)
    .filter(([name]) => name !== 'elsewhere')
    .map(([name, { origin }]) => ({ name, url: `${origin}/${name}`, keys: { from: 'file', path } }))
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ notices: { webhooks } }), { mode: 0o600 })
}

scenario(
  'notices',
  `six webhooks: sound, silent, cutting, 503, redirecting, endless; ${FIRES} fires fail, each in its own words`,
  'every fire 200 and one run; the sound one is told; nothing goes elsewhere; it stops in time; the secret is nowhere',
  async () => {
    const directory = tempDirectory()
    const receivers = await startReceivers()
    writeConfig(directory, receivers)
    const commands = Object.fromEntries(
      Array.from({ length: FIRES }, (_, n) => [`hook-${n}`, `notify text ${n}; buy ${n + 1} NOSUCH${n}`]),
    )
    const hooks = writeHooks(directory, commands)
    const hookline = await RunningHookline.listening(directory)
    const fired: Fired[] = []
    for (const hook of hooks) fired.push(await fire(hook))
    const runIds = runIdsOf(fired)
    const once = countOnce(await runsEnded(directory, runIds), runIds)
    await expect.poll(() => receivers.sound?.received.length, { timeout: 30_000 }).toBeGreaterThan(10)
    const health = await healthMs()
    const before = performance.now()
    hookline.child.kill('SIGTERM')
    const { code } = await hookline.ended()
    const stoppedMs = performance.now() - before
    const files = readdirSync(directory).filter((name) => name !== 'keys-of-channels.json')
    const written = files.map((name) => readFileSync(join(directory, name), 'latin1')).join('\n')
    return findingOf(
      {
        'every fire is accepted': fired.every(({ status }) => status === 200),
        'every fire is one run': once === FIRES,
        'the sound receiver is told': (receivers.sound?.received.length ?? 0) > 10,
        'the silent one is not flooded': (receivers.silent?.received.length ?? 0) <= 8,
        'a redirect is not followed': receivers.elsewhere?.received.length === 0,
        'it stops in time': code === 0 && stoppedMs < STOPS_WITHIN_MS,
        'the secret is in no file and on no screen': ![written, hookline.stdout, hookline.stderr]
          .join()
          .includes(SECRET),
      },
      `${tellStatuses(fired)}, ${once} once; sound: ${receivers.sound?.received.length}; /health ${health.toFixed(0)} ms; stopped in ${(stoppedMs / 1_000).toFixed(1)} s`,
    )
  },
)
