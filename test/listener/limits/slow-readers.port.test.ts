// Clients that do not read what is sent to them: cut with 1013, at a bounded price, and nobody else notices.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HooklineProcess } from '../../../harness/process/hookline-process.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { OPCODE, RawSession } from '../../../harness/wire/raw-session.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { clientFrameBytes, WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { openHookStore } from '../../../src/stores/hooks.ts'

const exec = (id: string, command: string) => ({ t: 'cmd:exec', id, command })

/** Counts what arrives and keeps none of it. */
function count(client: WsClient) {
  const counted = { frames: 0, bytes: 0 }
  client.ws.removeAllListeners('message')
  client.ws.on('message', (data: Buffer) => {
    counted.frames++
    counted.bytes += data.length
  })
  return counted
}

describe('a client that reads nothing', () => {
  it('is cut with 1013 once more than 1 MiB waits for it, and can read what was sent before', async () => {
    const app = await startApp()
    const slow = await RawSession.trusted(app)
    slow.client.socket.pause()
    const line = 'x'.repeat(4_000)
    for (let rounds = 0; rounds < 50; rounds++)
      slow.send(clientFrameBytes(JSON.stringify(exec(`${rounds}`, `repeat 500 (echo ${line}); sleep 10ms`))))
    await expect.poll(() => app.app.ports.clients?.connected().size).toBe(0)
    slow.client.socket.resume()
    const messages = await slow.messages()
    expect(messages.at(-1)?.opcode).toBe(OPCODE.close)
    expect(messages.at(-1)?.payload.readUInt16BE(0)).toBe(1013)
    expect(messages.length).toBeGreaterThan(LISTENER_LIMITS.unsentBytes / line.length)
    expect(messages.slice(0, -1).every(({ opcode }) => opcode === OPCODE.text)).toBe(true)
    // Its runs are runs like others: they end as if it had read on.
    await app.runsDone(app.app.ports.runs().length)
    expect(app.done.every(({ result }) => result.success)).toBe(true)
  })

  it('is cut while 200 MB are pushed at it, and other subscribers get every line', async () => {
    const hookline = await HooklineProcess.start()
    const body = `repeat 250 (echo ${'x'.repeat(3_900)})`
    const hook = await openHookStore(hookline.directory).create({ name: 'flood', command: body })
    const healthy = [await hookline.welcomed(), await hookline.welcomed()]
    for (const client of healthy) client.send({ t: 'subscribe', topics: ['hook-output'] })
    await Promise.all(healthy.map((client) => client.settled()))
    const counts = healthy.map(count)
    let fires = 0
    /** Pushes about so many MB, each fire after the healthy ones have had the one before. */
    const push = async (megabytes: number) => {
      for (let pushed = 0; pushed < megabytes; pushed++) {
        fires++
        expect((await fire(hook)).status).toBe(200)
        await expect.poll(() => counts.map(({ frames }) => frames), { interval: 1 }).toEqual([fires * 251, fires * 251])
      }
    }
    await push(10)
    const slow = await hookline.welcomed()
    slow.send({ t: 'subscribe', topics: ['hook-output'] })
    await slow.settled()
    slow.ws.pause()
    await push(200)
    slow.ws.resume()
    // A page that reads on only after the connection was given up finds no code.
    expect([1013, 1006]).toContain((await slow.closed()).code)
  })

  it('holds nobody up when runs of its own print 400 MB without a pause', async () => {
    const hookline = await HooklineProcess.start()
    const client = await hookline.welcomed()
    const other = await hookline.welcomed()
    const line = 'x'.repeat(4_000)
    client.ws.pause()
    for (let run = 0; run < 12; run++) client.send(exec(`a${run}`, `repeat 9 (repeat 1000 (echo ${line}))`))
    other.send(exec('b', 'echo on'))
    expect(await other.nextFrame('cmd:done')).toMatchObject({ id: 'b', success: true })
  })

  it('but only pings holds nobody up', async () => {
    const hookline = await HooklineProcess.start()
    const client = await hookline.welcomed()
    client.ws.pause()
    const ping = 'x'.repeat(120)
    const ended = once(client.ws, 'close')
    for (let round = 0; round < 400 && client.ws.readyState === client.ws.OPEN; round++) {
      for (let pings = 0; pings < 1_000; pings++) client.ws.ping(ping)
      await new Promise((resolve) => setImmediate(resolve))
    }
    client.ws.terminate()
    await ended
    expect((await (await hookline.welcomed()).send(exec('a', 'echo on')).nextFrame('cmd:done')).success).toBe(true)
  })
})

describe('a client that reads', () => {
  it('gets a snapshot that is larger than what may wait', async () => {
    const app = await startApp()
    const rows = Array.from({ length: 2_000 }, (_, index) => {
      const hex = index.toString(16).padStart(32, '0')
      return { id: hex, name: `h${index}`, secret: hex, command: 'x'.repeat(4_000), createdAt: index }
    })
    writeFileSync(join(app.directory, 'hooks.json'), JSON.stringify({ hooks: rows }))
    const client = await WsClient.welcomed(app)
    client.send({ t: 'subscribe', topics: ['hooks'] })
    expect((await client.nextFrame('state:hooks')).hooks).toHaveLength(2_000)
    expect(client.received.at(-1)?.length).toBeGreaterThan(4 * LISTENER_LIMITS.unsentBytes)
    await client.settled()
  })
})
