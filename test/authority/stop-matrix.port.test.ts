// Stops that another process says to everything that acts at once, in one directory: hooks, a page, a line, tasks, an entry that fills late and
// copiers, all of them the built program. What each does then is what the table says (behaviour 30); `npm run stops` tries every stop, each way.
import { expect, it } from 'vitest'
import { runCycle, SAID, type SaidStop, type Timing } from '../../harness/stops/stop-cycles.ts'
import { StopStage } from '../../harness/stops/stop-stage.ts'

const SAID_HERE: readonly (readonly [string, Timing])[] = [
  ['panic', 'held'],
  ['panic', 'slept'],
  ['halt --reducing', 'held'],
  ['sim on', 'held'],
  ['SIGKILL of the driver', 'held'],
]

function named(name: string): SaidStop {
  const found = SAID.find((said) => (said.name ?? said.stop) === name)
  if (found === undefined) throw new Error(`there is no stop ${name}`)
  return found
}

it('does to each of them what the table of stops says', async () => {
  const stage = await StopStage.start()
  for (const [name, timing] of SAID_HERE) {
    const cells = await runCycle(stage, named(name), timing)
    expect(cells.filter(({ wrong }) => wrong !== undefined)).toEqual([])
  }
}, 600_000)
