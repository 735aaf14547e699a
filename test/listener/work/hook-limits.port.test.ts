// Limits, pauses and failures of a hook (behaviour 47), through the real listener and over restarts.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../../harness/wire/raw-http.ts'
import type { Source } from '../../../src/runs/run.ts'
import type { Hook, NewHook } from '../../../src/stores/hooks.ts'

function fire({ id, secret }: Pick<Hook, 'id' | 'secret'>): string {
  return `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${secret}\r\n\r\n`
}

async function withHook(command: string, options: Partial<NewHook>) {
  const app = await startApp()
  return { ...app, hook: await app.createHook(command, options) }
}

/** Fires and waits for its end. @returns its `runId` */
async function fired(app: RunningApp, hook: Hook): Promise<string> {
  const ends = app.done.length + app.unbegun.length
  const answer = await rawRequest(fire(hook))
  expect(answer.status).toBe(200)
  await expect.poll(() => app.done.length + app.unbegun.length).toBe(ends + 1)
  return JSON.parse(answer.body).runId
}

const errors = ({ unbegun }: RunningApp) => unbegun.map(({ result }) => result.error)

const type = ({ app }: RunningApp, command: string, source: Source = 'repl') =>
  app.runner.run({ runId: randomUUID(), source, command })

describe('a hook that runs once', () => {
  it('runs one of a hundred fires that come together, and answers all of them', async () => {
    const { hook, ...app } = await withHook('sleep 1ms; echo ran', { limits: { once: true } })
    const clients = await Promise.all(Array.from({ length: 20 }, () => new RawClient().connected()))
    for (const client of clients) client.send(fire(hook).repeat(5))
    for (const client of clients) {
      for (let taken = 0; taken < 5; taken++) expect((await client.answer()).status).toBe(200)
    }
    await expect.poll(() => app.unbegun.length).toBe(99)
    await app.runsDone(1)
    expect(app.output).toEqual(['print ran'])
    expect(new Set(errors(app).map((error) => error?.startsWith('skipped: ')))).toEqual(new Set([true]))
  })

  it('does not run again after a restart, until it is resumed in the terminal', async () => {
    const { hook, ...first } = await withHook('echo ran', { limits: { once: true } })
    await fired(first, hook)
    await expect.poll(() => first.app.ports.hooks.resolve(hook.id).paused?.by).toBe('once')
    await expect.poll(() => first.warnings).toContainEqual(expect.stringContaining('is paused: its one run is used up'))
    await first.app.stop(0)
    const second = await startApp({ directory: first.directory })
    await fired(second, hook)
    expect(errors(second)).toEqual(['skipped: the hook is paused (its one run is used up)'])
    expect(await type(second, `hook resume ${hook.name}`, 'web')).toMatchObject({ success: false })
    expect(await type(second, `hook resume ${hook.name}`)).toEqual({ success: true })
    await fired(second, hook)
    await fired(second, hook)
    expect(second.output.filter((line) => line === 'print ran')).toHaveLength(1)
  })

  it('has run once, as the journal says, also where hooks.json does not', async () => {
    const { hook, ...first } = await withHook('echo ran', { limits: { once: true } })
    await fired(first, hook)
    await expect.poll(() => first.app.ports.hooks.resolve(hook.id).paused?.by).toBe('once')
    await first.app.ports.hooks.edit(hook.id, () => ({ paused: undefined }))
    await fired(first, hook)
    await first.app.stop(0)
    const second = await startApp({ directory: first.directory })
    await fired(second, hook)
    expect([...errors(first), ...errors(second)]).toEqual(Array(2).fill('skipped: its one run is used up'))
  })
})

