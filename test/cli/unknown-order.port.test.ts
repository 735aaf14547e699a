// An order whose fate is unknown, and every door of every other process: the built program, on a paper account that loses an order on its way
// (behaviours 36, 37). For a minute nothing says that the order is not there.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, exec, post, RunningHookline, run } from '../../harness/process/hookline.ts'
import { COPIES, startEngine } from '../../harness/process/running-engine.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { IN_FLIGHT_MS } from '../../src/trading/order-journal.ts'

const CLIENT = 'tab-1-of-this-browser'
const REFUSED = 'the outcome of an earlier BTCUSDT order is unknown'

interface Line {
  readonly t: string
  readonly id: string
  readonly account: string
  readonly outcome?: string
  readonly order?: { readonly symbol: string; readonly side: string }
}

const linesOf = (directory: string): readonly Line[] =>
  readFileSync(join(directory, 'orders.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Ids of intents to buy on the account that the venue was sent. */
const bought = (directory: string, account: string) =>
  linesOf(directory).filter(
    (line) =>
      line.t === 'intent' && line.account === account && line.order?.symbol === 'BTCUSDT' && line.order.side === 'buy',
  ).length

const isUnknown = (directory: string) => linesOf(directory).some(({ outcome }) => outcome === 'unknown')

function stageDirectory(): string {
  const directory = tempDirectory()
  const client = { clientId: CLIENT, label: 'tab', origin: ORIGIN, approvedAt: 1 }
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients: [client] }))
  return directory
}

/** From now on orders are lost on their way, until one was. */
async function loseOne(directory: string, send: () => unknown): Promise<void> {
  await exec(directory, 'paper faults lost-orders on')
  await send()
  await expect.poll(() => isUnknown(directory), { timeout: 15_000 }).toBe(true)
  await exec(directory, 'paper faults off')
}

async function runOfPage(command: string): Promise<string> {
  const page = await WsClient.hello({ clientId: CLIENT, label: 'tab' })
  await page.nextFrame('welcome')
  page.send({ t: 'cmd:exec', id: 'r1', command })
  const done = await page.nextFrame('cmd:done')
  const said = page.received.join('\n')
  page.ws.terminate()
  expect(done).toMatchObject({ success: false })
  return said
}

/** What each door says to an order that adds in the symbol. */
const DOORS: Readonly<Record<string, (directory: string) => Promise<string>>> = {
  exec: async (directory) => (await run(directory, ['exec', 'buy 0.01 BTCUSDT'])).stderr,
  position: async (directory) => (await run(directory, ['exec', 'position long 0.050 BTCUSDT'])).stderr,
  pipe: async (directory) => {
    const { stdout, stderr } = await run(directory, [], { input: 'buy 0.01 BTCUSDT\n' })
    return stdout + stderr
  },
  'dry run': async (directory) => {
    const { stdout, stderr } = await run(directory, ['exec', 'buy 0.01 BTCUSDT --dry'])
    return stdout + stderr
  },
  prompt: async (directory) => {
    const second = new RunningHookline(directory)
    await second.prints('is held by')
    second.say('buy 0.01 BTCUSDT')
    await second.prints(REFUSED)
    return second.stdout
  },
  page: () => runOfPage('buy 0.01 BTCUSDT'),
  task: async (directory) => {
    const { stdout, stderr } = await run(directory, ['exec', 'twap buy 0.020 BTCUSDT into 2 over 4s'])
    return stdout + stderr
  },
}

