// Topics: the snapshot at once, then one after each change by whomever, coalesced, and never an older state after a newer one.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHook } from '../../../harness/process/hookline.ts'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig, replaceFile, taskRow } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { TOPICS } from '../../../src/protocol/frames.ts'

const hex = (digit: number) => String(digit).repeat(32)

function hookRow(digit: number) {
  return { id: hex(digit), name: `hook ${digit}`, secret: hex(0), command: 'echo ok', createdAt: digit }
}

function names(frame: { readonly hooks: readonly { readonly name: string }[] }): string[] {
  return frame.hooks.map(({ name }) => name)
}

describe('subscribing', () => {
  it('is answered by the snapshot of each topic at once; hook-output has none', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['cross-trade', 'hook-output', 'hooks', 'tasks', 'accounts', 'hooks'] })
    await client.settled()
    expect(client.untaken).toEqual([
      { t: 'state:cross-trade', running: false, configCount: 0, configs: [] },
      { t: 'state:hooks', hooks: [] },
      { t: 'state:tasks', tasks: [] },
      {
        t: 'state:accounts',
        accounts: [
          {
            name: 'paper',
            exchange: 'paper',
            hasCredentials: false,
            createdAt: expect.any(Number),
            updatedAt: expect.any(Number),
          },
        ],
      },
    ])
  })

  it('to an unknown topic is an error that names the topics, subscribes to the others, and ends nothing', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hooks', 'orders'] })
    const { error } = await client.nextFrame('error')
    expect(error).toBe(`\`topics.1\` must be one of ${TOPICS.join(', ')}`)
    expect(await client.nextFrame('state:hooks')).toMatchObject({ hooks: [] })
    await app.createHook()
    expect((await client.nextFrame('state:hooks')).hooks).toHaveLength(1)
    client.send({ t: 'subscribe', topics: ['tasks'] })
    await client.nextFrame('state:tasks')
    expect(client.untaken).toEqual([])
  })

  it('again is answered again', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    for (let time = 0; time < 3; time++) {
      client.send({ t: 'subscribe', topics: ['hooks'] })
      await client.nextFrame('state:hooks')
    }
    await app.createHook()
    await client.nextFrame('state:hooks')
    expect(client.untaken).toEqual([])
  })

  it('to nothing is nothing', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: [] }).send({ t: 'unsubscribe', topics: ['hooks'] })
    await client.settled()
    expect(client.untaken).toEqual([])
  })
})

describe('unsubscribing', () => {
  it('ends the snapshots of that topic, for that client alone', async () => {
    const app = await startApp()
    const leaving = await WsClient.welcomed(app)
    const staying = await WsClient.welcomed(app)
    for (const client of [leaving, staying]) {
      client.send({ t: 'subscribe', topics: ['hooks', 'tasks'] })
      await client.nextFrame('state:tasks')
      await client.nextFrame('state:hooks')
    }
    leaving.send({ t: 'unsubscribe', topics: ['hooks'] })
    await leaving.settled()
    await app.createHook()
    await staying.nextFrame('state:hooks')
    replaceFile(app.directory, 'tasks.json', { version: 1, tasks: [taskRow()] })
    await leaving.nextFrame('state:tasks')
    expect(leaving.untaken).toEqual([])
  })
})

describe('a change of the hooks', () => {
  const hooksFile = ({ directory }: RunningApp) => join(directory, 'hooks.json')
  const changes: [by: string, change: (app: RunningApp, client: WsClient) => unknown][] = [
    [
      "the operator's line",
      ({ app }) => app.runner.run({ runId: randomUUID(), source: 'repl', command: 'hook create made "echo ok"' }),
    ],
    [
      "a client's command",
      (_app, client) => client.send({ t: 'cmd:exec', id: '1', command: 'hook create made "echo ok"' }),
    ],
    [
      "a client's mutation",
      (_app, client) => client.send({ t: 'mutate:hook', id: '1', op: 'create', name: 'made', command: 'echo ok' }),
    ],
    ['another process', ({ directory }) => createHook(directory, 'made', 'echo ok')],
    [
      'an editor that renames a new file over it',
      ({ directory }) => replaceFile(directory, 'hooks.json', { hooks: [{ ...hookRow(1), name: 'made' }] }),
    ],
    [
      'an editor that writes into the file',
      (app) => writeFileSync(hooksFile(app), JSON.stringify({ hooks: [{ ...hookRow(1), name: 'made' }] })),
    ],
  ]

  it.each(changes)('made by %s shows to every subscriber', async (_by, change) => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const other = await WsClient.welcomed(app)
    for (const each of [client, other]) {
      each.send({ t: 'subscribe', topics: ['hooks'] })
      expect(names(await each.nextFrame('state:hooks'))).toEqual([])
    }
    await change(app, client)
    for (const each of [client, other]) expect(names(await each.nextFrame('state:hooks'))).toEqual(['made'])
  })

  it('shows while the file is bad as the last good state, and as it is once fixed', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    await app.createHook()
    writeFileSync(hooksFile(app), '{"hooks": [')
    client.send({ t: 'subscribe', topics: ['hooks'] })
    expect(names(await client.nextFrame('state:hooks'))).toEqual(['hook-1'])
    writeFileSync(hooksFile(app), JSON.stringify({ hooks: [hookRow(2)] }))
    expect(names(await client.nextFrame('state:hooks'))).toEqual(['hook 2'])
  })
})