describe('a fire that a limit stops', () => {
  it('is answered with its run, which ends as skipped: in runs, the journal, its line at the prompt and on the wire', async () => {
    const { hook, ...app } = await withHook('echo ran', { limits: { cooldownMs: 3_600_000 } })
    await fired(app, hook)
    const runId = await fired(app, hook)
    const error = 'skipped: cooldown of 1h'
    expect(app.unbegun[0]).toMatchObject({ run: { runId }, result: { success: false, error, unbegun: 'skipped' } })
    expect(app.app.runner.runs(1)).toMatchObject([{ runId, error, unbegun: 'skipped', state: 'failed' }])
    await expect.poll(() => app.warnings).toContainEqual(`hook ${hook.name} skipped 1 fire: cooldown of 1h`)
    await app.app.stop(0)
    const lines = readFileSync(join(app.directory, 'runs.jsonl'), 'utf8').trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ t: 'done', runId, ok: false, unbegun: 'skipped', error })
    const second = await startApp({ directory: app.directory })
    expect(await second.app.ports.runArchive.find({ limit: 1 })).toMatchObject([{ runId, unbegun: 'skipped' }])
    expect(await second.app.ports.runArchive.find({ limit: 9, failed: true })).toEqual([])
  })

  it.each<readonly [string, NewHook['limits'], number]>([
    ['the rate', { rate: { fires: 3, ms: 3_600_000 } }, 3],
    ['the day', { perDay: 2 }, 2],
    ['both', { rate: { fires: 2, ms: 3_600_000 }, perDay: 5 }, 2],
  ])('by %s is one beyond it, restarts in between or not', async (_, limits = {}, most) => {
    const { hook, ...first } = await withHook('echo ran', { limits })
    await fired(first, hook)
    await first.app.stop(0)
    const second = await startApp({ directory: first.directory })
    for (let index = 0; index < 5; index++) await fired(second, hook)
    expect(first.done.length + second.done.length).toBe(most)
    expect(second.unbegun).toHaveLength(6 - most)
  })

  it.each<readonly [string, NewHook['limits']]>([
    ['the day', { perDay: 1 }],
    ['the rate', { rate: { fires: 1, ms: 3_600_000 } }],
    ['a cooldown', { cooldownMs: 3_600_000 }],
  ])('by %s does not count for an alert that closes the position', async (_, limits = {}) => {
    const { hook, ...app } = await withHook('position {target:in(long,short,flat)} {size:usd<=1000} BTCUSDT', {
      limits,
    })
    const alert = async (target: string) => {
      const ends = app.done.length + app.unbegun.length
      const body = JSON.stringify({ target, size: '1000' })
      const head = fire(hook).replace(/\r\n$/, `Content-Length: ${body.length}\r\n\r\n`)
      expect((await rawRequest(head + body)).status).toBe(200)
      await expect.poll(() => app.done.length + app.unbegun.length).toBe(ends + 1)
    }
    for (const target of ['long', 'short', 'flat', 'long']) await alert(target)
    expect(app.done.map(({ result }) => result.success)).toEqual([true, true])
    expect(app.unbegun).toHaveLength(2)
    expect(app.output.filter((line) => /^success (bought|sold) /.test(line))).toHaveLength(2)
  })

  it('by its hours is any outside them', async () => {
    const hour = new Date().getUTCHours()
    const text = (at: number) => `${String((at + 24) % 24).padStart(2, '0')}00`
    const { hook, ...app } = await withHook('echo ran', {
      limits: { window: { from: text(hour + 2), to: text(hour + 3) } },
    })
    await fired(app, hook)
    expect(errors(app)).toEqual([`skipped: outside ${text(hour + 2)}-${text(hour + 3)} UTC`])
  })

  it('by its position is one that finds another, and two at once find one another', async () => {
    const { hook, ...app } = await withHook('buy 0.01 BTCUSDT', { account: 'paper', limits: { onlyIf: 'flat' } })
    const [one, two] = [await new RawClient().connected(), await new RawClient().connected()]
    one.send(fire(hook))
    two.send(fire(hook))
    await Promise.all([one.answer(), two.answer()])
    await expect.poll(() => app.done.length + app.unbegun.length).toBe(2)
    expect(app.done.map(({ result }) => result)).toEqual([{ success: true }])
    expect(errors(app)).toEqual(['skipped: BTCUSDT is long, and it runs only if flat'])
  })

  it('by its position is one whose account cannot be asked', async () => {
    const { hook, ...app } = await withHook('buy 0.01 NOPEUSDT', { account: 'paper', limits: { onlyIf: 'flat' } })
    await fired(app, hook)
    expect(errors(app)).toEqual([expect.stringContaining('skipped: the position is unknown: paper has no market')])
  })
})

