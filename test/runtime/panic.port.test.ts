// `panic` ends everything everywhere; until `resume`, which only the terminal may say, the terminal may stop, reduce and look (behaviour 30).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { startNotices } from '../../src/app/notices.ts'
import { defined } from '../../src/base/defined.ts'
import type { Source } from '../../src/runs/run.ts'

const start = (directory?: string) => startApp({ listen: 'none', ...defined({ directory }) })

type Running = Awaited<ReturnType<typeof start>>

let ids = 0
function run({ app }: Running, command: string, source: Source = 'repl') {
  return app.runner.run({ runId: `run-${++ids}`, source, command })
}

describe('status', () => {
  it('does not count the run that asks', async () => {
    const running = await start()
    await run(running, 'status')
    expect(running.output).toContainEqual(expect.stringMatching(/^runs +0 running, 0 waiting$/m))
  })
})

describe('panic', () => {
  it('ends runs of every source and fires that wait, and not the run that said so', async () => {
    const running = await start()
    const slow = await running.createHook('sleep 10m', { parallel: 1 })
    for (let index = 0; index < 5; index++) running.fire(slow)
    const others = (['repl', 'exec', 'web'] as const).map((source) => run(running, 'sleep 10m', source))
    await expect.poll(() => running.app.runner.counts()).toEqual({ running: 4, waiting: 4 })
    expect(await run(running, 'panic')).toEqual({ success: true, warned: true })
    expect(await Promise.all(others)).toEqual(Array(3).fill({ success: false, error: 'stopped: panic', cut: true }))
    expect(running.unbegun).toHaveLength(4)
    expect(running.output).toContainEqual(
      expect.stringContaining('warn panic is on: stopped 4 running and 4 waiting runs here'),
    )
    expect(running.output.at(-1)).toBe('info account paper has no open orders and no positions')
    expect(running.app.runner.counts()).toEqual({ running: 0, waiting: 0 })
  })

  it('lets the terminal stop, reduce and look, and nothing that can add exposure', async () => {
    const running = await start()
    await run(running, 'buy 0.01 BTCUSDT; panic')
    for (const line of [
      'close BTCUSDT 50%; cancel all',
      'positions; orders; price; status; help; runs',
      'sleep 1ms; close',
    ]) {
      expect(await run(running, line)).toEqual({ success: true })
    }
    for (const line of [
      'buy 0.01',
      'sell 0.01',
      'stop buy 0.01 at +1%',
      'repeat 2 (buy 0.01)',
      'hook create x "buy 1"',
    ]) {
      expect(await run(running, line), line).toMatchObject({ success: false })
    }
    expect(running.output).toContain(
      'error panic is on, so `hook create` does not run (type `resume` in the terminal first)',
    )
    expect(running.output).toContainEqual(
      expect.stringMatching(/^error panic is on, turned on .*: only orders that reduce a position are sent/),
    )
    const { venue } = await running.app.connect('paper')
    expect(await venue.fetchPositions()).toEqual([])
  })

  it('lets a sell that the position holds pass, with a stop resting', async () => {
    const running = await start()
    await run(running, 'buy 0.04 BTCUSDT stop -2%; panic')
    expect(await run(running, 'sell 0.01')).toEqual({ success: true })
    expect(await run(running, 'sell 0.04')).toMatchObject({ success: false })
    const { venue } = await running.app.connect('paper')
    expect(await venue.fetchPositions()).toMatchObject([{ side: 'long', amount: '0.03' }])
    expect(await run(running, 'position flat')).toEqual({ success: true })
    expect(await venue.fetchPositions()).toEqual([])
  })

  it('said by a hook goes on with what stops and reduces, and with nothing else', async () => {
    const running = await start()
    await run(running, 'buy 0.01 BTCUSDT')
    running.fire(await running.createHook('panic; close all'))
    await running.runsDone(2)
    expect(running.done.at(-1)?.result).toEqual({ success: true, warned: true })
    expect(running.app.ports.panic.read()).toMatchObject({ by: 'hook hook-1' })
    await run(running, 'resume')
    running.fire(await running.createHook('panic; buy 0.01 BTCUSDT'))
    await running.runsDone(4)
    expect(running.done.at(-1)?.result.error).toContain('panic is on')
    const { venue } = await running.app.connect('paper')
    expect(await venue.fetchPositions()).toEqual([])
  })

  it('of one hookline ends the runs of another on the same directory, which lets new ones only stop and look', async () => {
    const one = await start()
    const other = await start(one.directory)
    const slow = run(other, 'sleep 10m; buy 0.01 BTCUSDT', 'exec')
    await expect.poll(() => other.app.runner.counts().running).toBe(1)
    await run(one, 'panic', 'exec')
    expect(await slow).toEqual({ success: false, error: 'stopped: panic', cut: true })
    expect(await run(other, 'buy 0.01', 'exec')).toMatchObject({ success: false })
    expect(await run(other, 'resume', 'exec')).toEqual({ success: true })
    expect(await run(one, 'buy 0.01', 'exec')).toEqual({ success: true })
  })

  it('ends what waits for a price, too', async () => {
    const running = await start()
    const waiting = run(running, 'wait price > 1000000; buy 1')
    await expect.poll(() => running.app.runner.counts().running).toBe(1)
    await run(running, 'panic')
    expect(await waiting).toEqual({ success: false, error: 'stopped: panic', cut: true })
  })

  it('is told by the next start, by status and by listener, as on when its file cannot be read', async () => {
    const running = await start()
    writeFileSync(join(running.directory, 'panic.json'), '{')
    const [notice] = startNotices(running.app)
    expect(notice).toMatchObject({
      kind: 'error',
      text: expect.stringMatching(/^panic is on \(turned on by panic\.json.*`resume`/),
    })
    await run(running, 'status; listener')
    expect(running.output.filter((text) => /^print panic +panic is on/.test(text))).toHaveLength(2)
    expect(await run(running, 'buy 0.01')).toMatchObject({ success: false })
    expect(await run(running, 'resume')).toEqual({ success: true })
    expect(await run(running, 'buy 0.01')).toEqual({ success: true })
  })

  it('is on after a restart, until `resume`', async () => {
    const first = await start()
    await run(first, 'panic')
    await first.app.stop(0)
    const second = await start(first.directory)
    expect(startNotices(second.app)).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^panic is on/) }),
    )
    expect(await run(second, 'buy 0.01')).toMatchObject({ success: false })
    expect(await run(second, 'resume; buy 0.01')).toEqual({ success: true })
  })

  it('is ended by the terminal alone', async () => {
    const running = await start()
    const hook = await running.createHook('panic')
    running.fire(hook)
    await running.runsDone(1)
    const refused = await run(running, 'resume', 'web')
    expect(refused).toMatchObject({ success: false, error: 'stopped: panic' })
    expect(running.app.ports.panic.read()).toBeDefined()
    expect(await run(running, 'resume; resume')).toEqual({ success: true })
    expect(running.output.at(-1)).toBe('info panic is not on, and no account is halted')
    expect((await run(running, 'hook create h "resume"')).error).toContain('runs only in the terminal')
    expect((await run(running, 'resume', 'web')).error).toContain('runs only in the terminal')
  })
})