describe('every other topic', () => {
  it('follows its file', async () => {
    const app = await startApp()
    const { directory } = app
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['accounts', 'tasks', 'cross-trade'] })
    for (const t of ['state:accounts', 'state:tasks', 'state:cross-trade'] as const) await client.nextFrame(t)

    const { accounts } = JSON.parse(readFileSync(join(directory, 'accounts.json'), 'utf8'))
    const second = { name: 'second', exchange: 'bybit', apiKey: 'k', secret: 's', createdAt: 1, updatedAt: 2 }
    replaceFile(directory, 'accounts.json', { accounts: [...accounts, second] })
    const scrubbed = { name: 'second', exchange: 'bybit', hasCredentials: true, createdAt: 1, updatedAt: 2 }
    expect((await client.nextFrame('state:accounts')).accounts[1]).toEqual(scrubbed)

    const task = taskRow({ progress: 0.5 })
    replaceFile(directory, 'tasks.json', { version: 1, tasks: [{ ...task, apiKey: 'leaked' }] })
    expect(await client.nextFrame('state:tasks')).toEqual({ t: 'state:tasks', tasks: [task] })

    const config = crossTradeConfig({ masterSymbol: 'ETHUSDT' })
    const { masterSymbol, ...gone } = crossTradeConfig()
    replaceFile(directory, 'cross-trade.json', {
      configs: [
        { ...config, note: 1 },
        { ...gone, deletedAt: 5 },
      ],
    })
    expect(await client.nextFrame('state:cross-trade')).toEqual({
      t: 'state:cross-trade',
      running: false,
      configCount: 1,
      configs: [config],
    })
  })
})

describe('many changes', () => {
  it('come as few snapshots, at most one per 100 ms, the last of which is complete', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hooks'] })
    await client.nextFrame('state:hooks')
    let snapshots = 0
    client.ws.on('message', () => {
      snapshots++
    })
    const from = performance.now()
    for (let made = 0; made < 50; made++) await app.createHook()
    let last: string[] = []
    while (last.length < 50) last = names(await client.nextFrame('state:hooks'))
    // One at once, one at the end of each pause; a timer may be a moment early.
    expect(snapshots).toBeLessThanOrEqual(1 + (performance.now() - from) / (LISTENER_LIMITS.snapshotMs - 1))
    expect(snapshots).toBeLessThan(50)
  })

  it('never show a subscriber an older state after a newer one, whenever it comes', async () => {
    const app = await startApp()
    const task = taskRow()
    const write = (progress: number) =>
      replaceFile(app.directory, 'tasks.json', { version: 1, tasks: [{ ...task, progress }] })
    const clients = await Promise.all(Array.from({ length: 4 }, () => WsClient.welcomed(app)))
    clients[0]?.send({ t: 'subscribe', topics: ['tasks'] })
    for (let progress = 1; progress <= 200; progress++) {
      write(progress)
      for (const client of clients.slice(1)) client.send({ t: 'subscribe', topics: ['tasks'] })
      await clients[progress % 4]?.settled()
      if (progress % 3 === 0) clients[1]?.send({ t: 'unsubscribe', topics: ['tasks'] })
    }
    for (const client of clients) {
      const seen: number[] = []
      while (seen.at(-1) !== 200) seen.push((await client.nextFrame('state:tasks')).tasks[0]?.progress ?? 0)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    }
  })

  it('that cancel each other out leave nobody with a state in between', async () => {
    const app = await startApp()
    const write = (digit: number) => replaceFile(app.directory, 'hooks.json', { hooks: [hookRow(digit)] })
    write(1)
    const before = await WsClient.welcomed(app)
    before.send({ t: 'subscribe', topics: ['hooks'] })
    await before.nextFrame('state:hooks')
    const between = await WsClient.welcomed(app)
    write(2)
    between.send({ t: 'subscribe', topics: ['hooks'] })
    expect(names(await between.nextFrame('state:hooks'))).toEqual(['hook 2'])
    write(1)
    expect(names(await between.nextFrame('state:hooks'))).toEqual(['hook 1'])
  })
})
