// config.json in every state that leaves a switch in doubt, under a listener with an approved page and a hook that buy: whether an order is
// placed one second later.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, exec } from '../../harness/process/hookline.ts'
import { ask, startRepl } from '../../harness/process/piped-repl.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { fire } from './fire-hook.ts'
import { scenario } from './scenario.ts'

const DOUBTFUL_TEXTS = [
  '{"listener":{"remoteExec":false,}}',
  '{"listener":{"remoteExec":fal',
  '',
  '["remoteExec"]',
  '{"listener":{"remoteexec":false}}',
  '{"listener":{"remote_exec":false}}',
  '{"listener":{"remotExec":false}}',
  '{"remoteExec":false}',
  '{"listener.remoteExec":false}',
  '{"Listener":{"remoteExec":false}}',
  '{"listener":{"remoteExec":false},"listener":{}}',
  '{"listener":{"remoteExec":false,"remoteExec":true}}',
  '{"listener":{"remoteExec":"false"}}',
  '{"listener":{"remoteExec":0}}',
  '{"listener":false}',
  '{"listener":{"disabled":true}}',
] as const

type Damage = (path: string) => void

const replacedBy =
  (make: Damage): Damage =>
  (path) => {
    rmSync(path)
    make(path)
  }

const DAMAGES: readonly Damage[] = [
  ...DOUBTFUL_TEXTS.map(
    (text): Damage =>
      (path) =>
        writeFileSync(path, text),
  ),
  (path) => rmSync(path),
  replacedBy((path) => symlinkSync('nothing.json', path)),
  replacedBy((path) => mkdirSync(path)),
  (path) => chmodSync(path, 0o666),
  (path) => renameSync(path, `${path}~`),
]

/** After this every doubt counts (behaviour 22). */
const DOUBT_MS = 1_000
const TRIES = 3

function intents(directory: string): number {
  return readFileSync(join(directory, 'orders.jsonl'), 'utf8').split('"t":"intent"').length - 1
}

/** What comes of orders that a hook and a page ask for. A page that is gone asks for nothing. */
async function tryOrders(hook: CreatedHook, page: WsClient, round: number): Promise<void> {
  for (let times = 0; times < TRIES; times++) {
    await fire(hook)
    page.send({ t: 'cmd:exec', id: `${round}-${times}`, command: 'buy 60.0 DOGEUSDT' })
  }
}

/** The console's pages are let in once the console is served again. */
async function welcomeBack(): Promise<WsClient> {
  const until = performance.now() + 5_000
  for (;;) {
    try {
      return await WsClient.hello({ label: 'Console' })
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(100)
    }
  }
}

scenario(
  'switches',
  `config.json leaves a switch in doubt, in ${DAMAGES.length} ways, under a hook and a page that buy`,
  'no order after 1 s; each is said in the terminal; orders again once it is fixed',
  async () => {
    const directory = tempDirectory()
    const path = join(directory, 'config.json')
    const write = () => {
      rmSync(path, { recursive: true, force: true })
      writeFileSync(path, '{}', { mode: 0o600 })
    }
    write()
    await exec(directory, 'buy 60.0 DOGEUSDT')
    const hook = await createHook(directory, 'buying', 'buy 60.0 DOGEUSDT')
    const repl = await startRepl(directory)
    let [orders, said, back] = [0, 0, 0]
    for (const [round, damage] of DAMAGES.entries()) {
      const page = await welcomeBack()
      await repl.prints('Console')
      await sleep(300)
      repl.say('y')
      await page.nextFrame('welcome')
      const from = repl.stdout.length
      damage(path)
      await sleep(DOUBT_MS)
      const before = intents(directory)
      await tryOrders(hook, page, round)
      await ask(repl, 'echo asked')
      orders += intents(directory) - before
      if (repl.stdout.slice(from).includes(path)) said++
      write()
      await expect.poll(async () => (await fire(hook)).status, { timeout: 5_000 }).toBe(200)
      await expect.poll(() => intents(directory), { timeout: 5_000 }).toBeGreaterThan(before)
      back++
    }
    return {
      got: `${orders} orders after ${DAMAGES.length * TRIES} fires and as many commands, ${said} of ${DAMAGES.length} said, ${back} orders once fixed`,
      holds: orders === 0 && said === DAMAGES.length && back === DAMAGES.length,
    }
  },
)
