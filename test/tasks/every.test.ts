import { describe, expect, it } from 'vitest'
import { type EveryParams, every } from '../../src/tasks/every.ts'
import { PureStage, START } from './pure-stage.ts'

const HOUR_MS = 3_600_000
const HOURLY: EveryParams = { schedule: { kind: 'interval', everyMs: HOUR_MS }, line: 'buy $50' }
const START_AT = new Date(START)
const soon = { hour: (START_AT.getUTCHours() + 1) % 24, minute: 0, zone: 'UTC' }
const ONCE: EveryParams = { schedule: { kind: 'once', ...soon }, line: 'close' }

/** Time passes, and each line ends at once. */
function pass<State extends { readonly firedAt: number | null }>(
  stage: PureStage<EveryParams, State>,
  hours: number,
): void {
  for (let hour = 0; hour < hours; hour += 1) {
    stage.pass(HOUR_MS)
    if (stage.state.firedAt !== null) stage.tell({ type: 'ran' })
  }
}

describe('a line with its times', () => {
  it('runs at each of them, and never at its begin', () => {
    const stage = new PureStage(every, HOURLY).begin()
    expect(stage.ran).toEqual([])
    pass(stage, 5)
    expect(stage.ran).toHaveLength(5)
    expect(stage.ended).toBeUndefined()
  })

  it('reports that its line runs; the end is for `tasks show`, since the line has printed it', () => {
    const stage = new PureStage(every, HOURLY).begin()
    stage.pass(HOUR_MS)
    stage.tell({ type: 'ran', outcome: 'bought 0.001 BTCUSDT' })
    expect(stage.said).toEqual(['runs buy $50'])
    expect(stage.kept).toEqual([expect.stringMatching(/^its line ran at .* UTC: bought 0.001 BTCUSDT$/)])
  })

  it('is over after its only one', () => {
    const stage = new PureStage(every, ONCE).begin()
    pass(stage, 2)
    expect(stage.ran).toEqual(['close'])
    expect(stage.ended).toMatchObject({ status: 'done' })
  })

  it('tells what it missed, and does not make up for it', () => {
    const stage = new PureStage(every, HOURLY).begin()
    stage.restart(3 * HOUR_MS + 60_000)
    expect(stage.ran).toEqual([])
    expect(stage.said).toEqual([expect.stringMatching(/^missed .* UTC and 2 later: 2h 1m.* late$/)])
    pass(stage, 1)
    expect(stage.ran).toHaveLength(1)
    stage.pass(HOUR_MS).tell({ type: 'ran', error: 'no money' })
    expect(stage.news).toEqual([
      expect.stringMatching(/^missed /),
      expect.stringMatching(/^its line failed at .* UTC: no money$/),
    ])
    const once = new PureStage(every, ONCE).begin()
    once.restart(3 * HOUR_MS)
    expect(once.ended).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^missed /) })
  })

  it('runs as late as it may', () => {
    const due = START + HOUR_MS - (START % HOUR_MS)
    const late = new PureStage(every, { ...HOURLY, lateMs: 300_000 }).begin()
    late.restart(due + 299_000 - late.now)
    expect(late.ran).toHaveLength(1)
    const tooLate = new PureStage(every, { ...HOURLY, lateMs: 300_000 }).begin()
    tooLate.restart(due + 301_000 - tooLate.now)
    expect(tooLate.ran).toEqual([])
  })

  it('runs the last of several that were missed, as late as that may be', () => {
    const due = START + HOUR_MS - (START % HOUR_MS)
    const stage = new PureStage(every, { ...HOURLY, lateMs: 300_000 }).begin()
    stage.restart(due + 5 * HOUR_MS + 120_000 - stage.now)
    expect(stage.ran).toHaveLength(1)
    expect(stage.said).toEqual([
      expect.stringMatching(/^missed .* UTC and 4 later: /),
      expect.stringMatching(/^runs buy \$50, 2m.* after /),
    ])
    stage.tell({ type: 'ran' })
    pass(stage, 1)
    expect(stage.ran).toHaveLength(2)
  })

  it('does not run again for a clock that was set back', () => {
    const stage = new PureStage(every, HOURLY).begin()
    pass(stage, 1)
    stage.now -= HOUR_MS
    stage.restart(0)
    stage.pass(2 * HOUR_MS - 60_000)
    expect(stage.ran).toHaveLength(1)
    pass(stage, 1)
    expect(stage.ran).toHaveLength(2)
  })

  it('skips a time at which its line still runs', () => {
    const stage = new PureStage(every, HOURLY).begin()
    stage.pass(2 * HOUR_MS)
    expect(stage.ran).toHaveLength(1)
    expect(stage.said.at(-1)).toMatch(/^missed .*: its line still ran$/)
  })

  it('loses its time under a panic, and its task with it, where that was the only one', () => {
    const stage = new PureStage(every, ONCE).begin()
    stage.pass(HOUR_MS)
    stage.tell({ type: 'ran', lost: 'panic is on' })
    expect(stage.ended).toMatchObject({ status: 'failed', reason: expect.stringContaining('panic is on') })
    const each = new PureStage(every, HOURLY).begin()
    each.pass(HOUR_MS)
    each.tell({ type: 'ran', lost: 'panic is on' })
    expect(each.ended).toBeUndefined()
    pass(each, 1)
    expect(each.ran).toHaveLength(2)
  })
})
