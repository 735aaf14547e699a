// The engine's state on a real disk: over a restart, and over the rotation of its file.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openCopierFile, StateJournal } from '../../src/cross-trade/state-journal.ts'

const UNIT = 'row/copier/BTCUSDT'
const fail = (error: unknown): never => {
  throw error
}

describe('cross-trade-state.jsonl', () => {
  it('holds its sums over a restart and over many rotations', async () => {
    const path = join(tempDirectory(), 'cross-trade-state.jsonl')
    for (let start = 0; start < 3; start += 1) {
      const file = openCopierFile(path, 2_000)
      const journal = new StateJournal(file, Date.now, fail)
      await journal.read()
      expect(journal.state.units.get(UNIT)?.owned ?? '0').toBe(String(start * 20))
      for (let order = 0; order < 20; order += 1) {
        const step = journal.state.units.get(UNIT)?.nextStep ?? 0
        expect(step).toBe(start * 20 + order)
        await journal.append({ t: 'intent', unit: UNIT, step, at: 1, side: 'buy', amount: '1', reduceOnly: false })
        journal.note({ t: 'end', unit: UNIT, step, filled: '1' })
      }
      await file.close()
    }
  })
})
