// What a page asks of the run journal: pages of it, one run in full, and what begins and ends while it looks.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

async function start(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options)
  const client = await WsClient.welcomed(app)
  return { app, client }
}

const type = ({ app }: RunningApp, command: string) =>
  app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`

/** The journal of an earlier hookline. */
function journalled(count: number): string {
  const directory = tempDirectory()
  const lines = Array.from({ length: count }, (_, n) => {
    const who = { source: 'hook', origin: 'old', hook: 'h1', command: `echo ${n}`, account: 'paper', pid: 999_999 }
    return [
      JSON.stringify({ t: 'start', runId: idOf(n), at: n + 1, ...who }),
      JSON.stringify({ t: 'done', runId: idOf(n), at: n + 2, ok: true }),
    ]
  })
  writeFileSync(join(directory, 'runs.jsonl'), `${lines.flat().join('\n')}\n`)
  return directory
}

describe('runs:query', () => {
  it('gives runs of before the start and since, newest first, page by page', async () => {
    const { app, client } = await start({ directory: journalled(60) })
    const hook = await app.createHook('echo ok', { name: 'dip' })
    app.fire(hook)
    await app.runsDone(1)
    client.send({ t: 'runs:query', id: 'a' })
    const first = await client.nextFrame('runs:page')
    expect(first.id).toBe('a')
    expect(first.runs[0]).toMatchObject({ source: 'hook', origin: 'dip', hookId: hook.id, state: 'done' })
    expect(first.runs.slice(1, 3).map(({ runId }) => runId)).toEqual([idOf(59), idOf(58)])
    expect(first.runs).toHaveLength(50)
    client.send({ t: 'runs:query', id: 'b', cursor: first.next })
    const second = await client.nextFrame('runs:page')
    expect(second.runs.map(({ runId }) => runId)).toEqual(Array.from({ length: 11 }, (_, index) => idOf(10 - index)))
    expect(second.next).toBeUndefined()
  })

  it('filters, and answers a cursor of its own making by an error with its id', async () => {
    const { client } = await start({ directory: journalled(5) })
    client.send({ t: 'runs:query', id: 'a', filters: { text: 'ECHO 3' } })
    expect((await client.nextFrame('runs:page')).runs.map(({ runId }) => runId)).toEqual([idOf(3)])
    client.send({ t: 'runs:query', id: 'b', cursor: '../../etc/passwd' })
    expect(await client.nextFrame('error')).toEqual({
      t: 'error',
      id: 'b',
      error: 'invalid `cursor` (leave it out to start over)',
    })
    client.send({ t: 'runs:query', id: 'c', limit: 201 })
    expect(await client.nextFrame('error')).toMatchObject({ id: 'c', error: '`limit` must be at most 200' })
  })

  it('is answered while commands and accounts are switched off', async () => {
    const { client } = await start({
      directory: journalled(1),
      config: { listener: { remoteExec: false, accountSync: false } },
    })
    client.send({ t: 'runs:query', id: 'a' })
    expect(await client.nextFrame('runs:page')).toMatchObject({ id: 'a', runs: [{ runId: idOf(0) }] })
  })

  it('is answered so many times at once, and no more; each has one answer', async () => {
    const { client } = await start({ directory: journalled(200) })
    const asked = 4 * WIRE_LIMITS.requestsPerSession
    for (let n = 0; n < asked; n += 1) client.send({ t: 'runs:query', id: `q${n}`, limit: 200 })
    const answers = new Map<string, string>()
    for (let n = 0; n < asked; n += 1) {
      const frame = await client.nextFrame()
      if (frame.t === 'runs:page' || frame.t === 'error') answers.set(frame.id ?? '', frame.t)
    }
    expect(answers.size).toBe(asked)
    const errors = [...answers.values()].filter((t) => t === 'error').length
    expect(errors).toBeGreaterThan(0)
    expect(asked - errors).toBeGreaterThanOrEqual(WIRE_LIMITS.requestsPerSession)
    client.send({ t: 'runs:query', id: 'after' })
    expect(await client.nextFrame()).toMatchObject({ t: 'runs:page', id: 'after' })
  })

  it('is not answered before welcome', async () => {
    await start({ directory: journalled(1) })
    const stranger = await WsClient.hello({ label: 'stranger' })
    stranger.send({ t: 'runs:query', id: 'a' }).send({ t: 'subscribe', topics: ['runs', 'fills', 'equity'] })
    await stranger.settled()
    expect(stranger.received).toEqual([])
  })
})

describe('runs:show', () => {
  it('gives one run with its steps, output and orders; no orders while accounts are hidden', async () => {
    const { app, client } = await start()
    const hook = await app.createHook('echo dip; buy 0.01 BTCUSDT')
    const runId = crypto.randomUUID()
    app.fire(hook, runId)
    await app.runsDone(1)
    client.send({ t: 'runs:show', id: 'a', runId })
    const run = await client.nextFrame('runs:run')
    expect(run).toMatchObject({
      id: 'a',
      leftOut: 0,
      run: {
        ...{ runId, hookId: hook.id, state: 'done', account: 'paper' },
        outcome: expect.stringMatching(/^bought 0\.01 BTCUSDT at /),
      },
      steps: [{ text: 'echo dip', success: true }, { text: 'buy 0.01 BTCUSDT' }],
      orders: [{ account: 'paper', symbol: 'BTCUSDT', side: 'buy', state: 'closed', filled: '0.01' }],
    })
    expect(run.output.map(({ kind }) => kind)).toEqual(['print', 'success'])
    app.writeConfig({ listener: { accountSync: false } })
    client.send({ t: 'runs:show', id: 'b', runId: runId.slice(0, 8) })
    expect((await client.nextFrame('runs:run')).orders).toBeUndefined()
  })

  it('has no outcome of what was typed in a terminal', async () => {
    const { app, client } = await start()
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'buy 0.01 BTCUSDT' })
    expect(app.app.runner.runs()[0]?.outcome).toMatch(/^bought 0\.01/)
    client.send({ t: 'runs:query', id: 'a' })
    const { runs } = await client.nextFrame('runs:page')
    expect(runs[0]).toMatchObject({ command: 'buy 0.01 BTCUSDT', state: 'done' })
    expect(runs[0]?.outcome).toBeUndefined()
  })

  it('refuses what was typed in a terminal, and what is no run', async () => {
    const { app, client } = await start()
    const runId = crypto.randomUUID()
    await app.app.runner.run({ runId, source: 'repl', command: 'echo mine' })
    client.send({ t: 'runs:show', id: 'a', runId })
    expect(await client.nextFrame('error')).toMatchObject({
      id: 'a',
      error: expect.stringMatching(/^what was typed in a terminal is shown in a terminal only/),
    })
    for (const wrong of ['x', '"},{"', 'ffffffff', '.*', crypto.randomUUID()]) {
      client.send({ t: 'runs:show', id: 'b', runId: wrong })
      expect((await client.nextFrame('error')).error).toMatch(/^there is no such run/)
    }
  })

  it('never has a token of a hook that someone typed', async () => {
    const { app, client } = await start()
    const { secret } = await app.createHook()
    client.send({ t: 'cmd:exec', id: 'c', command: `echo ${secret} seen; fail ${secret}` })
    await client.nextFrame('cmd:done')
    client.send({ t: 'runs:query', id: 'a' })
    const [run] = (await client.nextFrame('runs:page')).runs
    client.send({ t: 'runs:show', id: 'b', runId: run?.runId })
    await client.nextFrame('runs:run')
    const answers = client.received.filter((text) => text.includes('"t":"runs:'))
    expect(answers.join()).toContain('<hidden> seen')
    expect(answers.join()).not.toContain(secret)
  })
})

describe('the topic runs', () => {
  it('tells what is there at once, and then only what begins and ends', async () => {
    const { app, client } = await start()
    await type(app, 'echo before')
    client.send({ t: 'subscribe', topics: ['runs'] })
    const before = await client.nextFrame('state:runs')
    expect(before).toMatchObject({ runs: [{ command: 'echo before', source: 'repl', state: 'done' }] })
    expect(before.part).toBeUndefined()
    const running = type(app, 'sleep 10m')
    expect(await client.nextFrame('state:runs')).toMatchObject({
      part: true,
      runs: [{ command: 'sleep 10m', state: 'running' }],
    })
    app.app.runner.interrupt(() => true)
    await running
    expect(await client.nextFrame('state:runs')).toMatchObject({
      part: true,
      runs: [{ command: 'sleep 10m', state: 'failed' }],
    })
  })

  it('tells many together, counts those that there is no room for, and nothing to who has left', async () => {
    const { app, client } = await start()
    client.send({ t: 'subscribe', topics: ['runs'] })
    await client.nextFrame('state:runs')
    for (let n = 0; n < 500; n += 1) void type(app, `echo ${n}`)
    await app.runsDone(500)
    let told = 0
    let frames = 0
    while (told < 500) {
      const { runs, leftOut = 0 } = await client.nextFrame('state:runs')
      told += runs.length + leftOut
      frames += 1
    }
    expect(frames).toBeLessThan(10)
    client.send({ t: 'unsubscribe', topics: ['runs'] })
    await client.settled()
    await type(app, 'echo unheard')
    client.send({ t: 'subscribe', topics: ['runs'] })
    const again = await client.nextFrame('state:runs')
    expect(again.part).toBeUndefined()
    expect(again.runs[0]).toMatchObject({ command: 'echo unheard' })
  })
})
