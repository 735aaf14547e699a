// The client and the real hookline: its listener, files, runner and paper exchange.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { clientOf, type TestClient } from '../../harness/wire/client-of.ts'
import { CuttableProxy } from '../../harness/wire/cuttable-proxy.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { type LoopbackPorts, probeLoopback } from '../../src/client/loopback-permission.ts'
import { createMemoryPin, type RemoteRun } from '../../src/client/public.ts'
import type { Frame, ServerFrame } from '../../src/protocol/frames.ts'

type ClientOfOptions = Parameters<typeof clientOf>[0]

/** A client that the operator has approved before. */
async function trusted({ app }: RunningApp, options: ClientOfOptions = {}): Promise<TestClient> {
  const client = clientOf(options)
  await app.ports.trustedClients.add({ clientId: client.clientId, label: 'tab', origin: ORIGIN })
  return client
}

async function welcomed(app: RunningApp, options: ClientOfOptions = {}): Promise<TestClient> {
  const client = await trusted(app, options)
  client.connect()
  await client.until('welcomed')
  return client
}

async function linesOf(run: RemoteRun): Promise<string[]> {
  const lines: string[] = []
  for await (const { kind, text } of run) lines.push(`${kind} ${text}`)
  return lines
}

function next<T extends ServerFrame['t']>(
  client: TestClient,
  t: T,
  isWanted: (frame: Frame<T>) => boolean = () => true,
): Promise<Frame<T>> {
  return new Promise((resolve) => {
    const stop = client.on(t, (frame) => {
      if (!isWanted(frame)) return
      stop()
      resolve(frame)
    })
  })
}

const hookNames = ({ hooks }: Frame<'state:hooks'>) => hooks.map(({ name }) => name)

describe('approval', () => {
  it('is awaited, given, and needed only once', async () => {
    const app = await startApp()
    const pin = createMemoryPin()
    const client = clientOf({ pin, label: 'Console' })
    client.connect()
    await client.until('awaiting-approval')
    expect(app.app.ports.clients?.pending()).toEqual([{ clientId: client.clientId, label: 'Console', origin: ORIGIN }])
    expect(await app.app.ports.clients?.decide(client.clientId, 'approved')).toBe(true)
    const { listenerId } = await client.until('welcomed')
    expect(pin.read()).toEqual({ listenerId })
    client.disconnect()
    client.connect()
    await client.until('welcomed')
    expect(app.questions.filter(({ question }) => question)).toHaveLength(1)
  })

  it('denied is final until a person asks again; hookline then keeps its peace for a while', async () => {
    const app = await startApp()
    const client = clientOf()
    client.connect()
    await client.until('awaiting-approval')
    await app.app.ports.clients?.decide(client.clientId, 'denied')
    await client.until('denied')
    client.connect()
    expect(await client.until('waiting-to-reconnect')).toMatchObject({ why: 'busy' })
  })

  it('revoked stops the client', async () => {
    const app = await startApp()
    const client = await welcomed(app)
    await app.app.ports.trustedClients.revoke(client.clientId)
    expect(await client.until('stopped')).toEqual({ name: 'stopped', reason: 'revoked' })
  })
})

