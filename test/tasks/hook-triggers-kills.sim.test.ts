// A process that fires hooks dies at any line that it writes and at any fire: no bar fires twice, and none late.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTriggerStage, MINUTE_MS, START, type TriggerProcess } from '../../harness/tasks/trigger-stage.ts'
import { runsOf } from '../../harness/tiers/runs.ts'

/** In full more than 300 kills. */
const SCRIPTS = runsOf(130, 30)

const ABOVE = 'close(1m) > 110'

/** A minute that closes above or below, and at which of the next steps its process dies. */
const minute = fc.record({
  isAbove: fc.boolean(),
  diesIn: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  restartsAfterMs: fc.constantFrom(0, 1_000, 20_000, 70_000, 200_000),
})

/** `… and once more, while`, `… and 3 times more, while`. */
function moreIn(report: string): number {
  const [, times] = / and (once|\d+ times) more,/.exec(report) ?? []
  return times === undefined ? 0 : times === 'once' ? 1 : Number.parseInt(times, 10)
}

test('whatever dies, each edge fires at most once, within half a minute, and is known afterwards', async () => {
  let kills = 0
  await fc.assert(
    fc.asyncProperty(fc.array(minute, { minLength: 8, maxLength: 14 }), async (script) => {
      const stage = createTriggerStage()
      await stage.create('dip', ABOVE, 'BTCUSDT')
      const all: TriggerProcess[] = []
      let left = Number.POSITIVE_INFINITY
      const open = async () => {
        left = Number.POSITIVE_INFINITY
        all.push(
          await stage.open(() => {
            left -= 1
            return left < 0
          }),
        )
      }
      await open()
      const edges: number[] = []
      let wasAbove = false
      for (const { isAbove, diesIn, restartsAfterMs } of script) {
        left = diesIn ?? Number.POSITIVE_INFINITY
        const from = stage.now()
        await stage.minutes(isAbove ? 120 : 100)
        const closedAt = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS
        if (isAbove && !wasAbove) edges.push(closedAt)
        wasAbove = isAbove
        if (left >= 0) continue
        kills += 1
        await stage.pass(restartsAfterMs)
        // Minutes that are not in the script close at 100.
        if (stage.now() >= closedAt + MINUTE_MS) wasAbove = false
        await open()
      }
      await stage.minutes(100)
      const fires = all.flatMap((each) => each.fires)
      const keys = fires.map(({ key }) => key)
      expect(new Set(keys).size, 'no bar twice').toBe(keys.length)
      const at = keys.map((key) => Number(key.split(' ')[2]))
      for (const each of at) expect(edges, 'only what became true').toContain(each)
      const reports = all.flatMap((each) => each.reports)
      const bad = reports.filter((text) => !/^dip (the condition became true|a fire was due)/.test(text))
      expect(bad, 'nothing else is reported').toEqual([])
      const reported = reports.reduce((count, text) => count + 1 + moreIn(text), 0)
      expect(fires.length + reported, 'each edge was fired, or is reported').toBeGreaterThanOrEqual(edges.length)
    }),
    { numRuns: SCRIPTS, seed: START % 1_000_000 },
  )
  expect(kills).toBeGreaterThan(SCRIPTS * 2.5)
}, 60_000)
