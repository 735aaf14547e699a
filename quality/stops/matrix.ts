// A row of the matrix after another, against one set of processes; `npm run stops` prints what they leave in `task.meta`.
import { test } from 'vitest'
import { type Cell, failedCells, runCycle, SAID, type SaidStop, type Timing } from '../../harness/stops/stop-cycles.ts'
import { COLUMNS, StopStage } from '../../harness/stops/stop-stage.ts'

export type { Cell }

declare module 'vitest' {
  interface TaskMeta {
    stops?: readonly Cell[]
  }
  interface ProvidedContext {
    /** Which stops: their names hold one of these; none: all. */
    stopNames: readonly string[]
  }
}

/** @param names of stops, or parts of them; none: all that are asked */
export function rows(timing: Timing, names: readonly string[], isAsked: (said: SaidStop) => boolean): void {
  test(timing, { timeout: 30 * 60_000 }, async ({ task }) => {
    const asked = SAID.filter(
      (said) => isAsked(said) && (names.length === 0 || names.some((name) => (said.name ?? said.stop).includes(name))),
    )
    const cells: Cell[] = []
    task.meta.stops = cells
    let stage: StopStage | undefined
    const columns = Object.keys(COLUMNS).length
    for (const said of asked) {
      const began = Date.now()
      try {
        if (said.isFirst === true) {
          await stage?.end()
          stage = undefined
        }
        stage ??= await StopStage.start()
        cells.push(...(await runCycle(stage, said, timing)))
        if (said.leavesPaused === true) {
          await stage.end()
          stage = undefined
        }
      } catch (error) {
        cells.push(...failedCells(said, timing, error))
        await stage?.end()
        stage = undefined
      }
      task.meta.stops = [...cells]
      const wrong = cells.slice(-columns).filter((cell) => cell.wrong !== undefined)
      const seconds = ((Date.now() - began) / 1_000).toFixed(0)
      const told = [...new Set(wrong.map(({ wrong: what }) => what?.slice(0, 1_500)))]
        .map(
          (what) =>
            `\n  ${wrong
              .filter((each) => each.wrong?.slice(0, 1_500) === what)
              .map(({ column }) => column)
              .join(', ')}: ${what}`,
        )
        .join('')
      console.error(`${said.name ?? said.stop} (${timing}), ${seconds} s${told}`)
    }
  })
}
