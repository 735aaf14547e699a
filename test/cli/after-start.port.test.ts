// What a start does besides listening: one check-in that nothing waits for, and the hint when no page has come
// (behaviours 118 and 142).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY } from '../../harness/process/built-hookline.mjs'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { afterStart } from '../../src/app/after-start.ts'
import type { Notice } from '../../src/app/app-events.ts'

const CLIENT_HINT_MS = 75_000

async function webServer(answers: boolean) {
  const requests: { request: IncomingMessage; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      requests.push({ request, body })
      if (answers) response.end('{}')
      server.emit('asked')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Starts the built binary headless and resolves once it listens. */
async function startBinary(webUrl: string) {
  const directory = join(tempDirectory(), 'state')
  mkdirSync(directory)
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ webUrl }))
  const child = spawn(process.execPath, [BINARY, 'listen'], {
    env: { ...process.env, HOOKLINE_CONFIG_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('listening on')) break
  }
  return child
}

describe('the check-in', () => {
  it('is sent once at a start, with platform, listenerId and version', async () => {
    const { server, requests, url } = await webServer(true)
    const asked = once(server, 'asked')
    await startBinary(`${url}/app/`)
    await asked
    const [first] = requests
    expect(first?.request.method).toBe('POST')
    expect(first?.request.url).toBe('/app/api/cli/checkin')
    expect(JSON.parse(first?.body ?? '')).toEqual({
      platform: process.platform,
      listenerId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    expect(requests).toHaveLength(1)
  })

  it('neither delays the start nor the end when the web app hangs', async () => {
    const { server, url } = await webServer(false)
    const asked = once(server, 'asked')
    const child = await startBinary(url)
    await asked
    const from = performance.now()
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
    // The check-in itself is given up after five seconds.
    expect(performance.now() - from).toBeLessThan(4_500)
  })
})

describe('the client hint', () => {
  async function noticesAfter(ms: number, hadClient?: boolean, prepare?: (app: RunningApp) => Promise<void>) {
    const running = await startApp()
    await prepare?.(running)
    const { app } = running
    const notices: Notice[] = []
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hasHadClient = () => hadClient ?? app.hasHadClient()
    const { ports, log, signIn } = app
    const stop = afterStart({ ports, log, signIn, hasHadClient, consoleDecided: async () => {} }, undefined, (notice) =>
      notices.push(notice),
    )
    vi.advanceTimersByTime(ms)
    stop()
    vi.useRealTimers()
    return notices
  }

  it('comes 75 s after a start without a connection, and names the page', async () => {
    expect(await noticesAfter(CLIENT_HINT_MS)).toEqual([
      { kind: 'info', text: expect.stringContaining('refresh its tab (http://127.0.0.1:53220)') },
    ])
  })

  it('does not come sooner', async () => {
    expect(await noticesAfter(CLIENT_HINT_MS - 1)).toEqual([])
  })

  it('does not come while a page waits for its answer: to reload it would take its question away', async () => {
    const prepare = async ({ questions }: RunningApp) => {
      await WsClient.hello({ clientId: 'tab' })
      await expect.poll(() => questions.at(-1)?.question?.clientId).toBe('tab')
    }
    expect(await noticesAfter(CLIENT_HINT_MS, undefined, prepare)).toEqual([])
  })

  it('does not come between the lines of a trader', async () => {
    const prepare = async ({ createHook, runsDone }: RunningApp) => {
      const { id, secret } = await createHook('echo ran')
      const headers = { 'X-Hook-Token': secret }
      await fetch(`http://127.0.0.1:53219/hook/${id}`, { method: 'POST', headers })
      await runsDone(1)
    }
    expect(await noticesAfter(CLIENT_HINT_MS, undefined, prepare)).toEqual([])
  })

  it('does not come when a page has been connected', async () => {
    expect(await noticesAfter(CLIENT_HINT_MS, true)).toEqual([])
  })
})
