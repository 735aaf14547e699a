// The guards hold for each copier (behaviour 40): the engine has no way round them.
import { describe, expect, it } from 'vitest'
import { copierOf, rowOf, stageCopier } from '../../harness/cross-trade/copier-stage.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory, tailInMemory } from '../../harness/venues/journal-in-memory.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { guardExchange } from '../../src/guards/guard-exchange.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'

async function stageGuarded() {
  const stage = stageCopier({ rows: [rowOf({ copiers: [copierOf(), copierOf({ account: 'other' })] })] })
  const { now } = stage.clock
  const store = openGuardStore(tempDirectory(), { now })
  const lines: string[] = []
  const journal = createOrderJournal(journalInMemory(lines), { now, onProblem() {} })
  const book = openDayBook({ journal, tail: tailInMemory(lines), now })
  const engine = await stage.started({
    exchange: (paper, account) => guardExchange(paper, { account, store, book, now, onTripped() {} }),
  })
  return { stage, store, engine }
}

describe('a copier behind its guard', () => {
  it('is blocked while its account is halted; the others go on, and it does with the next change of the master', async () => {
    const { stage, store, engine } = await stageGuarded()
    await store.restrict('copier', 'halted', 'repl')
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(engine.state()).toMatchObject({ state: 'blocked', why: expect.stringContaining('halted') })
    expect(await stage.position('copier')).toBe('0')
    expect(await stage.position('other')).toBe('1')
    await store.release('copier')
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('2')
  })
})
