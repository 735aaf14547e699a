import { describe, expect, it } from 'vitest'
import { readCopies } from '../../../src/trading/history/copies.ts'

const ROW = 'b1f2c3d4-5a6b-4c7d-8e9f-0a1b2c3d4e5f'

interface By {
  readonly copier?: string
  readonly taskId?: string
  readonly runId?: string
}

const intent = (id: string, by: By, at = 1) => ({
  t: 'intent',
  id,
  at,
  account: 'swing',
  by: { source: 'exec', runId: 'r', ...by },
  order: { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' },
})
const placed = (id: string) => ({ t: 'outcome', id, outcome: 'placed', orderId: `p-${id}` })
const refused = (id: string) => ({ t: 'outcome', id, outcome: 'refused', code: 'guarded', message: 'over the limit' })
const unknown = (id: string) => ({ t: 'outcome', id, outcome: 'unknown', message: 'no answer' })
const closed = (id: string) => ({ t: 'end', id, status: 'closed', filled: '0.01' })

/** @param lines oldest first, as they are written */
async function read(lines: readonly object[], limit = 50, perChunk = 2) {
  async function* backwards() {
    const texts = lines.map((line) => JSON.stringify(line)).toReversed()
    for (let from = 0; from < texts.length; from += perChunk) yield texts.slice(from, from + perChunk)
  }
  return readCopies(backwards(), limit)
}

describe('what copiers ordered', () => {
  it('is each with its row and its fate, newest first, and nothing that others ordered', async () => {
    const copier = `${ROW}/swing/BTCUSDT`
    const lines = [
      intent('a', { copier }, 1),
      placed('a'),
      intent('mine', {}, 2),
      placed('mine'),
      closed('a'),
      intent('b', { copier }, 3),
      refused('b'),
      intent('c', { copier }, 4),
      unknown('c'),
      intent('d', { copier }, 5),
    ]
    for (const perChunk of [1, 3, 100]) {
      expect(await read(lines, 50, perChunk)).toMatchObject([
        { clientOrderId: 'd', configId: ROW, state: 'sent', filled: '0' },
        { clientOrderId: 'c', configId: ROW, state: 'unknown', reason: 'no answer' },
        { clientOrderId: 'b', configId: ROW, state: 'refused', reason: 'over the limit' },
        { clientOrderId: 'a', configId: ROW, state: 'closed', orderId: 'p-a', filled: '0.01' },
      ])
    }
  })

  it('has the orders of a chase that a copier left to a task, and of no other task', async () => {
    const lines = [
      intent('chase', { taskId: 't1', runId: `${ROW}/swing/BTCUSDT/3` }),
      intent('own', { taskId: 't2', runId: ROW }),
    ]
    expect(await read(lines)).toMatchObject([{ clientOrderId: 'chase', configId: ROW, taskId: 't1' }])
  })

  it('ends where enough is found, and skips what is no line of ours', async () => {
    const copier = `${ROW}/swing/BTCUSDT`
    const lines = [{ t: 'intent', by: null }, intent('a', { copier }), intent('b', { copier }), { t: 'end', id: 7 }]
    expect(await read(lines, 1)).toMatchObject([{ clientOrderId: 'b' }])
    expect(await read(lines)).toHaveLength(2)
  })
})
