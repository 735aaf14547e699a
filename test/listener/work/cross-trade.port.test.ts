// `state:cross-trade`: whether the engine runs, from its heartbeat file and the clock, and the warning when two engines would trade
// the same configs (behaviours 109, 143).
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

/** The engine says that it was alive `agoMs` ago. */
function beat({ directory }: RunningApp, agoMs = 0, change = {}): void {
  const heartbeat = { pid: 4242, startedAt: 1_000, heartbeatAt: Date.now() - agoMs, configIds: [], ...change }
  replaceFile(directory, 'cross-trade-running.json', heartbeat)
}

async function subscribed(app: RunningApp, hello = {}) {
  const client = await WsClient.welcomed(app, hello)
  client.send({ t: 'subscribe', topics: ['cross-trade'] })
  return { client, first: await client.nextFrame('state:cross-trade') }
}

const dualEngine = ({ activities }: RunningApp) =>
  activities.flatMap((activity) => (activity.type === 'dual-engine' ? [activity.active] : []))

describe('state:cross-trade', () => {
  it('says that the engine runs, which and since when, and how many configs there are', async () => {
    const app = await startApp()
    const configs = [crossTradeConfig(), crossTradeConfig({ enabled: false })]
    replaceFile(app.directory, 'cross-trade.json', { configs })
    beat(app)
    const { first } = await subscribed(app)
    expect(first).toEqual({
      t: 'state:cross-trade',
      running: true,
      pid: 4242,
      startedAt: 1_000,
      configCount: 2,
      configs: configs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    })
  })

  it('says so as soon as it starts, and no longer once its file is gone', async () => {
    const app = await startApp()
    const { client, first } = await subscribed(app)
    expect(first).toMatchObject({ running: false })
    beat(app)
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ running: true })
    rmSync(join(app.directory, 'cross-trade-running.json'))
    expect(await client.nextFrame('state:cross-trade')).toEqual({
      t: 'state:cross-trade',
      running: false,
      configCount: 0,
      configs: [],
    })
  })

  it('turns by the clock alone when the heartbeat is older than 15 s', async () => {
    const app = await startApp()
    beat(app, 14_000)
    const at = Date.now() + 1_000
    const { client, first } = await subscribed(app)
    expect(first).toMatchObject({ running: true })
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ running: false, pid: 4242 })
    expect(Date.now()).toBeGreaterThanOrEqual(at)
  })

  it('does not come again at every beat', async () => {
    const app = await startApp()
    beat(app)
    const { client } = await subscribed(app)
    for (let beats = 0; beats < 5; beats++) beat(app)
    const config = crossTradeConfig()
    replaceFile(app.directory, 'cross-trade.json', { configs: [config] })
    expect(await client.nextFrame('state:cross-trade')).toMatchObject({ configs: [config] })
    expect(client.received.filter((text) => text.includes('state:cross-trade'))).toHaveLength(2)
  })

  it.each([
    ['from the future', { heartbeatAt: Date.now() + 3_600_000 }],
    ['without a time', { heartbeatAt: undefined }],
    ['that is no heartbeat', { heartbeatAt: 'now' }],
  ])('does not believe a heartbeat %s', async (_name, change) => {
    const app = await startApp()
    beat(app, 0, change)
    expect((await subscribed(app)).first).toMatchObject({ running: false })
  })
})

