// What a page asks and watches by the client, of a real hookline.
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { clientOf } from '../../harness/wire/client-of.ts'
import { CuttableProxy } from '../../harness/wire/cuttable-proxy.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { type Frame, linesOf } from '../../src/client/public.ts'

async function welcomed({ app }: RunningApp, options: Parameters<typeof clientOf>[0] = {}) {
  const client = clientOf(options)
  await app.ports.trustedClients.add({ clientId: client.clientId, label: 'tab', origin: ORIGIN })
  client.connect()
  await client.until('welcomed')
  return client
}

describe('a question of a client', () => {
  it('resolves with its answer', async () => {
    const client = await welcomed(await startApp())
    await client.exec('buy 0.01 BTCUSDT').result
    const { runs } = await client.ask.runs({ filters: { source: 'web' } })
    expect(runs).toMatchObject([{ command: 'buy 0.01 BTCUSDT', state: 'done' }])
    const [run] = runs
    expect((await client.ask.run(run?.runId ?? '')).orders).toMatchObject([{ symbol: 'BTCUSDT' }])
    const [fills, pnl, equity, completed] = await Promise.all([
      client.ask.fills({ account: 'paper' }),
      client.ask.pnl({ by: 'symbol' }),
      client.ask.equity(),
      client.ask.complete({ line: 'bu', cursor: 2 }),
    ])
    expect(fills.fills[0]).toMatchObject({ runId: run?.runId, source: 'web' })
    expect(pnl.groups.map(({ key }) => key)).toEqual(['BTCUSDT'])
    expect(equity.account).toBe('paper')
    expect(completed.items.map(({ label }) => label)).toContain('buy')
  })

  it('rejects with what hookline says, with what is wrong with it before it is sent, and when nobody is there', async () => {
    const client = await welcomed(await startApp())
    await expect(client.ask.run('00000000')).rejects.toMatchObject({ code: 'refused', delivery: 'sent' })
    await expect(client.ask.runs({ limit: 1_000 })).rejects.toMatchObject({
      code: 'invalid-call',
      delivery: 'not-sent',
    })
    client.disconnect()
    await expect(client.ask.fills()).rejects.toMatchObject({ code: 'not-connected', delivery: 'not-sent' })
  })
})

describe('a watch of a client', () => {
  it('comes to who began it, again after a reconnect, until it is ended', async () => {
    const app = await startApp()
    const proxy = await CuttableProxy.start()
    const client = await welcomed(app, { url: proxy.url })
    const frames: Frame<'state:market'>[] = []
    let wake = (): void => {}
    const end = client.watch.market({ symbol: 'BTCUSDT' }, (frame) => {
      frames.push(frame)
      wake()
    })
    const whole = async (count: number) => {
      while (frames.filter((frame) => frame.whole).length < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    await whole(1)
    proxy.cut()
    await client.until('waiting-to-reconnect')
    client.connect()
    await client.until('welcomed')
    await whole(2)
    expect(new Set(frames.map(({ id }) => id)).size).toBe(1)
    end()
    const refusals: string[] = []
    await new Promise<void>((resolve) => {
      client.watch.portfolio(
        { account: 'nobody' },
        () => {},
        (error) => {
          refusals.push(error)
          resolve()
        },
      )
    })
    expect(refusals).toEqual([expect.stringMatching(/no account nobody/)])
  })
})

describe('a client that takes batches', () => {
  it('reads every line of its runs, and of hooks by `linesOf`', async () => {
    const app = await startApp()
    const client = await welcomed(app, { batches: true })
    const lines: string[] = []
    for await (const { text } of client.exec('repeat 100 (echo line)')) lines.push(text)
    expect(lines).toEqual(Array(100).fill('line'))
    client.subscribe('hook-output')
    await client.ask.complete({ line: '', cursor: 0 })
    const heard: string[] = []
    let frames = 0
    client.on('cmd:output', (frame) => {
      frames += 1
      heard.push(...linesOf(frame).map(({ text }) => text))
    })
    const done = new Promise<void>((resolve) => client.on('cmd:done', () => resolve()))
    app.fire(await app.createHook('repeat 100 (echo heard)'))
    await done
    expect(heard).toEqual(Array(100).fill('heard'))
    expect(frames).toBeLessThan(50)
  })
})
