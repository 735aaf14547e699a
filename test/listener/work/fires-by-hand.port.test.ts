// `hook fire`, through the real listener: decided as a POST is.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { rawRequest } from '../../../harness/wire/raw-http.ts'
import type { NewHook } from '../../../src/stores/hooks.ts'

async function withHook(command: string, options: Partial<NewHook> = {}) {
  const app = await startApp()
  const hook = await app.createHook(command, options)
  const fire = (body = '') =>
    app.app.runner.run({ runId: randomUUID(), source: 'web', command: `hook fire ${hook.name} ${body}` })
  return { ...app, hook, fire }
}

describe('a fire by hand', () => {
  it('is a run of the hook, and its limits count it', async () => {
    const app = await withHook('echo ran', { limits: { cooldownMs: 60_000 } })
    expect(await app.fire()).toEqual({ success: true })
    await expect.poll(() => app.output).toContainEqual('print ran')
    expect(await app.fire()).toEqual({
      success: false,
      error: expect.stringMatching(/^hook \S+ did not run: cooldown of 1m$/),
      unbegun: 'skipped',
    })
    await expect.poll(() => app.unbegun.map(({ result }) => result.error)).toEqual(['skipped: cooldown of 1m'])
  })

  it('of a paused hook runs nothing, and says that it is paused', async () => {
    const app = await withHook('echo ran')
    await app.app.ports.hooks.edit(app.hook.id, () => ({ paused: { since: 1, by: 'page', why: 'holiday' } }))
    const posted = await rawRequest(
      `POST /hook/${app.hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${app.hook.secret}\r\n\r\n`,
    )
    expect(JSON.parse(posted.body)).toMatchObject({ ok: true, paused: true })
    expect(await app.fire()).toMatchObject({
      success: false,
      error: `hook ${app.hook.name} did not run: the hook is paused (holiday) (type \`hook resume ${app.hook.name}\` first)`,
    })
    await expect
      .poll(() => app.unbegun.map(({ result }) => result.error))
      .toEqual(Array(2).fill('skipped: the hook is paused (holiday)'))
    expect(app.output).not.toContainEqual('print ran')
    // The fire that was posted; who fires by hand has read it.
    await app.app.stop(0)
    expect(app.warnings.filter((text) => text.includes('skipped'))).toEqual([
      `hook ${app.hook.name} skipped 1 fire: the hook is paused (holiday)`,
    ])
  })

  it('of a hook for another position says so, and what the position is', async () => {
    const { fire, hook } = await withHook('buy 0.01 BTCUSDT', { account: 'paper', limits: { onlyIf: 'flat' } })
    expect(await fire()).toEqual({ success: true })
    expect(await fire()).toEqual({
      success: false,
      error: `hook ${hook.name} did not run: BTCUSDT is long, and it runs only if flat`,
      unbegun: 'skipped',
    })
  })

  it('fills the slots by its words, and is refused where an alert would be', async () => {
    const app = await withHook('echo {size:usd<=500}')
    expect(await app.fire('size=501')).toMatchObject({ success: false, error: expect.stringContaining('above 500') })
    expect(await app.fire('size=250')).toEqual({ success: true })
    await expect.poll(() => app.output).toContainEqual('print $250')
  })

  it('runs once under an id that is typed, whoever came first, and each time without one', async () => {
    const app = await withHook('echo {size:usd<=500} -- {id:key} {at:time<=30s}')
    const ran = () => app.output.filter((line) => line.startsWith('print $')).length
    expect(await app.fire('size=250 id=a1')).toEqual({ success: true })
    expect(await app.fire('size=250 id=a1')).toEqual({
      success: false,
      error: expect.stringMatching(/^hook \S+ did not run: an alert with this id has run already/),
    })
    const body = `{"size":250,"id":"a1","at":${Math.round(Date.now() / 1000)}}`
    const posted = await rawRequest(
      `POST /hook/${app.hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${app.hook.secret}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(JSON.parse(posted.body)).toMatchObject({ ok: true, repeat: true })
    await expect.poll(ran).toBe(1)
    expect([await app.fire('size=250'), await app.fire('size=250')]).toEqual(Array(2).fill({ success: true }))
    await expect.poll(ran).toBe(3)
    expect(await app.fire('size=250 at=1000000000')).toEqual({
      success: false,
      error: expect.stringMatching(/^hook \S+ did not run: .* old$/),
      unbegun: 'skipped',
    })
    await expect
      .poll(() => app.unbegun.map(({ result }) => result.error))
      .toEqual([expect.stringMatching(/^skipped: .* old$/)])
  })

  it('runs nothing in a preview', async () => {
    const app = await withHook('echo ran')
    const { ok, notes } = await app.app.ports.preview({ command: `hook fire ${app.hook.name}`, source: 'web' })
    expect({ ok, notes }).toEqual({
      ok: true,
      notes: ['`hook fire` is left out: `hook test` shows what the hook would do'],
    })
    expect(app.output).toEqual([])
  })
})