describe('exec', () => {
  it('runs a line as if typed and gives its output and end', async () => {
    const app = await startApp()
    const client = await welcomed(app)
    const run = client.exec('echo one; echo two')
    expect(await linesOf(run)).toEqual(['print one', 'print two'])
    expect(await run.result).toEqual({ success: true })
    const refused = client.exec('buy 1 NOSUCHCOIN')
    const [said = ''] = await linesOf(refused)
    const [error, line] = said.replace(/^error /, '').split('\n')
    expect([await refused.result, line]).toEqual([{ success: false, error }, 'buy 1 NOSUCHCOIN'])
  })

  it('is refused, not lost, while remoteExec is off', async () => {
    const app = await startApp({ config: { listener: { remoteExec: false } } })
    const run = (await welcomed(app)).exec('echo a')
    expect(await linesOf(run)).toEqual(['error remoteExec disabled'])
    expect(await run.result).toEqual({ success: false, error: 'remoteExec disabled' })
  })

  it('keeps sixty runs apart', async () => {
    const client = await welcomed(await startApp())
    const runs = Array.from({ length: 60 }, (_, index) => client.exec(`echo ${index}; echo ${index}`))
    expect(await Promise.all(runs.map(linesOf))).toEqual(runs.map((_, index) => [`print ${index}`, `print ${index}`]))
  })

  it('gives the fill of an order that rested, long after its run has ended', async () => {
    const app = await startApp()
    const accounts = app.app.ports.accounts
    await accounts.merge({ name: 'second', exchange: 'paper', createdAt: 1, updatedAt: 1 })
    const client = await welcomed(app)
    const fill = new Promise<string>((resolve) => {
      const onLateOutput = ({ text }: { text: string }) => resolve(text)
      // The price moves every second by about a hundredth of a percent: whichever way it goes, it meets rungs that have rested for a while.
      for (let rung = 1; rung <= 8; rung += 1) {
        client.exec(`buy 0.01 at -0.0${rung}%`, { onLateOutput })
        client.exec(`sell 0.01 at +0.0${rung}%`, { account: 'second', onLateOutput })
      }
    })
    expect(await fill).toMatch(/(bought|sold) 0\.01 BTCUSDT at/)
  })
})

describe('a cut connection', () => {
  it('leaves an order that hookline has placed as sent, and does not place it twice', async () => {
    const app = await startApp()
    const proxy = await CuttableProxy.start()
    const client = await welcomed(app, { url: proxy.url })
    proxy.holdAnswers()
    const { result } = client.exec('buy 0.01 BTCUSDT')
    await app.runsDone(1)
    proxy.cut()
    await expect(result).rejects.toMatchObject({ code: 'connection-lost', delivery: 'sent' })
    await expect(client.exec('buy 0.01 BTCUSDT').result).rejects.toMatchObject({ delivery: 'not-sent' })
    await client.until('welcomed')
    expect(await linesOf(client.exec('echo still here'))).toEqual(['print still here'])
    expect(app.done.map(({ run }) => run.command)).toEqual(['buy 0.01 BTCUSDT', 'echo still here'])
  })

  it('comes back with its subscriptions after hookline was started anew', async () => {
    const directory = tempDirectory()
    const first = await startApp({ directory })
    const client = await welcomed(first)
    const hooks = next(client, 'state:hooks')
    client.subscribe('hooks', 'hook-output')
    expect(hookNames(await hooks)).toEqual([])
    const stopped = first.app.stop(0)
    expect(await client.until('waiting-to-reconnect')).toMatchObject({ why: 'goingAway' })
    await stopped
    const restored = next(client, 'state:hooks')
    const second = await startApp({ directory })
    await client.until('welcomed')
    expect(hookNames(await restored)).toEqual([])
    const changed = next(client, 'state:hooks', (frame) => frame.hooks.length > 0)
    const { id, secret } = await second.createHook('echo fired')
    expect(hookNames(await changed)).toEqual(['hook-1'])
    const output = next(client, 'cmd:output')
    const answer = await fetch(`http://127.0.0.1:53219/hook/${id}`, {
      method: 'POST',
      headers: { 'X-Hook-Token': secret },
    })
    const { runId } = (await answer.json()) as { runId: string }
    expect(await output).toMatchObject({ id: runId, kind: 'print', text: 'fired' })
    expect(client.isOwnRun(runId)).toBe(false)
  })

  it('waits out a hookline that is switched off', async () => {
    const app = await startApp()
    const client = await welcomed(app)
    app.writeConfig({ listener: { enabled: false } })
    expect(await client.until('waiting-to-reconnect')).toMatchObject({ why: 'disabled' })
    app.writeConfig({})
    await client.until('welcomed')
  })
})

