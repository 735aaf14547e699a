// Pings: who is gone without a word is cut off after two misses, and a machine that slept has missed nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { HooklineProcess } from '../../../harness/process/hookline-process.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { OPCODE, RawSession } from '../../../harness/wire/raw-session.ts'
import { clientFrameBytes, WsClient } from '../../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

describe('pings', () => {
  // Sockets and other timers are real: only the intervals go when the test says so.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const passInterval = () => vi.advanceTimersByTime(WIRE_LIMITS.pingMs)

  /** A client that reads and never answers a ping. */
  async function mute(app: Awaited<ReturnType<typeof startApp>>) {
    const session = await RawSession.trusted(app)
    const ping = async () => {
      const pinged = once(session.client.socket, 'data')
      passInterval()
      await pinged
    }
    return { session, ping }
  }

  it('are sent at every interval, and a client that answers them stays', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    for (let interval = 0; interval < 10; interval++) {
      const pinged = once(client.ws, 'ping')
      passInterval()
      await pinged
      await client.settled()
    }
    client.send({ t: 'cmd:exec', id: 'a', command: 'echo on' })
    expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
  })

  it('that go unanswered end the session at the interval after the second', async () => {
    const app = await startApp()
    const { session, ping } = await mute(app)
    for (let missed = 0; missed < LISTENER_LIMITS.missedPongs; missed++) await ping()
    expect(app.app.ports.clients?.connected().size).toBe(1)
    passInterval()
    const opcodes = (await session.messages()).map(({ opcode }) => opcode)
    expect(opcodes).toEqual([OPCODE.text, OPCODE.ping, OPCODE.ping])
    await expect.poll(() => app.activities.at(-1)?.type).toBe('disconnected')
  })

  it('may be missed once and again, as long as one in between is answered', async () => {
    const app = await startApp()
    const { session, ping } = await mute(app)
    const pong = clientFrameBytes('', { opcode: OPCODE.pong })
    const probe = clientFrameBytes('probe', { opcode: OPCODE.ping })
    for (let round = 0; round < 6; round++) {
      await ping()
      if (round % 2 === 0) continue
      // The answer to our own ping tells that our pong has been read.
      const answered = once(session.client.socket, 'data')
      session.send(pong, probe)
      await answered
    }
    expect(app.app.ports.clients?.connected().size).toBe(1)
  })

  it('that a sleeping machine could not answer do not count', async () => {
    const app = await startApp()
    const { session, ping } = await mute(app)
    const awake = performance.now.bind(performance)
    let sleptMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => awake() + sleptMs)
    for (let nights = 0; nights < 4; nights++) {
      await ping()
      sleptMs += 3_600_000
    }
    await ping()
    expect(app.app.ports.clients?.connected().size).toBe(1)
    // From here on the machine is awake, and silence counts again.
    await ping()
    passInterval()
    await session.client.ended()
  })

  it('are sent to those who wait for the operator, too', async () => {
    const app = await startApp()
    const client = await WsClient.hello({ label: 'unknown' })
    await client.settled()
    const pinged = once(client.ws, 'ping')
    passInterval()
    await pinged
    expect(app.questions.at(-1)?.question?.label).toBe('unknown')
  })
})

describe('beats', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  it('come with the welcome and at every interval, with the time, to who understands them and to nobody else', async () => {
    const app = await startApp()
    const plain = await WsClient.welcomed(app)
    const client = await WsClient.welcomed(app, { features: ['beats'] })
    const first = await client.nextFrame('beat')
    expect(Math.abs(first.at - Date.now())).toBeLessThan(5_000)
    vi.advanceTimersByTime(WIRE_LIMITS.beatMs)
    expect((await client.nextFrame('beat')).at).toBeGreaterThanOrEqual(first.at)
    await plain.settled()
    expect(plain.received.filter((text) => text.includes('beat'))).toEqual([])
  })
})

describe('a process that was stopped for a while', () => {
  it('does nothing of what was to begin before it woke, and all that came without a time', async () => {
    const hookline = await HooklineProcess.start()
    const client = await hookline.welcomed()
    hookline.signal('SIGSTOP')
    const line = { t: 'cmd:exec', command: 'buy $500 BTCUSDT' }
    client.send({ ...line, id: 'late', latest: Date.now() + 1_000 })
    client.send({ ...line, id: 'in-time', latest: Date.now() + WIRE_LIMITS.lineMs })
    client.send({ ...line, id: 'plain' })
    await sleep(2_000)
    hookline.signal('SIGCONT')
    expect(await client.nextFrame('cmd:done')).toEqual({
      t: 'cmd:done',
      id: 'late',
      success: false,
      error: expect.stringMatching(/^not run: it was read \d s after/),
    })
    const ended = [await client.nextFrame('cmd:done'), await client.nextFrame('cmd:done')]
    expect(ended.map(({ id, success }) => [id, success]).sort()).toEqual([
      ['in-time', true],
      ['plain', true],
    ])
  })

  it('has its sessions as before, and does what was asked of it meanwhile', async () => {
    const hookline = await HooklineProcess.start()
    const clients = [await hookline.welcomed(), await hookline.welcomed()]
    hookline.signal('SIGSTOP')
    for (const client of clients) client.send({ t: 'cmd:exec', id: 'a', command: 'echo awake' })
    await sleep(3_000)
    hookline.signal('SIGCONT')
    for (const client of clients) {
      expect(await client.nextFrame('cmd:output')).toMatchObject({ text: 'awake' })
      expect(await client.nextFrame('cmd:done')).toMatchObject({ success: true })
      await client.settled()
    }
  })

  it('as a client finds its session as before, with what it missed', async () => {
    const hookline = await HooklineProcess.start()
    const clientId = hookline.clientId
    const script = `
      const ws = new (require('ws').WebSocket)('ws://127.0.0.1:53219/ws', { origin: 'http://127.0.0.1:53220' })
      ws.on('open', () => ws.send(JSON.stringify({ t: 'hello', clientId: '${clientId}' })))
      ws.on('message', (data) => {
        const frame = JSON.parse(data)
        if (frame.t === 'welcome') ws.send(JSON.stringify({ t: 'cmd:exec', id: 'a', command: 'echo in; sleep 1s; echo out' }))
        console.log(frame.t, frame.text ?? '')
        if (frame.t === 'cmd:done') ws.close()
      })`
    const tab = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void tab.kill('SIGKILL'))
    let said = ''
    tab.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await expect.poll(() => said).toContain('in')
    tab.kill('SIGSTOP')
    await sleep(2_000)
    tab.kill('SIGCONT')
    await once(tab, 'close')
    expect(said.split('\n').map((line) => line.trim())).toEqual([
      'welcome',
      'cmd:output in',
      'cmd:output out',
      'cmd:done',
      '',
    ])
  })
})
