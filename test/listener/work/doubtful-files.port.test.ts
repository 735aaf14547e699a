// config.json in states that leave a switch in doubt, and files that are removed, under a listener with a page and a hook (behaviour 22).
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { knock, WsClient } from '../../../harness/wire/ws-client.ts'

async function busy() {
  const app = await startApp()
  const hook = await app.createHook('echo fired')
  const client = await WsClient.welcomed(app)
  const set = (flags: object) => app.writeConfig({ listener: flags })
  return { app, hook, client, set }
}

/** ms from now on, less those in which a loaded machine kept this process, and the app in it, from running. */
function ownTime(): () => number {
  const began = performance.now()
  let [last, heldUp] = [began, 0]
  const look = () => {
    const now = performance.now()
    heldUp += Math.max(0, now - last - 2 * LOOK_MS)
    last = now
  }
  const timer = setInterval(look, LOOK_MS)
  return () => {
    clearInterval(timer)
    look()
    return last - began - heldUp
  }
}

const LOOK_MS = 10

describe('a config.json that nobody can be sure of', () => {
  it.each<[string, (path: string) => void]>([
    ['does not parse', (path) => writeFileSync(path, '{"listener":{"remoteExec":false,}}')],
    ['is gone', (path) => rmSync(path)],
    [
      'links to nothing',
      (path) => {
        rmSync(path)
        symlinkSync('nothing.json', path)
      },
    ],
  ])('that %s turns everything off within a second, and on again once it is back', async (_what, damage) => {
    const { app, hook, client, set } = await busy()
    set({})
    expect((await fire(hook)).status).toBe(200)
    const off = app.nextEvent('disabled')
    const took = ownTime()
    damage(join(app.directory, 'config.json'))
    await Promise.all([client.closed(), off])
    expect(took()).toBeLessThan(1_000)
    expect(await fire(hook)).toMatchObject({ status: 503 })
    rmSync(join(app.directory, 'config.json'), { force: true })
    expect(await fire(hook)).toMatchObject({ status: 503 })
    const on = app.nextEvent('enabled')
    set({})
    await on
    expect((await fire(hook)).status).toBe(200)
  })

  it('that is written in two steps turns nothing off', async () => {
    const { app, hook, client } = await busy()
    const path = join(app.directory, 'config.json')
    const text = '{"listener":{"accountSync":false}}'
    writeFileSync(path, text)
    expect((await fire(hook)).status).toBe(200)
    writeFileSync(path, text.slice(0, 20))
    expect((await fire(hook)).status).toBe(200)
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
    writeFileSync(path, text)
    expect((await fire(hook)).status).toBe(200)
    expect(app.events.map(({ type }) => type)).not.toContain('disabled')
  })

  it.each([
    ['remoteexec', { listener: { remoteexec: false } }],
    ['remoteExec at the top', { remoteExec: false }],
    ['Listener', { Listener: { remoteExec: false } }],
  ])('with %s runs nothing, from the very next fire', async (_what, content) => {
    const { app, hook } = await busy()
    app.writeConfig(content)
    expect((await fire(hook)).status).not.toBe(200)
    app.writeConfig({})
    await expect.poll(async () => (await fire(hook)).status).toBe(200)
  })

  it('with a list of origins that is none refuses pages and still takes fires', async () => {
    const { app, hook, client, set } = await busy()
    set({ allowedOrigins: 'http://127.0.0.1:53220' })
    expect(await client.closed()).toMatchObject({ code: 4403 })
    expect((await (await knock()).answer()).status).toBe(403)
    expect((await fire(hook)).status).toBe(200)
    await expect.poll(() => app.warnings.join()).toContain('every web page is refused')
  })
})

describe('a file that is removed', () => {
  it('hooks.json takes its hooks with it within a second', async () => {
    const { app, hook } = await busy()
    expect((await fire(hook)).status).toBe(200)
    const took = ownTime()
    rmSync(join(app.directory, 'hooks.json'))
    await expect.poll(async () => (await fire(hook)).status, { interval: 5 }).toBe(404)
    expect(took()).toBeLessThan(1_000)
  })

  it('trusted-clients.json takes its sessions with it within a second', async () => {
    const { app, client } = await busy()
    const took = ownTime()
    rmSync(join(app.directory, 'trusted-clients.json'))
    expect(await client.closed()).toMatchObject({ code: 4409 })
    expect(took()).toBeLessThan(1_000)
  })
})
