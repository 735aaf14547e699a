// As `stop-matrix.port.test.ts`, of what is said of accounts.
import { expect, it } from 'vitest'
import { wrongCells } from '../../harness/stops/stop-cycles.ts'

it('does to each of them what the table of stops says of accounts', async () => {
  const wrong = await wrongCells([
    ['sim on', 'held'],
    ['account remove', 'held'],
  ])
  expect(wrong).toEqual([])
}, 600_000)
