// Caps, order, and that runs which need no waiting still let others in.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import type { Admission } from '../../src/authority/authority.ts'
import type { RunSummary } from '../../src/runs/run.ts'
import { lineProtects } from '../../src/runtime/execute-chain.ts'
import { RunPages } from '../../src/runtime/run-pages.ts'

const start = () => startApp({ listen: 'none' })

describe('the runner', () => {
  it('starts fires of a hook in the order accepted, as many at once as it may, and the rest as places come free', async () => {
    const { app, done, runsDone, createHook, fire } = await start()
    const hook = await createHook('sleep 20ms', { parallel: 100 })
    const started: string[] = []
    app.runner.addSink({ started: ({ runId }) => started.push(runId) })
    const ids = Array.from({ length: 250 }, (_, index) => `run-${index}`)
    for (const id of ids) fire(hook, id)
    await expect.poll(() => started.length).toBeGreaterThanOrEqual(100)
    expect(app.runner.counts().running).toBeLessThanOrEqual(100)
    await runsDone(250)
    expect(started).toEqual(ids)
    expect(done.every(({ result }) => result.success)).toBe(true)
  })

  it('runs twenty of one hook at once where the hook says nothing else', async () => {
    const { app, createHook, fire } = await start()
    const hook = await createHook('sleep 10m')
    for (let index = 0; index < 50; index++) fire(hook)
    await expect.poll(() => app.runner.counts()).toEqual({ running: 20, waiting: 30 })
  })

  it('starts the fire of another hook at once while one has all its places asleep', async () => {
    const { createHook, fire, runsDone, output } = await start()
    const slow = await createHook('sleep 10m')
    for (let index = 0; index < 500; index++) fire(slow)
    fire(await createHook('echo here'))
    await runsDone(1)
    expect(output).toEqual(['print here'])
  })

  it('runs a fire that had to wait on what was in focus when it was accepted', async () => {
    const { app, output, runsDone, createHook, fire } = await start()
    const hook = await createHook('sleep 200ms; symbol', { parallel: 1 })
    fire(hook, 'first')
    fire(hook, 'waiting')
    await app.ports.config.focus({ symbol: 'ETHUSDT' })
    await runsDone(2)
    expect(output).toEqual([expect.stringContaining('BTCUSDT'), expect.stringContaining('BTCUSDT')])
  })

  it('lets the operator run at once while all places are taken by fires', async () => {
    const { app, createHook, fire } = await start()
    const hook = await createHook('sleep 10m', { parallel: 100 })
    for (let index = 0; index < 150; index++) fire(hook)
    expect(await app.runner.run({ runId: 'mine', source: 'repl', command: 'echo here' })).toEqual({ success: true })
    await app.stop(0)
  })

  it('lets the event loop turn while runs repeat what needs no waiting', async () => {
    const { app } = await start()
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    const command = 'repeat 99 (repeat 99 (echo x))'
    const runs = Array.from({ length: 10 }, (_, run) => app.runner.run({ runId: `${run}`, source: 'repl', command }))
    expect(new Set((await Promise.all(runs)).map(({ success }) => success))).toEqual(new Set([true]))
    clearInterval(turning)
    expect(turns).toBeGreaterThan(3)
  })

  it('ends a run between two rounds when it is interrupted', async () => {
    const { app, output } = await start()
    const interrupted: number[] = []
    app.runner.addSink({
      output: () => {
        if (interrupted.length === 0) interrupted.push(app.runner.interrupt(({ runId }) => runId === 'a'))
      },
    })
    const run = app.runner.run({ runId: 'a', source: 'repl', command: 'repeat 99 (repeat 99 (echo x))' })
    expect((await run).success).toBe(false)
    expect(interrupted).toEqual([1])
    expect(output.filter((line) => line === 'print x')).toHaveLength(1)
  })

  it('says by which switch a run ended, though that is on again by then', async () => {
    const { app } = await start()
    const { whyEnded } = app.authority
    const run = app.runner.run({ runId: 'a', source: 'web', command: 'sleep 10m' })
    await expect.poll(() => app.runner.counts().running).toBe(1)
    const asked: string[] = []
    // Off at the first question of the run, on at the next.
    Object.assign(app.authority, {
      whyEnded(admission: Admission) {
        asked.push('')
        return asked.length === 1 ? 'stopped: remoteExec is off' : whyEnded(admission)
      },
    })
    expect(app.runner.stopRefused().running).toBe(1)
    expect(await run).toMatchObject({ cut: true, error: 'stopped: remoteExec is off' })
  })

  it.each<[string, boolean]>([
    ['sleep 10m; stop at -2%', true],
    ['sleep 10m; stop BTCUSDT at -2%', true],
    ['sleep 10m; stop btc at -2%', true],
    ['sleep 10m; trail 1%', true],
    ['sleep 10m; repeat 2 (stop at -2%)', true],
    ['repeat 2 (sleep 10m); stop at -2%', true],
    ['sleep 10m; protect', true],
    ['sleep 10m', false],
    ['sleep 10m; take at +2%', false],
    ['sleep 10m; stop ETHUSDT at -2%', false],
    ['set @x 1; sleep 10m; echo @x', false],
  ])('knows whether a step of a run is ahead that places a stop: `%s`', async (command, isAhead) => {
    const { app } = await start()
    await app.runner.run({ runId: 'alias', source: 'repl', command: 'alias protect "stop at -2%"' })
    void app.runner.run({ runId: 'a', source: 'hook', command })
    await expect.poll(() => app.runner.counts().running).toBe(1)
    await expect.poll(() => app.runner.placesStopAhead('a', 'BTCUSDT')).toBe(isAhead)
    expect(app.runner.placesStopAhead('b', 'BTCUSDT')).toBe(false)
    expect(lineProtects(command, 'BTCUSDT', app.environment)).toBe(isAhead)
    await app.stop(0)
    expect(app.runner.placesStopAhead('a', 'BTCUSDT')).toBe(false)
  })

  it('begins nothing of a run that is interrupted while the journal writes it', async () => {
    const { app, output } = await start()
    const run = app.runner.run({ runId: 'a', source: 'web', command: 'echo x' })
    expect(app.runner.interrupt(({ runId }) => runId === 'a')).toBe(1)
    expect(await run).toEqual({ success: false, cut: true, error: expect.stringContaining('interrupted') })
    expect(output).toEqual([expect.stringContaining('error interrupted')])
    expect(app.runner.counts()).toEqual({ running: 0, waiting: 0 })
  })

  it('lists a run whose question was answered with no as done, and what was canceled', async () => {
    const confirm = async () => false
    const terminal = { askHidden: async () => '', confirm, clear() {}, history: () => [], quit() {} }
    const { app } = await startApp({ listen: 'none', terminal })
    const result = await app.runner.run({ runId: 'a', source: 'repl', command: 'nuke' })
    expect(result).toMatchObject({ success: false, declined: true })
    expect(app.ports.runs()).toEqual([
      expect.objectContaining({ state: 'done', declined: true, outcome: 'canceled: nothing was sent' }),
    ])
    expect(app.ports.runs()[0]?.error).toBeUndefined()
    await app.runner.run({ runId: 'b', source: 'repl', command: 'nonsense || nuke' })
    expect(app.ports.runs()[0]).toMatchObject({ runId: 'b', state: 'failed' })
  })

  it('counts the time of a fire from its acceptance, in its row, its line, its output and the figures of its hook', async () => {
    const { app, directory, runsDone, createHook, fire } = await start()
    const hook = await createHook('sleep 20ms; echo x', { parallel: 1 })
    const { hookCounts, runArchive } = app.ports
    expect((await hookCounts()).size).toBe(0)
    for (const id of ['first', 'second']) fire(hook, id)
    await runsDone(2)
    const tookOf = ({ startedAt, finishedAt = 0 }: Pick<RunSummary, 'startedAt' | 'finishedAt'>) =>
      finishedAt - startedAt
    const rows = app.ports.runs()
    const [second, first] = rows.map(tookOf) as [number, number]
    expect(second).toBeGreaterThanOrEqual(first + 15)
    const pages = new RunPages({ path: join(directory, 'runs.jsonl'), ownRuns: () => [], isRunning: () => true })
    await expect.poll(async () => (await pages.page(2, {})).runs.map(tookOf)).toEqual([second, first])
    expect((await hookCounts()).get(hook.id)).toMatchObject({ medianMs: first, p95Ms: second })
    const { lines, steps } = await runArchive.output(rows[0] as RunSummary)
    expect(lines[0]?.[0]).toBeGreaterThanOrEqual(first + 15)
    expect(steps[0]?.[0]).toBeGreaterThanOrEqual(first - 5)
  })

  it.each(['repl', 'exec', 'hook', 'web', 'phone'] as const)(
    'lists a run of %s that warned as one that warned, and no other',
    async (source) => {
      const { app } = await start()
      await app.runner.run({ runId: 'a', source, command: 'nonsense' })
      expect(await app.runner.run({ runId: 'b', source, command: 'runs' })).toEqual({ success: true, warned: true })
      await app.runner.run({ runId: 'c', source, command: 'echo calm' })
      expect(app.ports.runs().map(({ runId, warned = false }) => [runId, warned])).toEqual([
        ['c', false],
        ['b', true],
        ['a', false],
      ])
    },
  )

  it.each([
    ['halted', 'buy $200 BTCUSDT'],
    ['reducing', 'buy $200 BTCUSDT'],
    ['halted', 'twap buy $2000 BTCUSDT into 4 over 10m'],
    ['reducing', 'twap buy $2000 BTCUSDT into 4 over 10m'],
  ] as const)('never counts towards the pause of a hook what only a stop refused: %s, %s', async (state, command) => {
    const { app, createHook, fire, done, runsDone, warnings } = await start()
    const hook = await createHook(command)
    await app.ports.guards.restrict(undefined, state, 'the terminal')
    for (let index = 1; index <= 5; index++) {
      fire(hook)
      await runsDone(index)
    }
    expect(done.map(({ result }) => result.cut)).toEqual(Array(5).fill(true))
    expect(app.runner.hookFacts(hook).failures).toBe(0)
    expect(app.ports.hooks.resolve(hook.id).paused).toBeUndefined()
    expect(warnings.filter((text) => text.includes('is paused'))).toEqual([])
  })

  it.each([
    ['when BTCUSD last > 70000 (buy $50)', 6],
    ['buy $50 btcusd', 9],
  ])('points at the symbol that has no market: %s', async (command, column) => {
    const { app, output } = await start()
    await app.runner.run({ runId: 'a', source: 'exec', command, isFromShell: true })
    expect(output).toEqual([expect.stringMatching(/^error .*has no market btcusd \(did you mean BTCUSDT\?\)\n/i)])
    expect(output[0]?.split('\n')).toEqual([expect.anything(), command, `${' '.repeat(column - 1)}^`])
  })

  it('ends at the first failed step, and names what did not run', async () => {
    const { app, output } = await start()
    const result = await app.runner.run({ runId: 'a', source: 'repl', command: 'buy 500; nonsense; echo after' })
    expect(result).toEqual({ success: false, error: expect.stringContaining('500') })
    expect(output).toEqual([expect.stringMatching(/^error .*500/), 'warn not run: nonsense; echo after'])
  })

  it('tells a failure that `||` recovers from, and succeeds', async () => {
    const { app, output } = await start()
    const result = await app.runner.run({ runId: 'a', source: 'repl', command: 'nonsense || echo instead; echo on' })
    expect(result).toEqual({ success: true })
    expect(output).toEqual([expect.stringMatching(/^error .*nonsense/), 'print instead', 'print on'])
  })

  it.each([
    ['one || two', 'one'],
    ['one || echo ok && two', 'two'],
    ['one || echo ok; two', 'two'],
    ['(one', '('],
    ['one || echo ok & sleep 1ms; two', 'two'],
    ['repeat 2 (one) || two || three', 'one'],
    ['repeat 2 (one || echo ok) && repeat 2 (two)', 'two'],
    ['repeat 2 (one || two || echo ok) && three', 'three'],
    ['repeat 2 (repeat 2 (one || two) || echo ok; three)', 'three'],
  ])('gives `%s` the error of the first failure that nothing recovered from', async (command, name) => {
    const { app } = await start()
    const result = await app.runner.run({ runId: 'a', source: 'repl', command })
    expect(result).toEqual({ success: false, error: expect.stringContaining(name) })
  })

  it('gives a run 10 000 steps, groups and aliases included, and then ends it', async () => {
    const { app, output } = await start()
    await app.ports.aliases.set('more', 'repeat 1000 (echo x)')
    const full = 'repeat 9 (repeat 1000 (echo x)); repeat 988 (echo x)'
    expect(await app.runner.run({ runId: 'a', source: 'repl', command: full })).toEqual({ success: true })
    expect(output).toHaveLength(9988)
    output.length = 0
    const result = await app.runner.run({ runId: 'b', source: 'repl', command: 'repeat 100 (more); echo never' })
    expect(result).toEqual({ success: false, error: expect.stringMatching(/10,000 steps/) })
    // 1 repeat, 9 aliases with their repeat and its rounds; of the tenth all but the last rounds.
    expect(output.filter((line) => line === 'print x')).toHaveLength(9979)
    expect(output.at(-1)).toBe('warn not run: echo never')
    expect(output.length).toBeLessThan(9990)
  })

  it('counts the steps of each run alone', async () => {
    const { app } = await start()
    const command = 'repeat 90 (repeat 100 (echo x))'
    for (const runId of ['a', 'b'])
      expect(await app.runner.run({ runId, source: 'repl', command })).toEqual({ success: true })
  })

  it('fails a run whose pinned account is gone, and says which', async () => {
    const { app } = await start()
    const result = await app.runner.run({ runId: 'a', source: 'hook', command: 'echo x', account: 'nope' })
    expect(result).toEqual({ success: false, error: expect.stringContaining('nope') })
  })

  it('shows runs newest first, with their state', async () => {
    const { app } = await start()
    await app.runner.run({ runId: 'one', source: 'repl', command: 'echo x' })
    await app.runner.run({ runId: 'two', source: 'exec', command: 'nonsense' })
    expect(app.runner.runs()).toMatchObject([
      { runId: 'two', state: 'failed', source: 'exec' },
      { runId: 'one', state: 'done', source: 'repl' },
    ])
  })
})
