import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunRequest, RunSink, RunSummary } from '../../src/runs/run.ts'
import { createHookCounts, HookTally, outcomeOf } from '../../src/runtime/hook-counts.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 22, 12)
const HOOK = 'a'.repeat(32)

const past = (runId: string, own: Partial<RunSummary> = {}): RunSummary => ({
  runId,
  source: 'hook',
  hookId: HOOK,
  origin: 'dip',
  command: 'echo',
  state: 'done',
  startedAt: NOW - HOUR,
  finishedAt: NOW - HOUR + 40,
  ...own,
})

const END = { acceptedAt: NOW, endedAt: NOW }

function start(runs: readonly RunSummary[], { isListening = true } = {}) {
  const sinks = new Set<RunSink>()
  const clock = { now: NOW }
  let release = (): void => {}
  const gate = { reads: 0, hold: false }
  const read = createHookCounts({
    async find() {
      gate.reads += 1
      if (gate.hold) {
        await new Promise<void>((resolve) => {
          release = resolve
        })
      }
      return runs
    },
    addSink(sink) {
      sinks.add(sink)
      return () => void sinks.delete(sink)
    },
    now: () => clock.now,
    isListening: () => isListening,
  })
  const tell = (call: (sink: RunSink) => void) => sinks.forEach(call)
  return { read, tell, clock, gate, sinks, release: () => release() }
}

const fire = (runId: string): RunRequest => ({ runId, source: 'hook', command: 'echo', hookId: HOOK, origin: 'dip' })

describe('how hooks fared in 24 h', () => {
  it('is read from the journal once, and counted on from what runs', async () => {
    const { read, tell, clock, gate } = start([past('1'), past('2', { state: 'failed', error: 'no money' })])
    expect((await read()).get(HOOK)).toMatchObject({ fires: 2, ok: 1, failed: 1, medianMs: 40, p95Ms: 40 })
    clock.now += 100
    const end = { acceptedAt: NOW, endedAt: clock.now }
    tell((sink) => sink.done?.(fire('3'), { success: true }, end))
    tell((sink) =>
      sink.unbegun?.(
        fire('4'),
        { success: false, error: 'expired: it waited longer than 30s', unbegun: 'expired' },
        end,
      ),
    )
    tell((sink) =>
      sink.unbegun?.(fire('5'), { success: false, error: 'skipped: cooldown of 30s', unbegun: 'skipped' }, end),
    )
    expect((await read()).get(HOOK)).toEqual({
      fires: 5,
      ok: 2,
      failed: 1,
      skipped: 1,
      expired: 1,
      medianMs: 40,
      p95Ms: 100,
      last: { runId: '5', at: NOW, outcome: 'skipped', error: 'skipped: cooldown of 30s' },
    })
    expect(gate.reads).toBe(1)
  })

  it('has the mark of a last fire that warned, read or heard', async () => {
    const { read, tell } = start([past('1', { warned: true })])
    expect((await read()).get(HOOK)?.last).toMatchObject({ runId: '1', outcome: 'ok', warned: true })
    tell((sink) => sink.done?.(fire('2'), { success: true, warned: true }, END))
    expect((await read()).get(HOOK)?.last).toMatchObject({ runId: '2', outcome: 'ok', warned: true })
    tell((sink) => sink.done?.(fire('3'), { success: true }, END))
    expect((await read()).get(HOOK)?.last).not.toHaveProperty('warned')
  })

  it('counts once what ends while the journal is read', async () => {
    const { read, tell, gate, release } = start([past('1')])
    gate.hold = true
    const counted = read()
    tell((sink) => sink.done?.(fire('1'), { success: true }, END))
    tell((sink) => sink.done?.(fire('2'), { success: true }, END))
    release()
    expect((await counted).get(HOOK)).toMatchObject({ fires: 2, ok: 2 })
  })

  it('leaves out runs that go on, and those of people and pages', async () => {
    const { finishedAt: _, ...open } = past('1', { state: 'running' })
    const { hookId: __, ...typed } = past('2', { source: 'repl' })
    expect(await start([open, typed]).read()).toEqual(new Map())
  })

  it('reads again in a process that takes no fires, and keeps one sink', async () => {
    const { read, clock, gate, sinks } = start([past('1')], { isListening: false })
    await read()
    await read()
    expect(gate.reads).toBe(1)
    clock.now += 6_000
    await read()
    expect(gate.reads).toBe(2)
    expect(sinks.size).toBe(1)
  })

  it('forgets what is older than a day', () => {
    const tally = new HookTally()
    tally.add({ runId: '1', at: NOW - 25 * HOUR, outcome: 'failed', tookMs: 900 })
    tally.add({ runId: '2', at: NOW - HOUR, outcome: 'ok', tookMs: 10 })
    expect(tally.counts(NOW)).toEqual({
      fires: 1,
      ok: 1,
      failed: 0,
      skipped: 0,
      expired: 0,
      medianMs: 10,
      p95Ms: 10,
      last: { runId: '2', at: NOW - HOUR, outcome: 'ok' },
    })
  })

  it('is of the newest thousand durations, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 3_000 }), (durations) => {
        const tally = new HookTally()
        for (const [index, tookMs] of durations.entries()) {
          tally.add({ runId: `${index}`, at: NOW + index, outcome: 'ok', tookMs })
        }
        const sorted = durations.slice(-1_000).sort((a, b) => a - b)
        const { fires, medianMs, p95Ms } = tally.counts(NOW + durations.length)
        expect(fires).toBe(durations.length)
        expect(medianMs).toBe(sorted[Math.ceil(sorted.length / 2) - 1])
        expect(p95Ms).toBe(sorted[Math.ceil((sorted.length * 95) / 100) - 1])
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    [true, undefined, 'ok'],
    [false, 'skipped', 'skipped'],
    [false, 'expired', 'expired'],
    [false, 'refused', 'failed'],
    [false, 'stopped', 'failed'],
    [false, undefined, 'failed'],
  ] as const)('takes success %s, unbegun %s, for %s', (success, unbegun, outcome) => {
    expect(outcomeOf(success, unbegun)).toBe(outcome)
  })
})
