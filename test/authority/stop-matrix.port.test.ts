// Stops that another process says to everything that acts at once, in one directory: hooks, a page, a line, tasks, an entry that fills late and
// copiers, all of them the built program. What each does then is what the table says (behaviour 30); `npm run stops` tries every stop, each way. Those of
// accounts and of what drives the tasks have files of their own, which run beside this one.
import { expect, it } from 'vitest'
import { wrongCells } from '../../harness/stops/stop-cycles.ts'

it('does to each of them what the table of stops says', async () => {
  const wrong = await wrongCells([
    ['panic', 'held'],
    ['panic', 'slept'],
    ['halt --reducing', 'held'],
  ])
  expect(wrong).toEqual([])
}, 600_000)