describe('another hookline on the port', () => {
  it('is told nothing but hello until the person agrees to its id', async () => {
    const pin = createMemoryPin()
    const clientId = randomUUID()
    const first = await startApp()
    const client = await welcomed(first, { pin, clientId })
    client.subscribe('accounts')
    const expected = pin.read().listenerId
    await first.app.stop(0)
    const second = await startApp()
    await second.app.ports.trustedClients.add({ clientId, label: 'tab', origin: ORIGIN })
    const { got } = await client.until('other-listener')
    expect(got).not.toBe(expected)
    await expect(client.exec('echo a').result).rejects.toMatchObject({ delivery: 'not-sent' })
    const accounts = next(client, 'state:accounts')
    client.acceptListener(got)
    await accounts
    expect(pin.read()).toEqual({ listenerId: got })
    expect(second.done).toEqual([])
  })
})

describe('mutations', () => {
  it('make, rotate and revoke a hook, and write accounts and cross-trade rows', async () => {
    const { mutate } = await welcomed(await startApp())
    const hook = (await mutate.hook({ op: 'create', name: 'alert', command: 'echo hi' })) as { id: string }
    expect(hook).toMatchObject({ name: 'alert', command: 'echo hi' })
    expect(hook).not.toHaveProperty('secret')
    expect(await mutate.hook({ op: 'rotate', hookId: hook.id })).toMatchObject({ id: hook.id })
    expect(await mutate.hook({ op: 'revoke', hookId: hook.id })).toMatchObject({ id: hook.id })
    await expect(mutate.hook({ op: 'revoke', hookId: hook.id })).rejects.toMatchObject({ code: 'refused' })
    const account = { name: 'second', exchange: 'paper' }
    expect(await mutate.account({ op: 'upsert', account, updatedAt: 10 })).toMatchObject({ updatedAt: 10 })
    expect(await mutate.account({ op: 'upsert', account, updatedAt: 9 })).toEqual({ applied: false })
    const config = { id: randomUUID(), enabled: false, masterAccount: 'second', masterWeight: 1, copiers: [] }
    expect(await mutate.crossTradeConfig({ op: 'upsert', config, updatedAt: 3 })).toEqual({ ...config, updatedAt: 3 })
  })

  it('say that accountSync is off', async () => {
    const { mutate } = await welcomed(await startApp({ config: { listener: { accountSync: false } } }))
    await expect(mutate.account({ op: 'delete', name: 'paper' })).rejects.toMatchObject({
      code: 'refused',
      delivery: 'sent',
      message: expect.stringContaining('accountSync'),
    })
  })
})

describe('a page’s flags', () => {
  it('reach hookline with hello and after it', async () => {
    const app = await startApp()
    const engine = { pid: process.pid, startedAt: Date.now(), heartbeatAt: Date.now(), configIds: [] }
    writeFileSync(join(app.directory, 'cross-trade-running.json'), JSON.stringify(engine))
    const client = await trusted(app)
    client.setWebCrossTradeActive(true)
    client.connect()
    const dualEngine = () => app.activities.filter(({ type }) => type === 'dual-engine')
    await expect.poll(dualEngine).toMatchObject([{ type: 'dual-engine', active: true }])
    client.setWebCrossTradeActive(false)
    await expect.poll(dualEngine).toHaveLength(2)
  })
})

describe('probeLoopback', () => {
  /** As in a browser: the answer is readable for an allowed origin only. */
  function pageAt(origin: string): LoopbackPorts {
    return {
      async fetch(url, { mode }) {
        const response = await fetch(url, { headers: { Origin: origin } })
        const allowed = response.headers.get('access-control-allow-origin')
        if (mode === 'cors' && allowed !== origin) throw new TypeError('Failed to fetch')
        return response
      },
      permissions: undefined,
      userAgent: '',
      isSecureContext: true,
      protocol: 'https:',
    }
  }

  it('reads of the real /health whether it runs, is switched off, or refuses this origin', async () => {
    expect(await probeLoopback(undefined, pageAt(ORIGIN))).toBe('not-running')
    const app = await startApp()
    expect(await probeLoopback(undefined, pageAt(ORIGIN))).toBe('reachable')
    expect(await probeLoopback(undefined, pageAt('https://elsewhere.example'))).toBe('refused-origin')
    app.writeConfig({ listener: { enabled: false } })
    expect(await probeLoopback(undefined, pageAt(ORIGIN))).toBe('disabled')
  })
})
