// `hookline update --check`, against registries on the loopback.
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'
import { checkForUpdate, compareVersions } from '../../src/cli/update-program.ts'

async function startRegistry(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

const check = (registry: string, patienceMs = 5_000) =>
  checkForUpdate({ env: {}, registry, patienceMs, version: '0.2.0' })

describe('an update check', () => {
  it.each([
    ['0.2.1', 'hookline 0.2.1 is newer than this 0.2.0; run `npm install -g hookline@0.2.1`'],
    ['0.10.0', 'hookline 0.10.0 is newer than this 0.2.0; run `npm install -g hookline@0.10.0`'],
    ['0.2.0', 'hookline 0.2.0 is the newest'],
    ['0.1.9', 'hookline 0.2.0 is the newest'],
    ['0.2.0-rc.1', 'hookline 0.2.0 is the newest'],
  ])('with %s published answers in one line', async (version, line) => {
    const asked: string[] = []
    const registry = await startRegistry((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.end(JSON.stringify({ name: 'hookline', version, dist: {} }))
    })
    expect(await check(registry)).toEqual({ line, code: 0 })
    expect(asked).toEqual(['GET /hookline/latest'])
  })

  it('sends nothing about this machine', async () => {
    const heard: string[] = []
    const registry = await startRegistry((request, response) => {
      heard.push(...request.rawHeaders.filter((_text, index) => index % 2 === 0))
      response.end('{"version":"0.2.0"}')
    })
    await check(`${registry}/npm/`)
    const usual = ['host', 'connection', 'accept', 'accept-language', 'sec-fetch-mode', 'user-agent', 'accept-encoding']
    expect(heard.map((name) => name.toLowerCase()).filter((name) => !usual.includes(name))).toEqual([])
  })

  it.each<[string, RequestListener, string]>([
    ['has no hookline', (_request, response) => response.writeHead(404).end('{}'), 'has no hookline'],
    ['fails', (_request, response) => response.writeHead(503).end(), 'answered 503'],
    ['hangs up', (request) => request.socket.destroy(), 'cannot be reached'],
    ['answers HTML', (_request, response) => response.end('<html>'), 'does not name a version of hookline'],
    ['names no version', (_request, response) => response.end('{"version":"\\u001b[31m1"}'), 'does not name a version'],
    ['sends without end', (_request, response) => response.end('x'.repeat(1_100_000)), 'too great a length'],
  ])('of a registry that %s is one line, and fails', async (_what, answer, reason) => {
    const { line, code } = await check(await startRegistry(answer))
    expect(line).toMatch(/^error: updates cannot be checked: 127\.0\.0\.1:\d+ [^\n]+$/)
    expect(line).toContain(reason)
    expect(code).toBe(1)
  })

  it('of a registry that is silent, or stops in its answer, ends with its time', async () => {
    const silent = await startRegistry(() => {})
    const halfway = await startRegistry((_request, response) => void response.write('{"version":'))
    for (const registry of [silent, halfway])
      expect(await check(registry, 300)).toEqual({
        line: expect.stringMatching(/^error: updates cannot be checked: 127\.0\.0\.1:\d+ did not answer in time$/),
        code: 1,
      })
  })

  it.each(['not an address', 'file:///etc/passwd'])('asks no registry that is %s', async (registry) => {
    expect(await check(registry)).toEqual({
      line: 'error: updates cannot be checked: the registry is not an http or https address; pass --registry <url>',
      code: 1,
    })
  })
})

it('versions compare by their numbers', () => {
  const sorted = ['0.1.0', '0.2.0-rc.1', '0.2.0', '0.9.0', '0.10.0', '1.0.0']
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted)
})

describe('the built program', () => {
  it('without a network prints one line and ends with 1', async () => {
    // No one listens on port 1.
    const registry = 'http://127.0.0.1:1'
    const { stdout, stderr, code } = await run(tempDirectory(), ['update', '--check', '--registry', registry])
    expect([stdout, code]).toEqual(['', 1])
    expect(stderr).toBe('error: updates cannot be checked: 127.0.0.1:1 cannot be reached\n')
  })

  it('asks the registry of HOOKLINE_REGISTRY, and of npm where that is not set', async () => {
    const registry = await startRegistry((_request, response) => response.end('{"version":"99.0.0"}'))
    const expected = expect.stringContaining('hookline 99.0.0 is newer than this ')
    const args = ['update', '--check']
    expect(await run(tempDirectory(), args, { env: { HOOKLINE_REGISTRY: registry } })).toMatchObject({
      stdout: expected,
    })
    expect(await run(tempDirectory(), args, { env: { npm_config_registry: registry } })).toMatchObject({
      stdout: expected,
      code: 0,
    })
  })

  it('without npm and without an address says so', async () => {
    expect(await run(tempDirectory(), ['update', '--check'], { env: { PATH: '/nonexistent' } })).toEqual({
      stdout: '',
      stderr: 'error: updates cannot be checked: npm, which names the registry, cannot be run; pass --registry <url>\n',
      code: 1,
    })
  })

  it('never updates itself', async () => {
    const { stderr, code } = await run(tempDirectory(), ['update'])
    expect(stderr).toContain('error: hookline does not update itself; run `hookline update --check`')
    expect(code).toBe(2)
  })
})
