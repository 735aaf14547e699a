// A switch stops what runs and what waits (behaviour 30): nothing begins after it, nothing goes on, and what was sent is told.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { defined } from '../../src/base/defined.ts'
import type { Hook } from '../../src/stores/hooks.ts'

const start = (directory?: string) => startApp({ listen: 'unattended', ...defined({ directory }) })

/** Ends of fires, by the journal: what the next start would know. */
function journalled({
  directory,
}: RunningApp): { readonly t: string; readonly ok?: boolean; readonly error?: string }[] {
  const text = readFileSync(join(directory, 'runs.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

async function positionOf({ app }: RunningApp): Promise<string> {
  const { venue } = await app.connect('paper')
  return (await venue.fetchPositions())[0]?.amount ?? '0'
}

const SWITCHES: readonly [string, string, (running: RunningApp, hook: Hook) => unknown][] = [
  [
    'remoteExec goes off',
    'stopped: remoteExec is off',
    ({ writeConfig }) => writeConfig({ listener: { remoteExec: false } }),
  ],
  [
    'enabled goes off',
    'stopped: listener.enabled is off',
    ({ writeConfig }) => writeConfig({ listener: { enabled: false } }),
  ],
  [
    'the hook is taken out of its file',
    'stopped: the hook was revoked',
    ({ directory }) => writeFileSync(join(directory, 'hooks.json'), '{"hooks":[]}'),
  ],
  ['the hook is revoked', 'stopped: the hook was revoked', ({ app }, { id }) => app.ports.hooks.revoke(id)],
  ['its token is rotated', 'stopped: the hook has a new token', ({ app }, { id }) => app.ports.hooks.rotate(id)],
  [
    'another hookline says panic',
    'stopped: panic',
    ({ directory }) => writeFileSync(join(directory, 'panic.json'), '{"since":1,"by":"the terminal","pid":1}'),
  ],
]

describe.each(SWITCHES)('when %s', (_what, error, turnOff) => {
  it('five hundred accepted fires buy nothing more, and each has its end in the journal', async () => {
    const running = await start()
    const hook = await running.createHook('sleep 1m; buy 0.001 BTCUSDT', { parallel: 100 })
    for (let index = 0; index < 500; index++) running.fire(hook)
    await expect.poll(() => running.app.runner.counts()).toEqual({ running: 100, waiting: 400 })
    await turnOff(running, hook)
    await running.runsDone(100)
    expect(running.app.runner.counts()).toEqual({ running: 0, waiting: 0 })
    expect(running.unbegun).toHaveLength(400)
    const ended = { success: false, error }
    expect(running.done.map(({ result }) => result)).toEqual(Array(100).fill({ ...ended, cut: true }))
    expect(running.unbegun.map(({ result }) => result)).toEqual(Array(400).fill({ ...ended, unbegun: 'stopped' }))
    const told = ['warn not run: buy 0.001 BTCUSDT', `error ${error}; no order was sent`]
    expect(running.output.toSorted()).toEqual(Array(100).fill(told).flat().toSorted())
    expect(await positionOf(running)).toBe('0')
    await running.app.stop(0)
    const ends = journalled(running).filter(({ t }) => t === 'done')
    expect(ends).toEqual(Array(500).fill(expect.objectContaining({ ok: false, error })))
    const warned = running.warnings.filter((text) => text.includes('skipped'))
    expect(warned).toEqual([`hook hook-1 skipped 400 fires: ${error}`])
  })
})

describe('a stopped run', () => {
  it('tells what it had already sent', async () => {
    const running = await start()
    const hook = await running.createHook('buy 0.001 BTCUSDT; sleep 10m; buy 0.001 BTCUSDT')
    running.fire(hook)
    await expect.poll(() => running.output).toHaveLength(1)
    running.writeConfig({ listener: { remoteExec: false } })
    await running.runsDone(1)
    expect(running.output.at(-1)).toMatch(
      /^error stopped: remoteExec is off; already sent: bought 0.001 BTCUSDT at [^;]*\(check `orders` and `positions`\)$/,
    )
    expect(running.done[0]?.result).toEqual({ success: false, error: 'stopped: remoteExec is off', cut: true })
    expect(await positionOf(running)).toBe('0.001')
  })

  it('takes no step after the edit, before any watcher has told of it', async () => {
    const running = await start()
    const hook = await running.createHook('sleep 1ms; echo one')
    // Watchers wait 20 ms for an editor to be done.
    running.app.runner.addSink({ started: () => running.writeConfig({ listener: { remoteExec: false } }) })
    running.fire(hook)
    await running.runsDone(1)
    expect(running.output).toEqual(['warn not run: echo one', 'error stopped: remoteExec is off; no order was sent'])
  })

  it('of the operator goes on when the switches for hooks and pages go off', async () => {
    const running = await start()
    const run = running.app.runner.run({ runId: 'mine', source: 'repl', command: 'sleep 200ms; echo mine' })
    running.writeConfig({ listener: { remoteExec: false, enabled: false } })
    expect(await run).toEqual({ success: true })
    expect(running.output).toEqual(['print mine'])
  })
})

describe('a fire that waits too long', () => {
  it('expires in time though nothing else moves, without running, and is told in one line with the others', async () => {
    const running = await start()
    const hook = await running.createHook('sleep 10m', { parallel: 1, maxAgeMs: 1_000 })
    for (let index = 0; index < 31; index++) running.fire(hook)
    await expect.poll(() => running.unbegun.length).toBe(30)
    const error = 'expired: it waited longer than 1s'
    expect(running.unbegun.map(({ result }) => result)).toEqual(
      Array(30).fill({ success: false, error, unbegun: 'expired' }),
    )
    await expect.poll(() => running.warnings).toEqual([`hook hook-1 skipped 30 fires: ${error}`])
    expect(running.app.runner.counts()).toEqual({ running: 1, waiting: 0 })
    expect(running.done).toEqual([])
    await running.app.stop(0)
    expect(journalled(running).filter(({ t, error: e }) => t === 'done' && e === error)).toHaveLength(30)
  })
})

describe('runs stop', () => {
  it.each(['--all', 'hook-1', 'HOOK-1'])('%s ends what runs and what waits, from a hook too', async (what) => {
    const running = await start()
    const slow = await running.createHook('sleep 10m')
    const stopper = await running.createHook(`runs stop ${what}`)
    for (let index = 0; index < 50; index++) running.fire(slow)
    await expect.poll(() => running.app.runner.counts()).toEqual({ running: 20, waiting: 30 })
    running.fire(stopper)
    await running.runsDone(21)
    expect(running.output).toContainEqual(
      expect.stringMatching(/^success stopped 20 running and 30 waiting runs here; /),
    )
    expect(running.app.runner.counts()).toEqual({ running: 0, waiting: 0 })
    expect(running.unbegun[0]?.result).toEqual({ success: false, error: 'stopped: runs stop', unbegun: 'stopped' })
  })

  it('ends one run by the beginning of its id, and no other', async () => {
    const running = await start()
    const { runner } = running.app
    const first = runner.run({ runId: 'aaaaaaaa-1', source: 'web', command: 'sleep 10m' })
    void runner.run({ runId: 'bbbbbbbb-1', source: 'repl', command: 'sleep 10m' })
    await runner.run({ runId: 'cccccccc-1', source: 'repl', command: 'runs stop aaaaaaaa' })
    expect(await first).toEqual({ success: false, error: 'stopped: runs stop', cut: true })
    expect(runner.counts().running).toBe(1)
  })

  it('stops neither of a run and a hook that is named like the beginning of its id, and says so', async () => {
    const running = await start()
    const { runner } = running.app
    await running.createHook('echo', { name: 'aaaaaaaa' })
    const runId = 'aaaaaaaa-6f1d-4c0a-9a57-1d2f6c3b8e90'
    const first = runner.run({ runId, source: 'web', command: 'sleep 10m' })
    const stop = (what: string) => runner.run({ runId: 'cccccccc-1', source: 'repl', command: `runs stop ${what}` })
    expect(await stop('aaaaaaaa')).toMatchObject({ success: false, error: expect.stringContaining('more characters') })
    expect(await stop('aaaaaaaa-6')).toEqual({ success: true })
    expect(await first).toEqual({ success: false, error: 'stopped: runs stop', cut: true })
  })

  it('stops neither of two hooks of which one is named like the beginning of the id of the other', async () => {
    const running = await start()
    const slow = await running.createHook('sleep 10m')
    await running.createHook('echo', { name: slow.id.slice(0, 8) })
    running.fire(slow)
    const stop = (what: string) =>
      running.app.runner.run({ runId: 'mine', source: 'repl', command: `runs stop ${what}` })
    expect(await stop(slow.id.slice(0, 8))).toMatchObject({ error: expect.stringContaining('more characters') })
    expect(await stop(slow.name)).toEqual({ success: true })
    await expect.poll(() => running.app.runner.counts().running).toBe(0)
  })

  it.each([
    ['no-such-hook', 'no running or waiting run has an id'],
    ['aaa', 'neither a hook nor the id of a run'],
  ])('refuses %s', async (what, why) => {
    const running = await start()
    const result = await running.app.runner.run({ runId: 'mine', source: 'repl', command: `runs stop ${what}` })
    expect(result).toMatchObject({ success: false, error: expect.stringContaining(why) })
  })

  it.each(['--all', 'hook-1', 'run'])('%s reaches every process that shares the files', async (what) => {
    const one = await start()
    const other = await start(one.directory)
    const slow = await one.createHook('sleep 10m')
    other.fire(slow)
    await expect.poll(() => other.app.runner.counts().running).toBe(1)
    const { runId = '' } = other.app.runner.runs()[0] ?? {}
    const line = `runs stop ${what === 'run' ? runId.slice(0, 8) : what}`
    expect(await one.app.runner.run({ runId: 'mine', source: 'exec', command: line })).toEqual({ success: true })
    await other.runsDone(1)
    expect(other.done[0]?.result).toEqual({ success: false, error: 'stopped: runs stop', cut: true })
  })
})
