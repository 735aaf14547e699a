// Caps, order, and that runs which need no waiting still let others in.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'

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

  it('lets another run go on in between, however many repeat what needs no waiting', async () => {
    const { app } = await start()
    for (let index = 0; index < 64; index++) {
      void app.runner.run({ runId: `busy-${index}`, source: 'web', command: 'repeat 100 (repeat 90 (echo x))' })
    }
    // All of them have begun.
    await expect.poll(() => app.runner.counts().running).toBe(64)
    const perTurn: number[] = []
    let heard = new Set<string>()
    app.runner.addSink({ output: ({ runId }) => heard.add(runId) })
    while (perTurn.length < 20) {
      heard = new Set()
      await new Promise(setImmediate)
      perTurn.push(heard.size)
    }
    // Each holds the event loop for up to 10 ms: one after another, not all in one turn.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(2)
    expect(Math.max(...perTurn)).toBeGreaterThan(0)
    await app.stop(0)
  })

  it('lets the event loop turn while a run repeats what needs no waiting', async () => {
    const { app } = await start()
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    const run = app.runner.run({ runId: 'a', source: 'repl', command: 'repeat 300 (repeat 300 (echo x))' })
    expect(await run).toEqual({ success: true })
    clearInterval(turning)
    expect(turns).toBeGreaterThan(3)
  })

  it('ends a run between two rounds when it is interrupted', async () => {
    const { app } = await start()
    const run = app.runner.run({ runId: 'a', source: 'repl', command: 'repeat 1000 (repeat 1000 (echo x))' })
    await expect.poll(() => app.runner.counts().running).toBe(1)
    expect(app.runner.interrupt(({ runId }) => runId === 'a')).toBe(1)
    expect((await run).success).toBe(false)
  })

  it('begins nothing of a run that is interrupted while the journal writes it', async () => {
    const { app, output } = await start()
    const run = app.runner.run({ runId: 'a', source: 'web', command: 'echo x' })
    expect(app.runner.interrupt(({ runId }) => runId === 'a')).toBe(1)
    expect(await run).toEqual({ success: false, error: expect.stringContaining('interrupted') })
    expect(output).toEqual([expect.stringContaining('error interrupted')])
    expect(app.runner.counts()).toEqual({ running: 0, waiting: 0 })
  })

  it('names the first failed step and goes on with the next', async () => {
    const { app, output } = await start()
    const result = await app.runner.run({ runId: 'a', source: 'repl', command: 'buy 500; nonsense; echo after' })
    expect(result).toEqual({ success: false, error: expect.stringContaining('500') })
    expect(output.at(-1)).toBe('print after')
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
