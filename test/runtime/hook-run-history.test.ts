import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { whySkipped } from '../../src/hooks/fire-limits.ts'
import { FireLedger, type OpenFire } from '../../src/runtime/hook-run-history.ts'

const NOON = Date.parse('2026-11-23T12:00:00Z')

function ledgerOf(lines: readonly object[], more: { own?: Map<string, OpenFire>; now?: number } = {}): FireLedger {
  return new FireLedger({
    lines: () => lines.map((line) => JSON.stringify(line)),
    ownFires: () => more.own ?? new Map(),
    now: () => ({ wallMs: more.now ?? NOON, monotonicMs: 0 }),
  })
}

const start = (runId: string, at: number, more: object = {}) => ({ t: 'start', runId, at, ...more, hook: 'dip' })
const done = (runId: string, more: object = {}) => ({ t: 'done', runId, at: 9, ok: true, ...more })
const counted = (ledger: FireLedger) => ledger.of('dip').begun.map(({ runId, at }) => `${runId}@${at}`)

describe('the runs of a hook, as the journal has them', () => {
  it('count from when they began, or were accepted', () => {
    expect(counted(ledgerOf([start('a', 1), done('a'), start('b', 2), done('b', { begun: 5 })]))).toEqual([
      'a@1',
      'b@5',
    ])
  })

  it('do not count where the fire never began', () => {
    const never = ['skipped', 'expired', 'refused', 'stopped'].flatMap((unbegun) => [
      start(unbegun, 1),
      done(unbegun, { ok: false, unbegun }),
    ])
    expect(counted(ledgerOf(never))).toEqual([])
  })

  it('count from now where their process died and nobody knows when they began', () => {
    expect(counted(ledgerOf([start('a', 1)]))).toEqual([`a@${NOON}`])
    expect(counted(ledgerOf([start('a', 1), { t: 'interrupted', runId: 'a', at: 50 }]))).toEqual(['a@50'])
    expect(counted(ledgerOf([start('a', 80), { t: 'interrupted', runId: 'a', at: 50 }]))).toEqual(['a@80'])
  })

  it('of this process count once they have begun', () => {
    const own = new Map<string, OpenFire>([
      ['waits', {}],
      ['runs', { begun: 7 }],
    ])
    expect(counted(ledgerOf([start('waits', 1), start('runs', 2)], { own }))).toEqual(['runs@7'])
  })

  it('are told apart from those of other hooks, and from what people ran', () => {
    const others = [
      { t: 'start', runId: 'x', at: 1, hook: 'flat' },
      done('x'),
      { t: 'start', runId: 'y', at: 1 },
      done('y'),
    ]
    const ledger = ledgerOf(others)
    expect(counted(ledger)).toEqual([])
    expect(ledger.of('flat').begun).toHaveLength(1)
  })

  it('survive the file that they were written to, and count once', () => {
    const first = ledgerOf([start('a', 1), done('a'), start('b', 2)], { own: new Map([['b', { begun: 3 }]]) })
    const [kept = ''] = first.carryOver(() => 5, 1)
    expect(counted(ledgerOf([JSON.parse(kept)]))).toEqual(['a@1', 'b@3'])
    const again = [start('a', 1), done('a'), start('b', 2), JSON.parse(kept), start('b', 2), done('b', { begun: 3 })]
    expect(counted(ledgerOf(again))).toEqual(['a@1', 'b@3'])
  })

  it('are carried over as many as a limit looks back at, and none of a hook that is gone', () => {
    const ledger = ledgerOf([start('a', 1), done('a'), start('b', 2), done('b')])
    expect(ledger.carryOver(() => 1, 1).map((line) => JSON.parse(line))).toEqual([
      { t: 'begun', hook: 'dip', runs: [['b', 2, 0]], failures: 0, resumed: 0 },
    ])
    expect(ledger.carryOver(() => 0, 1)).toEqual([])
    expect(ledger.carryOver(() => undefined, 1)).toEqual([])
  })

  it('are carried over once for every two files', () => {
    const ledger = ledgerOf([])
    expect(counted(ledger)).toEqual([])
    for (const file of [1, 2]) ledger.began('dip', { runId: `of ${file}`, at: file, resumed: 0, file })
    const carried = (aside: number) =>
      ledger.carryOver(() => 5, aside).flatMap((line) => JSON.parse(line).runs.map(([runId]: [string]) => runId))
    expect([carried(2), carried(3), carried(4)]).toEqual([['of 1'], ['of 2'], ['of 1']])
  })

  it('are what any text in the file leaves of them', () => {
    const ledger = new FireLedger({
      lines: () => [
        '',
        'null',
        '{"t":"start","runId":"a","hook":"',
        '{"t":"begun","hook":"dip","runs":[1,[2],[null]]}',
      ],
      ownFires: () => new Map(),
      now: () => ({ wallMs: NOON, monotonicMs: 0 }),
    })
    expect(counted(ledger)).toEqual([])
  })
})

