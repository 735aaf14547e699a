// A page and a hook turn switches off and say halt; neither turns anything on.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { RawClient } from '../../../harness/wire/raw-http.ts'
import { fire, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

async function start(config: object = {}) {
  const app = await startApp({ config })
  const client = await WsClient.welcomed(app)
  const exec = async (command: string) => {
    const id = crypto.randomUUID()
    client.send({ t: 'cmd:exec', id, command })
    return client.nextFrame('cmd:done')
  }
  return { app, client, exec }
}

const written = ({ directory }: RunningApp) => JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'))
const switchesOf = ({ app }: RunningApp) => app.ports.config.read().listener

describe('a switch', () => {
  it('is turned off by a page: the rest of the file stays, other runs stop, and the page reads that it is done', async () => {
    const { app, client, exec } = await start({ webUrl: 'http://127.0.0.1:53220', note: 'mine' })
    client.send({ t: 'cmd:exec', id: 'long', command: 'sleep 10m; echo on' })
    await client.settled()
    client.send({ t: 'cmd:exec', id: 'off', command: 'switch off remoteexec' })
    const ends = [await client.nextFrame('cmd:done'), await client.nextFrame('cmd:done')]
    const endOf = (id: string) => ends.find((end) => end.id === id)
    const outcome = 'remoteExec is off; `switch on remoteExec` in a terminal turns it on again'
    expect(endOf('off')).toEqual({ t: 'cmd:done', id: 'off', success: true, outcome, warned: true })
    expect(endOf('long')).toMatchObject({ success: false, error: expect.stringMatching(/^stopped: remoteExec is off/) })
    expect(written(app)).toMatchObject({ note: 'mine', listener: { remoteExec: false } })
    expect(await exec('switch on remoteExec')).toMatchObject({ success: false, error: 'remoteExec disabled' })
    expect(await fire(await app.createHook())).toMatchObject({ status: 423 })
  })

  it('holds for every fire that is sent after its edit, also where a timer has looked in the same turn of the loop', async () => {
    const { app } = await start()
    const { id, secret } = await app.createHook()
    const caller = await new RawClient().connected()
    const request = `POST /hook/${id} HTTP/1.1\r\nHost: localhost:53219\r\nX-Hook-Token: ${secret}\r\nContent-Length: 0\r\n\r\n`
    const statuses: number[] = []
    for (let round = 0; round < 200; round += 1) {
      // The edit and the bytes fall between the timer's look and the phase of the loop that reads sockets.
      await new Promise<void>((resolve) => {
        setTimeout(() => {
          app.app.ports.config.readOncePerTurn()
          replaceFile(app.directory, 'config.json', { listener: { remoteExec: round % 2 === 1 } })
          caller.send(request)
          resolve()
        }, 1)
      })
      statuses.push((await caller.answer()).status)
    }
    expect(statuses).toEqual(Array.from({ length: 200 }, (_, round) => (round % 2 === 1 ? 200 : 423)))
  })

  it.each(['remoteExec', 'accountSync', 'enabled'])('%s is never turned on by a page or a hook', async (name) => {
    const { app, exec } = await start()
    const done = await exec(`switch on ${name}`)
    expect(done.success).toBe(false)
    expect(done.error).toMatch(/runs only in the terminal, not from hooks or web pages/)
    app.fire(await app.app.ports.hooks.create({ name: 'on', command: `switch on ${name}` }))
    await app.runsDone(2)
    expect(app.done.map(({ result }) => result.success)).toEqual([false, false])
  })

  it('is turned off by a hook, and on at the terminal, where its line is told', async () => {
    const { app } = await start()
    app.fire(await app.createHook('switch off accountSync'))
    await app.runsDone(1)
    expect(app.done[0]?.result).toEqual({ success: true, warned: true })
    expect(app.output).toEqual(['warn accountSync is off; `switch on accountSync` in a terminal turns it on again'])
    expect(switchesOf(app).accountSync).toBe(false)
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'switch on accountSync' })
    expect(switchesOf(app).accountSync).toBe(true)
    const log = app.app.ports.audit.read().map(({ what }) => what)
    expect(log).toEqual(expect.arrayContaining(['switch off', 'switch on']))
  })

  it('lets no further step of the run begin that turned it off', async () => {
    const { app, client } = await start()
    client.send({ t: 'cmd:exec', id: 'a', command: 'switch off remoteExec; buy $100 BTCUSDT' })
    const done = await client.nextFrame('cmd:done')
    expect(done).toMatchObject({ success: false, error: expect.stringMatching(/^stopped: remoteExec is off/) })
    const { venue } = await app.app.connect('paper')
    expect(await venue.fetchPositions()).toEqual([])
  })

  it('that turns hookline off for pages ends the session', async () => {
    const { client } = await start()
    client.send({ t: 'cmd:exec', id: 'a', command: 'switch off enabled' })
    expect(await client.closed()).toMatchObject({ code: 4403 })
  })

  it('of another name, or in a file that is invalid, is refused in words', async () => {
    const { app, exec } = await start()
    expect((await exec('switch off everything')).error).toMatch(/no switch everything found/)
    expect((await exec('switch off')).success).toBe(false)
    app.writeConfig({ listener: { enabled: true, remoteExec: 'yes' } })
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'switch on remoteExec' })
    expect(switchesOf(app).remoteExec).toBe(true)
    app.writeConfig({ listener: { remoteexec: true } })
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'switch on remoteExec' })
    expect(app.done.at(-1)?.result.error).toMatch(/config.json is still ambiguous about it/)
  })
})

describe('halt', () => {
  it('is said by a page, and ended in the terminal alone', async () => {
    const { app, exec } = await start()
    expect(await exec('halt')).toMatchObject({ success: true })
    expect(app.app.ports.guards.read('paper')).toMatchObject({ state: 'halted', by: expect.stringMatching(/^web /) })
    expect((await exec('buy $100 BTCUSDT')).error).toMatch(/was halted by web/)
    expect((await exec('resume')).error).toMatch(/runs only in the terminal/)
    expect(app.app.ports.guards.read('paper').state).toBe('halted')
  })
})
