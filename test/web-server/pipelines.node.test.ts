// One connection that asks much and reads little, and many that ask nothing: what they cost the server, and whether others are answered meanwhile.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { BUSY_MS } from '../../harness/patience.ts'
import { WEB_SERVER_LIMITS } from '../../src/web-server/web-server-limits.ts'
import { PAGE, type Serving, serve } from './serving.ts'

const ASSET = '/assets/index-BQ2x_3aZ.js'
const MEGABYTE = 1_000_000

const get = ({ server }: Serving, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`

/** ms that each of so many requests took, one after the other, the longest last. */
async function timesOf(serving: Serving, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const from = performance.now()
    expect((await serving.ask('/api/settings')).status).toBe(200)
    times.push(performance.now() - from)
  }
  return times.toSorted((a, b) => a - b)
}

test('40 000 pipelined requests for a file whose answers are not read cost under 50 MB, and others are answered within 100 ms', async () => {
  const serving = await serve({ 'index.html': PAGE, [ASSET.slice(1)]: 'x'.repeat(MEGABYTE) })
  await serving.ask(ASSET)
  const alone = await timesOf(serving, 40)
  const before = process.memoryUsage().rss
  const flood = connect({ host: '127.0.0.1', port: serving.server.port })
  flood.on('error', () => {})
  onTestFinished(() => void flood.destroy())
  flood.pause()
  flood.write(get(serving, ASSET).repeat(40_000))
  const times = await timesOf(serving, 100)
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * MEGABYTE)
  // A busy machine stalls both alike, now and then for longer.
  expect(times[50]).toBeLessThan(Math.max(100, 3 * (alone[20] ?? 0)))
  expect(times.at(-1)).toBeLessThan(Math.max(BUSY_MS, 3 * (alone.at(-1) ?? 0)))
})

test('pipelined requests are answered in order, bodies and refusals among them, up to the last that keeps the connection', async () => {
  const serving = await serve()
  const client = await serving.connect()
  const patch = (body: string) =>
    `PATCH /api/settings HTTP/1.1\r\nHost: 127.0.0.1:${serving.server.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const padding = ' '.repeat(3_000)
  client.send(
    [
      get(serving, '/'),
      patch(`{"trustedListenerIds":${padding}{}}`),
      get(serving, '/nothing'),
      patch('nonsense'),
      get(serving, '/api/settings'),
      `GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      get(serving, '/'),
    ].join(''),
  )
  const statuses: number[] = []
  for (let index = 0; index < 6; index++) statuses.push((await client.answer()).status)
  expect(statuses).toEqual([200, 200, 404, 400, 200, 403])
  expect(await client.ended()).toBe('')
})

test('a request whose body does not come makes room for others, and one that is answered before its body ends its connection', async () => {
  const serving = await serve()
  const host = `Host: 127.0.0.1:${serving.server.port}\r\n`
  const head = `PATCH /api/settings HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
  const holders = await Promise.all(Array.from({ length: WEB_SERVER_LIMITS.sockets }, () => serving.connect()))
  for (const holder of holders) holder.send(head)
  await sleep(50)
  expect((await serving.ask('/')).status).toBe(200)
  const early = await serving.connect()
  early.send(`PATCH /api/settings HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\n{`)
  expect((await early.answer()).status).toBe(415)
  expect(await early.ended()).toBe('')
})
