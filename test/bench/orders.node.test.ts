// What the bench of orders takes for an order: its lines are read as they come, and all that was accepted is looked for in the files.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { JournalTail, verifyOrders } from './bench-parts.mjs'

describe('the tail of a journal', () => {
  it('gives whole lines once, from its beginning on, and goes on in the file that takes its place', () => {
    const path = join(tempDirectory(), 'orders.jsonl')
    const early = new JournalTail(path)
    expect(early.read()).toEqual([])
    writeFileSync(path, 'one\ntw')
    const late = new JournalTail(path)
    expect(early.read()).toEqual(['one'])
    appendFileSync(path, 'o\nthree\n')
    renameSync(path, `${path}.aside`)
    writeFileSync(path, 'four\n')
    expect([early.read(), early.read(), early.read()]).toEqual([['two', 'three'], ['four'], []])
    expect([late.read(), late.read()]).toEqual([['o', 'three'], ['four']])
    for (const tail of [early, late]) tail.close()
  })
})

describe('orders that were accepted', () => {
  const runIds = [1, 2].map((run) => `${run}0000000-0000-4000-8000-000000000000`)
  const idOf = (runId: string) => `${runId.replaceAll('-', '').slice(0, 24)}00000000`

  /** Both bought and placed, but for what is left out. */
  function written({ outcomes = 2, counted = 2, amount = '0.002', kept = 'p1' } = {}) {
    const directory = tempDirectory()
    const lines = runIds.flatMap((runId, index) => [
      { t: 'intent', id: idOf(runId), order: { side: 'buy' } },
      ...(index < outcomes ? [{ t: 'outcome', id: idOf(runId), outcome: 'placed', orderId: `p${index + 1}` }] : []),
    ])
    writeFileSync(join(directory, 'orders.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const endedOrders = [kept, 'p2'].map((id, index) => ({ order: { id, clientOrderId: idOf(runIds[index] ?? '') } }))
    return { directory, account: { nextOrderId: counted + 1, positions: [{ amount }], endedOrders } }
  }

  it('are found in the journal and in the account', () => {
    const { directory, account } = written()
    expect(() => verifyOrders(directory, runIds, account)).not.toThrow()
  })

  it.each([
    ['has no outcome', { outcomes: 1 }, 'orders that were placed: 1 instead of 2'],
    ['was not counted by the account', { counted: 1 }, 'orders that the account has counted: 1 instead of 2'],
    ['is not in the position', { amount: '0.001' }, 'thousandths that it holds: 1 instead of 2'],
    ['is another one in the account', { kept: 'p7' }, 'orders of the account that the journal names: 1 instead of 2'],
  ])('are an error when one %s', (_what, written_, message) => {
    const { directory, account } = written(written_)
    expect(() => verifyOrders(directory, runIds, account)).toThrow(message)
  })
})