/** What adds is refused at each door, what reduces is not, another symbol is free, and it is shown with what to do. */
async function expectHeldUp(directory: string): Promise<void> {
  const before = bought(directory, 'paper')
  for (const [door, knock] of Object.entries(DOORS)) expect(await knock(directory), door).toContain(REFUSED)
  expect(bought(directory, 'paper')).toBe(before)
  for (const command of ['orders', 'status']) {
    const { stdout, stderr } = await run(directory, ['exec', command])
    expect(stdout + stderr, command).toMatch(
      /no answer to buy 0\.01 BTCUSDT, .*nothing is added on BTCUSDT.*`orders settle/,
    )
  }
  expect(await unsettledOnDesk()).toEqual([expect.stringContaining('no answer to buy 0.01 BTCUSDT')])
  await exec(directory, 'buy 0.01 ETHUSDT; close ETHUSDT')
}

async function unsettledOnDesk(): Promise<readonly string[] | undefined> {
  const page = await WsClient.hello({ clientId: CLIENT, label: 'tab' })
  await page.nextFrame('welcome')
  page.send({ t: 'subscribe', topics: ['portfolio'] })
  const { unsettled } = await page.nextFrame('state:portfolio')
  page.ws.terminate()
  return unsettled
}

describe('an order that got no answer', () => {
  it('of the listener holds up every other process, and its own hooks', { timeout: 90_000 }, async () => {
    const directory = stageDirectory()
    await exec(directory, 'buy 0.020 BTCUSDT')
    const listener = await RunningHookline.listening(directory)
    const hook = await createHook(directory, 'dip', 'buy 0.01 BTCUSDT')
    await loseOne(directory, () => post(hook.url, hook.token))
    await expectHeldUp(directory)
    await post(hook.url, hook.token)
    await listener.prints(REFUSED)
    // What reduces depends on nothing.
    expect(await exec(directory, 'close 50% BTCUSDT')).toContain('sold')
  })

  it('of an exec that was killed holds up the listener, its pages and --only-if', { timeout: 90_000 }, async () => {
    const directory = stageDirectory()
    const listener = await RunningHookline.listening(directory)
    const hook = await createHook(directory, 'flat', 'buy 0.01 BTCUSDT', '--only-if', 'flat')
    let buying: RunningHookline | undefined
    await loseOne(directory, () => {
      buying = new RunningHookline(directory, ['exec', 'buy 0.01 BTCUSDT'])
    })
    buying?.signal('SIGKILL')
    await buying?.ended()
    await post(hook.url, hook.token)
    await listener.prints('no known outcome')
    await expectHeldUp(directory)
  })

  it('of a process that lives, and has not said for 15 s what came of it, holds up the others', async () => {
    const directory = stageDirectory()
    await RunningHookline.listening(directory)
    await exec(directory, 'buy 0.01 BTCUSDT')
    const [sent] = linesOf(directory)
    // What one leaves that is stopped (SIGSTOP, a suspended machine) as its order leaves: its intent.
    const stopped = new RunningHookline(directory)
    const write = (line: object) => appendFileSync(join(directory, 'orders.jsonl'), `${JSON.stringify(line)}\n`)
    const intend = (age: number) => {
      const id = `${'a'.repeat(30)}${age}`
      write({ ...sent, id, at: Date.now() - age, owner: { pid: stopped.pid } })
      return id
    }
    const fresh = intend(10)
    await exec(directory, 'buy 0.01 BTCUSDT')
    // On a busy machine it would be as old before all doors have been tried.
    write({ t: 'end', id: fresh, at: Date.now(), status: 'canceled', filled: '0' })
    intend(IN_FLIGHT_MS + 1)
    stopped.signal('SIGSTOP')
    await expectHeldUp(directory)
  })

  it('holds up the copier', { timeout: 90_000 }, async () => {
    const directory = stageDirectory()
    await exec(directory, 'account add swing paper; buy 0.01 BTCUSDT')
    await exec(directory, 'cross-trade add --master paper --copier swing --symbol BTCUSDT --weight 1 --enabled')
    const engine = startEngine(directory)
    await engine.until(COPIES)
    await loseOne(directory, async () => {
      await run(directory, ['exec', '--account', 'swing', 'paper faults lost-orders on'])
      new RunningHookline(directory, ['exec', '--account', 'swing', 'buy 0.01 BTCUSDT'])
    })
    await run(directory, ['exec', '--account', 'swing', 'paper faults off'])
    const before = bought(directory, 'swing')
    await exec(directory, 'buy 0.01 BTCUSDT')
    const [row] = /^[0-9a-f]{8}/m.exec(await exec(directory, 'cross-trade')) ?? []
    const shown = async () => (await run(directory, ['exec', `cross-trade show ${row}`])).stdout
    await expect.poll(shown, { timeout: 20_000 }).toContain(REFUSED)
    expect(bought(directory, 'swing')).toBe(before)
  })
})
