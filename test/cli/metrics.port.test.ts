// The figures of the built program (behaviour 149): Debian's Prometheus reads them, and nothing in them says what is traded or by whom.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type ReadFamily, readOpenMetrics } from '../../harness/metrics/read-open-metrics.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { createHook, exec, post, RunningHookline, run } from '../../harness/process/hookline.ts'

const ADDRESS = '127.0.0.1:9464'
const PROMETHEUS = '127.0.0.1:9099'

function withMetrics(): string {
  const directory = tempDirectory()
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ metrics: { listen: ADDRESS } }), { mode: 0o600 })
  return directory
}

async function read(directory: string): Promise<{ readonly text: string; readonly families: readonly ReadFamily[] }> {
  const token = readFileSync(join(directory, 'metrics-token'), 'utf8').trim()
  const response = await fetch(`http://${ADDRESS}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  expect([response.status, text.slice(0, 20)]).toEqual([200, '# TYPE hookline_build'.slice(0, 20)])
  return { text, families: readOpenMetrics(text) }
}

function figure(families: readonly ReadFamily[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const all = families.flatMap(({ samples }) => samples).filter((sample) => sample.name === name)
  const found = all.find((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))
  return found?.value ?? Number.NaN
}

/** Until it is true: the figures are read once a second. */
async function eventually<T>(look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (isIt(seen) || performance.now() > until) return seen
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

it('counts fires, orders and refusals, and names no amount, symbol, account, hook or secret', async () => {
  const directory = withMetrics()
  await exec(directory, 'account add quiettrader paper')
  const hook = await createHook(directory, 'secretplan', 'buy 0.0173 ETHUSDT stop 3%', '--account', 'quiettrader')
  const refused = await createHook(directory, 'badplan', 'buy 0.0173 NOSUCHUSDT', '--account', 'quiettrader')
  const listener = await RunningHookline.listening(directory)
  expect((await post(hook.url, hook.token)).status).toBe(200)
  expect((await post(refused.url, refused.token)).status).toBe(200)
  expect((await post(hook.url, 'x'.repeat(hook.token.length))).status).toBe(401)
  await listener.prints('bought')

  const { families, text } = await eventually(
    () => read(directory),
    ({ families: seen }) =>
      ['done', 'failed'].every((outcome) => figure(seen, 'hookline_fires_total', { outcome }) === 1),
  )
  expect(figure(families, 'hookline_fires_total', { outcome: 'done' })).toBe(1)
  expect(figure(families, 'hookline_runs_total', { source: 'hook', outcome: 'failed' })).toBe(1)
  expect(figure(families, 'hookline_orders_total', { venue: 'paper', outcome: 'placed' })).toBe(2)
  expect(figure(families, 'hookline_refused_callers_total', { reason: 'wrong-token' })).toBe(1)
  expect(figure(families, 'hookline_protected_entries')).toBe(1)
  expect(figure(families, 'hookline_hooks', { state: 'active' })).toBe(2)
  expect(figure(families, 'hookline_venue_request_seconds_count', { kind: 'order' })).toBe(2)
  expect(figure(families, 'hookline_switch', { name: 'remoteExec' })).toBe(1)
  expect(figure(families, 'hookline_accounts', { state: 'active' })).toBe(2)

  const told = [hook.token, hook.id, 'secretplan', 'quiettrader', 'ETH', 'NOSUCH', '0.0173', 'USDT', directory]
  expect(told.filter((word) => text.includes(word))).toEqual([])

  await exec(directory, 'switch off remoteExec')
  await exec(directory, 'panic')
  const stopped = await eventually(
    () => read(directory),
    ({ families: seen }) => figure(seen, 'hookline_panic') === 1,
  )
  expect(figure(stopped.families, 'hookline_switch', { name: 'remoteExec' })).toBe(0)
})

it('is read by Prometheus, with the token in its file', async ({ skip }) => {
  const prometheus = inject('prometheus')
  if ('missing' in prometheus) return skip(prometheus.missing)
  const directory = withMetrics()
  await RunningHookline.listening(directory)
  await eventually(
    async () => readdirSync(directory),
    (names) => names.includes('metrics-token'),
  )
  const place = tempDirectory()
  writeFileSync(
    join(place, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [
        {
          job_name: 'hookline',
          authorization: { credentials_file: join(directory, 'metrics-token') },
          static_configs: [{ targets: [ADDRESS] }],
        },
      ],
    }),
  )
  const child = spawn(
    prometheus.path,
    [
      ['--config.file', join(place, 'prometheus.yml')],
      ['--storage.tsdb.path', join(place, 'data')],
      ['--web.listen-address', PROMETHEUS],
      ['--log.level', 'error'],
    ].map(([flag, value]) => `${flag}=${value}`),
    { stdio: 'ignore' },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const ask = async (path: string): Promise<{ readonly data?: unknown }> =>
    fetch(`http://${PROMETHEUS}/api/v1/${path}`)
      .then(async (response) => (await response.json()) as { readonly data?: unknown })
      .catch(() => ({}))
  const up = await eventually(
    () => ask('targets'),
    ({ data }) => JSON.stringify(data ?? {}).includes('"health":"up"') || JSON.stringify(data ?? {}).includes('"down"'),
  )
  expect(up).toMatchObject({ data: { activeTargets: [{ health: 'up', lastError: '' }] } })
  // What the text format of old has no types for was understood.
  expect(await ask('metadata?metric=hookline_build')).toMatchObject({ data: { hookline_build: [{ type: 'info' }] } })
  expect(await ask('metadata?metric=hookline_uptime_seconds')).toMatchObject({
    data: { hookline_uptime_seconds: [{ type: 'gauge', unit: 'seconds' }] },
  })
})

it('opens nothing unless it is set, and says why it cannot be served', async () => {
  const off = tempDirectory()
  const quiet = await RunningHookline.listening(off)
  await expect(fetch(`http://${ADDRESS}/metrics`)).rejects.toThrow()
  expect(readdirSync(off)).not.toContain('metrics-token')
  quiet.signal('SIGTERM')
  await quiet.ended()

  const directory = tempDirectory()
  const path = join(directory, 'no', 'such', 'metrics.sock')
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ metrics: { listen: path } }), { mode: 0o600 })
  const listener = await RunningHookline.listening(directory)
  await listener.prints(`metrics are not served: cannot listen on ${path}: its directory does not exist`)
  const { stdout } = await run(directory, ['doctor', '--json'])
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ check: 'metrics', verdict: 'warn', what: `nothing listens on ${path}` }),
  )
})