describe('a hook with --max', () => {
  it('sends no order that would make its fire worth more, and what only reduces is free', async () => {
    const command = 'buy $300 BTCUSDT; buy $150 ETHUSDT; close BTCUSDT; buy $300 BTCUSDT; buy $1 ETHUSDT'
    const { hook, ...app } = await withHook(command, { account: 'paper', limits: { max: '500' } })
    await fired(app, hook)
    expect(app.done[0]?.result.error).toMatch(
      /^the order is worth \$.*, after \$\d{3}\.\d\d before it, and a fire of this hook may order at most \$500\.00 \(--max\)/,
    )
    expect(app.output.filter((line) => /^success (bought|sold)/.test(line))).toHaveLength(3)
    expect(app.output).toContainEqual(expect.stringContaining('not run: buy $1 ETHUSDT'))
    await fired(app, hook)
    expect(app.output.filter((line) => /^success (bought|sold)/.test(line))).toHaveLength(6)
  })

  it('begins no task that may add, for its orders would be of no fire', async () => {
    const { hook, ...app } = await withHook('twap buy $900 BTCUSDT into 10 over 30m', {
      account: 'paper',
      limits: { max: '500' },
    })
    await fired(app, hook)
    expect(app.done[0]?.result.error).toContain('a hook with --max cannot begin a task that may add to a position')
    expect(await app.app.ports.tasks.list()).toEqual([])
  })
})

describe('a paused hook', () => {
  it('answers and runs nothing, and runs again when it is resumed; a page may pause and not resume', async () => {
    const { hook, ...app } = await withHook('echo ran', {})
    expect(await type(app, `hook pause ${hook.name} holiday`, 'web')).toEqual({ success: true })
    await fired(app, hook)
    expect(errors(app)).toEqual(['skipped: the hook is paused (holiday)'])
    expect(app.app.ports.hooks.resolve(hook.id).paused).toMatchObject({ by: 'page', why: 'holiday' })
    expect(await type(app, `hook resume ${hook.name}`, 'hook')).toMatchObject({ success: false })
    await type(app, `hook resume ${hook.name}`)
    await fired(app, hook)
    expect(app.output).toContain('print ran')
  })

  it('ends fires that wait behind a run', async () => {
    const { hook, ...app } = await withHook('sleep 10m', { parallel: 1 })
    await rawRequest(fire(hook))
    await rawRequest(fire(hook))
    await expect.poll(() => app.app.runner.counts()).toEqual({ running: 1, waiting: 1 })
    await type(app, `hook pause ${hook.name}`)
    await type(app, `runs stop ${app.app.runner.runs().find(({ state }) => state === 'running')?.runId}`)
    await expect.poll(() => errors(app)).toEqual(['stopped: the hook was paused'])
  })
})

describe('five failures in a row', () => {
  it('pause the hook, tell the operator, and hold after a restart', async () => {
    const { hook, ...first } = await withHook('close 1.0 BTCUSDT; buy $1 NOPEUSDT', {})
    for (let index = 0; index < 3; index++) await fired(first, hook)
    await first.app.stop(0)
    const second = await startApp({ directory: first.directory })
    await fired(second, hook)
    expect(second.app.ports.hooks.resolve(hook.id).paused).toBeUndefined()
    await fired(second, hook)
    await fired(second, hook)
    expect(second.done).toHaveLength(2)
    await expect.poll(() => second.app.ports.hooks.resolve(hook.id).paused?.by).toBe('failures')
    const told = `hook ${hook.name} is paused: its last 5 runs failed; see \`runs --failed\`, then \`hook resume ${hook.name}\` lets it run again`
    await expect.poll(() => second.warnings).toContain(told)
    await second.app.stop(0)
    const third = await startApp({ directory: first.directory })
    await fired(third, hook)
    expect(errors(third)).toEqual(['skipped: the hook is paused (its last 5 runs failed)'])
    await type(third, `hook resume ${hook.name}`)
    await fired(third, hook)
    expect(third.done.at(-1)?.result.success).toBe(false)
    expect(third.app.ports.hooks.resolve(hook.id).paused).toBeUndefined()
  })
})
