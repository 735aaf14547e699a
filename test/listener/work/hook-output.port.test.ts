// The topic `hook-output`: every line of every hook's run and its end, under the `runId` that answered the POST.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import type { ServerFrame } from '../../../src/protocol/frames.ts'
import type { Hook } from '../../../src/stores/hooks.ts'

const framesOf = (client: WsClient, id: string | undefined): ServerFrame[] =>
  client.untaken.filter((frame) => 'id' in frame && frame.id === id)

describe('hook-output', () => {
  it('carries the output and the end of a run, in order, to every subscriber and nobody else', async () => {
    const app = await startApp()
    const [one, two, none] = [await WsClient.welcomed(app), await WsClient.welcomed(app), await WsClient.welcomed(app)]
    for (const client of [one, two]) client.send({ t: 'subscribe', topics: ['hook-output'] })
    await Promise.all([one.settled(), two.settled()])
    const hook = await app.createHook('echo first; echo "second\nline"; nonsense')
    const { body } = await fire(hook)
    for (const client of [one, two]) {
      const id = body.runId
      const first = { t: 'cmd:output', id, hookId: hook.id, kind: 'print', text: 'first' }
      expect(await client.nextFrame()).toEqual(first)
      expect(await client.nextFrame()).toMatchObject({ t: 'cmd:output', id, kind: 'print' })
      const { text } = await client.nextFrame('cmd:output')
      expect(text).toContain('nonsense')
      expect(await client.nextFrame()).toMatchObject({ t: 'cmd:done', id, success: false, error: text.split('\n')[0] })
    }
    await none.settled()
    expect(none.untaken).toEqual([])
  })

  it('carries a hundred runs at once, each whole and under its own id', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hook-output'] })
    await client.settled()
    const hooks = await Promise.all(
      Array.from({ length: 5 }, (_, index) => app.createHook(`echo a${index}; sleep 5ms; echo b${index}`)),
    )
    const fired = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => ({ index, ...(await fire(hooks[index % 5] as never)) })),
    )
    await app.runsDone(100)
    await client.settled()
    for (const { index, body } of fired) {
      expect(framesOf(client, body.runId)).toMatchObject([
        { t: 'cmd:output', id: body.runId, kind: 'print', text: `a${index % 5}` },
        { t: 'cmd:output', id: body.runId, kind: 'print', text: `b${index % 5}` },
        { t: 'cmd:done', id: body.runId, success: true },
      ])
    }
    expect(client.untaken).toHaveLength(300)
  })

  it('carries nothing of what the operator types or a client runs', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hook-output'] })
    const other = await WsClient.welcomed(app)
    await app.app.runner.run({ runId: 'typed', source: 'repl', command: 'echo typed' })
    other.send({ t: 'cmd:exec', id: 'a', command: 'echo run' })
    await other.nextFrame('cmd:done')
    await client.settled()
    expect(client.untaken).toEqual([])
  })

  it('joined in the middle of a run carries the rest of it', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const { body } = await fire(await app.createHook('echo early; sleep 10m'))
    await expect.poll(() => app.output, { interval: 10 }).toEqual(['print early'])
    client.send({ t: 'subscribe', topics: ['hook-output'] })
    await client.settled()
    app.app.runner.stop(() => true, 'stopped: by the test')
    const id = body.runId
    expect(await client.nextFrame()).toMatchObject({ t: 'cmd:output', id, kind: 'error' })
    expect(await client.nextFrame()).toMatchObject({ t: 'cmd:done', id, success: false, error: 'stopped: by the test' })
  })

  it('left carries no more', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hook-output'] }).send({ t: 'unsubscribe', topics: ['hook-output'] })
    await client.settled()
    await fire(await app.createHook())
    await app.runsDone(1)
    await client.settled()
    expect(client.untaken).toEqual([])
  })

  it('carries the fill of a resting order under the run that placed it, after its end', async () => {
    const app = await startApp()
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hook-output'] })
    await client.settled()
    const lines: { readonly id: string; readonly text: string }[] = []
    /** Until an order of the hook rests: where the price moved first, it has filled in its own run. */
    const rest = async (hook: Hook): Promise<string> => {
      for (;;) {
        const { runId = '' } = (await fire(hook)).body
        const isItsOwn = ({ id }: { readonly id: string }) => id === runId
        while (!lines.some(isItsOwn)) lines.push(await client.nextFrame('cmd:output'))
        if (lines.find(isItsOwn)?.text.includes('is open')) return runId
      }
    }
    // The next move of the price, whichever way it goes, fills one of the two.
    const buys = await rest(await app.createHook('buy 0.01 best'))
    const sells = await rest(await app.createHook('sell 0.01 best', { account: 'second' }))
    const isLate = ({ id, text }: { readonly id: string; readonly text: string }) =>
      [buys, sells].includes(id) && !text.includes('is open')
    while (!lines.some(isLate)) lines.push(await client.nextFrame('cmd:output'))
    const late = lines.find(isLate) ?? { id: '', text: '' }
    expect(late.text).toMatch(/(bought|sold) 0\.01 BTCUSDT at/)
    expect(late.id).toBe(late.text.includes('bought') ? buys : sells)
  })
})