describe('failures in a row', () => {
  const failed = { ok: false, error: 'no' }
  const failures = (lines: readonly object[]) => ledgerOf(lines).of('dip').failures
  const runs = (...ends: readonly object[]) =>
    ends.flatMap((end, index) => [start(`${index}`, index), done(`${index}`, end)])

  it('are counted in the order of the ends, and a success ends them', () => {
    expect(failures(runs(failed, failed))).toBe(2)
    expect(failures(runs(failed, {}, failed))).toBe(1)
  })

  it('are not what was skipped, expired, or cut short from outside', () => {
    expect(failures(runs(failed, { ...failed, unbegun: 'skipped' }, { ...failed, cut: true }, failed))).toBe(2)
  })

  it('begin anew when the hook is resumed', () => {
    const lines = [start('a', 1), done('a', failed), start('b', 2, { resumed: 1 }), done('b', failed)]
    expect(ledgerOf(lines).of('dip')).toMatchObject({ failures: 1, resumed: 1 })
  })

  it('are read when the first run fails, its own line included, and counted on from there', () => {
    const lines: object[] = runs(failed, failed, failed)
    const ledger = ledgerOf(lines)
    expect(ledger.ended('dip', 0, { success: false, error: 'no' })).toBe(3)
    expect(ledger.ended('dip', 0, { success: false, error: 'no' })).toBe(4)
    expect(ledger.ended('dip', 0, { success: false, unbegun: 'skipped' })).toBe(0)
    expect(ledger.ended('dip', 0, { success: false, error: 'no' })).toBe(5)
    ledger.ended('dip', 0, { success: true })
    expect(ledger.of('dip').failures).toBe(0)
  })
})

describe('the time that limits go by', () => {
  it('goes on when the clock on the wall is set back', () => {
    const ledger = ledgerOf([])
    expect(ledger.steady({ wallMs: 100_000, monotonicMs: 0 })).toBe(100_000)
    expect(ledger.steady({ wallMs: 40_000, monotonicMs: 2_000 })).toBe(102_000)
    expect(ledger.steady({ wallMs: 41_000, monotonicMs: 3_000.9 })).toBe(103_000)
    expect(ledger.steady({ wallMs: 200_000, monotonicMs: 4_000 })).toBe(200_000)
  })

  it('begins behind the last run, where the clock was set back while nothing ran', () => {
    const ledger = ledgerOf([start('a', NOON + 60_000), done('a')], { now: NOON })
    ledger.of('dip')
    expect(ledger.steady({ wallMs: NOON + 5_000, monotonicMs: 5_000 })).toBe(NOON + 65_000)
  })

  it('never goes back, whatever the clocks say', () => {
    const moments = fc.array(fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.double({ min: 0, max: 50, noNaN: true })))
    fc.assert(
      fc.property(moments, (steps) => {
        const ledger = ledgerOf([])
        let [before, monotonicMs] = [0, 0]
        for (const [wallMs, passed] of steps) {
          monotonicMs += passed
          const now = ledger.steady({ wallMs, monotonicMs })
          expect(now).toBeGreaterThanOrEqual(before)
          before = now
        }
      }),
    )
  })
})

describe('a crash after any line, and a clock that is set back', () => {
  const limits = { rate: { fires: 2, ms: 60_000 }, cooldownMs: 1_000 } as const
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 40_000 }),
    /** What happens before the fire. */
    restarts: fc.boolean(),
    setBack: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
    /** The process dies while it runs. */
    diesInIt: fc.boolean(),
  })

  it('never let more begin in any minute', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const began = play(steps)
        for (const [index, at] of began.entries()) {
          expect(at - (began[index - 2] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(limits.rate.ms)
          expect(at - (began[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(limits.cooldownMs)
        }
      }),
    )
  })

  type Steps = readonly { wait: number; restarts: boolean; setBack: number; diesInIt: boolean }[]

  /** @returns when runs began, by a clock that nobody sets */
  function play(steps: Steps): number[] {
    const began: number[] = []
    const lines: object[] = []
    let [real, wall, startedAt, isNew] = [NOON, NOON, NOON, true]
    const now = () => ({ wallMs: wall, monotonicMs: real - startedAt })
    const open = () =>
      new FireLedger({ lines: () => lines.map((line) => JSON.stringify(line)), ownFires: () => new Map(), now })
    let ledger = open()
    for (const [index, { wait, restarts, setBack, diesInIt }] of steps.entries()) {
      ;[real, wall] = [real + wait, wall + wait - setBack]
      if (restarts || isNew) {
        startedAt = real
        ledger = open()
      }
      const { begun } = ledger.of('dip')
      const steadyMs = ledger.steady(now())
      const runId = `${index}`
      lines.push(start(runId, wall))
      const skip = whySkipped({ limits }, { begun, failures: 0, steadyMs, wallMs: wall })
      isNew = diesInIt
      if (skip !== undefined) lines.push(done(runId, { ok: false, unbegun: 'skipped' }))
      if (skip !== undefined) continue
      began.push(real)
      ledger.began('dip', { runId, at: steadyMs, resumed: 0 })
      if (!diesInIt) lines.push(done(runId, { begun: steadyMs }))
    }
    return began
  }
})
