// As `stop-matrix.port.test.ts`, of the file and of the process by which tasks are driven.
import { expect, it } from 'vitest'
import { wrongCells } from '../../harness/stops/stop-cycles.ts'

it('does to each of them what the table of stops says of what drives the tasks', async () => {
  const wrong = await wrongCells([
    ['tasks.jsonl unreadable', 'held'],
    ['SIGKILL of the driver', 'held'],
  ])
  expect(wrong).toEqual([])
}, 600_000)
