import { describe, expect, it } from 'vitest'
import { fire } from '../../../harness/wire/wire-rows.ts'

import { busy } from './busy-session.ts'

describe('panic', () => {
  it('is remoteExec off to senders, and has its own words for pages, until the terminal says resume', async () => {
    const { app, client, hook } = await busy()
    const say = (command: string) => app.app.runner.run({ runId: command, source: 'repl', command })
    await say('panic')
    client.send({ t: 'cmd:exec', id: 'a', command: 'close all' })
    const error = 'panic is on; type resume in the terminal'
    expect(await client.nextFrame()).toEqual({ t: 'cmd:output', id: 'a', kind: 'error', text: error })
    expect(await client.nextFrame()).toEqual({ t: 'cmd:done', id: 'a', success: false, error })
    expect(await fire(hook)).toMatchObject({ status: 423, body: { error: 'remoteExec disabled' } })
    await say('resume')
    client.send({ t: 'cmd:exec', id: 'b', command: 'echo on' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ id: 'b', success: true })
    expect((await fire(hook)).status).toBe(200)
  })

  it('may be said by a page, and by a hook', async () => {
    const { app, client } = await busy()
    client.send({ t: 'cmd:exec', id: 'a', command: 'panic' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
    expect(app.app.ports.panic.read()).toMatchObject({ by: 'web tab' })
    await app.app.runner.run({ runId: 'r', source: 'repl', command: 'resume' })
    expect((await fire(await app.createHook('panic'))).status).toBe(200)
    await app.runsDone(3)
    expect(app.app.ports.panic.read()).toMatchObject({ by: 'hook hook-2' })
  })
})

describe('a fire that ends before it begins', () => {
  it('is a cmd:done without success on hook-output, and nothing else', async () => {
    const { app, client, set } = await busy()
    const slow = await app.createHook('sleep 10m', { parallel: 1 })
    await fire(slow)
    const { body } = await fire(slow)
    set({ remoteExec: false })
    const done = [await client.nextFrame('cmd:done'), await client.nextFrame('cmd:done')]
    expect(done).toContainEqual({
      t: 'cmd:done',
      id: body.runId,
      hookId: slow.id,
      success: false,
      error: 'stopped: remoteExec is off',
      unbegun: 'stopped',
    })
  })
})