describe('pages that lead', () => {
  it('are in a file by their labels, for an engine in another process, as long as they lead', async () => {
    const app = await startApp()
    const { leadingPages } = app.app.ports
    expect(leadingPages.read()).toEqual([])
    const { client: page } = await subscribed(app, { label: 'My tab', webCrossTradeActive: true })
    await expect.poll(() => leadingPages.read()).toEqual(['My tab'])
    page.send({ t: 'client:state', webCrossTradeActive: false })
    await expect.poll(() => leadingPages.read()).toEqual([])
    page.send({ t: 'client:state', webCrossTradeActive: true })
    await expect.poll(() => leadingPages.read()).toEqual(['My tab'])
    await page.leave()
    await expect.poll(() => leadingPages.read()).toEqual([])
  })

  it('are in no file any more once hookline has stopped, and nothing is still being written', async () => {
    const app = await startApp()
    await subscribed(app, { label: 'My tab', webCrossTradeActive: true })
    await expect.poll(() => app.app.ports.leadingPages.read()).toEqual(['My tab'])
    await app.app.stop(0)
    expect(app.app.ports.leadingPages.read()).toEqual([])
    expect(readdirSync(app.directory).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('come and go beside one that has not said hello', async () => {
    const app = await startApp()
    const silent = await WsClient.open()
    const { client: page } = await subscribed(app, { label: 'My tab', webCrossTradeActive: true })
    await expect.poll(() => app.app.ports.leadingPages.read()).toEqual(['My tab'])
    await page.leave()
    await expect.poll(() => app.app.ports.leadingPages.read()).toEqual([])
    await silent.leave()
  })

  it('hold up `cross-trade start`, and are named', async () => {
    const app = await startApp()
    const { client: page } = await subscribed(app, { label: 'My tab', webCrossTradeActive: true })
    await expect.poll(() => app.app.ports.leadingPages.read()).toEqual(['My tab'])
    await expect(app.app.engine.start({ force: false })).rejects.toMatchObject({
      code: 'page-leads',
      message: expect.stringContaining('My tab'),
    })
    await page.leave()
  })
})

describe('the warning of two engines', () => {
  it('names the pages', async () => {
    const app = await startApp()
    beat(app)
    await subscribed(app, { label: 'My tab', webCrossTradeActive: true })
    await expect
      .poll(() => app.activities.filter(({ type }) => type === 'dual-engine'))
      .toEqual([{ type: 'dual-engine', active: true, labels: ['My tab'] }])
  })

  it('comes once when a page leads while the engine runs, and once when it is over', async () => {
    const app = await startApp()
    beat(app)
    const { client: page } = await subscribed(app, { webCrossTradeActive: true })
    expect(dualEngine(app)).toEqual([true])
    for (let frames = 0; frames < 5; frames++) page.send({ t: 'client:state', webCrossTradeActive: true })
    await page.settled()
    expect(dualEngine(app)).toEqual([true])
    page.send({ t: 'client:state', webCrossTradeActive: false })
    await page.settled()
    expect(dualEngine(app)).toEqual([true, false])
  })

  it('comes when the engine starts under a page that leads, and is over when it stops', async () => {
    const app = await startApp()
    const { client: page } = await subscribed(app, { webCrossTradeActive: true })
    expect(dualEngine(app)).toEqual([])
    beat(app)
    await page.nextFrame('state:cross-trade')
    expect(dualEngine(app)).toEqual([true])
    beat(app, 15_001)
    await page.nextFrame('state:cross-trade')
    expect(dualEngine(app)).toEqual([true, false])
  })

  it('stays while one of two leading pages is left, and ends with the last', async () => {
    const app = await startApp()
    beat(app)
    const [one, two] = await Promise.all([1, 2].map(() => WsClient.welcomed(app, { webCrossTradeActive: true })))
    expect(dualEngine(app)).toEqual([true])
    await one?.leave()
    await two?.settled()
    expect(dualEngine(app)).toEqual([true])
    await two?.leave()
    await expect.poll(() => dualEngine(app)).toEqual([true, false])
  })

  it('does not come for a page that does not lead, nor for one that is not let in', async () => {
    const app = await startApp()
    beat(app)
    await WsClient.welcomed(app)
    const unknown = await WsClient.hello({ label: 'unknown', webCrossTradeActive: true })
    unknown.send({ t: 'client:state', webCrossTradeActive: true })
    await unknown.settled()
    expect(dualEngine(app)).toEqual([])
  })

  it('comes for a page that began to lead while it waited for the operator', async () => {
    const app = await startApp()
    beat(app)
    const clientId = 'b1946ac9-2492-4d23-8f4a-0c1f3a6d5e7b'
    const page = await WsClient.hello({ clientId })
    page.send({ t: 'client:state', webCrossTradeActive: true })
    await page.settled()
    await app.app.ports.clients?.decide(clientId, 'approved')
    await page.nextFrame('welcome')
    expect(dualEngine(app)).toEqual([true])
  })
})
