import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import type { Trade } from '../../src/exchange/order.ts'
import { openLineTail } from '../../src/stores/durable-journal.ts'
import { createOrderJournal, openOrderFile } from '../../src/trading/order-journal.ts'
import { type Intent, openIntents } from '../../src/trading/order-journal-lines.ts'

const BY = { source: 'hook', runId: 'r1', step: 0, origin: 'dip', hookId: 'h1' } as const
const ORDER = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' } as const
const STOP = { triggerPrice: '60000', fires: 'at-or-below' } as const

function intent(id: string, more: Partial<Intent> = {}): Intent {
  return { id, at: 1, account: 'paper', venue: 'paper', by: BY, order: ORDER, ...more }
}

const FILL: Trade = {
  id: 't1',
  orderId: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '0.01',
  price: '1',
  timestamp: 1,
}

const fail = (error: unknown) => {
  throw error
}

/** Lines as a process that is dead has left them. */
function leftByTheDead(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/"owner":\{[^}]*\}/, '"owner":{"pid":4194303,"born":"1"}'))
}

async function journalWith(write: (journal: ReturnType<typeof createOrderJournal>) => void | Promise<void>) {
  const file = journalInMemory()
  await write(createOrderJournal(file, { onProblem: fail }))
  return file.lines
}

describe('the order journal', () => {
  it('says who ordered what, and what came of it', async () => {
    const lines = await journalWith(async (journal) => {
      await journal.intend(intent('a'))
      journal.outcome('a', { outcome: 'placed', orderId: 'p1', end: { status: 'closed', filled: '0.01' } })
    })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ t: 'intent', id: 'a', account: 'paper', by: BY, order: ORDER }),
      expect.objectContaining({ t: 'outcome', id: 'a', outcome: 'placed', orderId: 'p1' }),
    ])
  })

  it.each<[string, (journal: ReturnType<typeof createOrderJournal>) => void, boolean]>([
    ['without an outcome', () => {}, true],
    ['of unknown outcome', (journal) => journal.outcome('a', { outcome: 'unknown', message: '' }), true],
    ['that was refused', (journal) => journal.outcome('a', { outcome: 'refused', code: 'x', message: '' }), false],
    ['that rests', (journal) => journal.outcome('a', { outcome: 'placed', orderId: 'p1' }), true],
    [
      'that filled at once, and whose fills are missing',
      (journal) => journal.outcome('a', { outcome: 'placed', orderId: 'p1', end: { status: 'closed', filled: '1' } }),
      true,
    ],
    [
      'that filled at once, with its fills',
      (journal) => {
        journal.outcome('a', { outcome: 'placed', orderId: 'p1', end: { status: 'closed', filled: '0.01' } })
        journal.fill('a', 'paper', FILL)
      },
      false,
    ],
    [
      'whose fills the venue no longer lists',
      (journal) => {
        journal.outcome('a', { outcome: 'placed', orderId: 'p1' })
        journal.end('a', { status: 'closed', filled: '0.01', unlisted: '0.01' })
      },
      false,
    ],
    [
      'that ended later',
      (journal) => {
        journal.outcome('a', { outcome: 'placed', orderId: 'p1' })
        journal.end('a', { status: 'canceled', filled: '0' })
      },
      false,
    ],
  ])('finds an order %s: %#', async (_what, write, isOpen) => {
    const lines = await journalWith(async (journal) => {
      await journal.intend(intent('a'))
      write(journal)
    })
    expect(openIntents(lines).map(({ id }) => id)).toEqual(isOpen ? ['a'] : [])
  })

  it('keeps an entry open until its stop needs no more care, and counts the stops sent for it', async () => {
    const lines = await journalWith(async (journal) => {
      await journal.intend(intent('a', { order: { ...ORDER, protection: STOP } }))
      journal.outcome('a', { outcome: 'placed', orderId: 'p1', end: { status: 'closed', filled: '0.01' } })
      journal.fill('a', 'paper', FILL)
      await journal.intend(intent('s0', { protects: 'a' }))
      await journal.intend(intent('s1', { protects: 'a' }))
      journal.outcome('s0', { outcome: 'refused', code: 'x', message: '' })
    })
    expect(openIntents(lines)).toMatchObject([
      { id: 'a', isEnded: true, isReleased: false, protectors: [{ id: 's0' }, { id: 's1' }] },
      { id: 's1' },
    ])
    const released = await journalWith((journal) => journal.released('a'))
    expect(openIntents([...lines, ...released]).map(({ id }) => id)).toEqual(['s1'])
  })

  it('adds up each fill once', async () => {
    const trade = {
      id: 't1',
      orderId: 'p1',
      symbol: 'BTCUSDT',
      side: 'buy',
      amount: '0.004',
      price: '1',
      timestamp: 1,
    } as const
    const lines = await journalWith(async (journal) => {
      await journal.intend(intent('a'))
      journal.fill('a', 'paper', trade)
      journal.fill('a', 'paper', trade)
      journal.fill('a', 'paper', { ...trade, id: 't2' })
    })
    expect(openIntents(lines)[0]?.filledBefore).toBe('0.008')
  })

  it('skips what is torn or written by a hand', async () => {
    const lines = await journalWith((journal) => journal.intend(intent('a')))
    const odd = [
      '{"t":"intent"',
      '[]',
      'null',
      '{"t":"intent","id":"b"}',
      '{"t":"owner","id":"a","owner":3}',
      '{"t":"fill","id":"a"}',
    ]
    expect(openIntents([...odd, ...lines, ...odd]).map(({ id }) => id)).toEqual(['a'])
  })

  it('gives what the dead have left to one process, and only of the account asked for', async () => {
    const lines = await journalWith(async (journal) => {
      await journal.intend(intent('a'))
      await journal.intend(intent('b', { account: 'other' }))
    })
    const file = journalInMemory(leftByTheDead(lines))
    const journal = createOrderJournal(
      { ...file, path: `${process.env.TMPDIR ?? '/tmp'}/hookline-orders-${process.pid}` },
      { onProblem: fail },
    )
    expect(await journal.accountsLeft()).toEqual(['paper', 'other'])
    expect((await journal.takeOver('paper')).orders.map(({ id }) => id)).toEqual(['a'])
    expect(await journal.takeOver('paper')).toEqual({ orders: [], changes: [] })
    expect(await journal.accountsLeft()).toEqual(['other'])
  })

  it('leaves alone what a living process looks after', async () => {
    const file = journalInMemory(await journalWith((journal) => journal.intend(intent('a'))))
    expect(await createOrderJournal(file, { onProblem: fail }).takeOver('paper')).toEqual({ orders: [], changes: [] })
  })

  it('reads nothing to see that no other process is in doubt, where none has written', async () => {
    const path = join(tempDirectory(), 'orders.jsonl')
    const tail = openLineTail(path)
    let looks = 0
    const counting = {
      ...tail,
      readOn(since: number) {
        looks += 1
        return tail.readOn(since)
      },
    }
    const journal = createOrderJournal(openOrderFile(path), { now: () => 1, tail: counting, onProblem: fail })
    await journal.intend(intent('a'))
    expect(await journal.unsettledElsewhere('paper')).toEqual([])
    for (const id of ['b', 'c']) {
      await journal.intend(intent(id))
      expect(await journal.unsettledElsewhere('paper')).toEqual([])
    }
    expect(looks).toBe(1)
    // A process that lives: the one that started this.
    const [own = ''] = readFileSync(path, 'utf8').split('\n')
    const { owner: _, ...line } = JSON.parse(own) as Record<string, unknown>
    const theirs = { ...line, id: 'd', owner: { pid: process.ppid } }
    const doubt = { t: 'outcome', id: 'd', at: 1, outcome: 'unknown', message: '' }
    appendFileSync(path, `${JSON.stringify(theirs)}\n${JSON.stringify(doubt)}\n`)
    expect((await journal.unsettledElsewhere('paper')).map(({ id }) => id)).toEqual(['d'])
    expect(looks).toBe(2)
    await journal.close()
  })

  it('sends nothing when the intent cannot be written', async () => {
    const broken = { ...journalInMemory(), append: () => Promise.reject(new Error('the disk is full')) }
    await expect(createOrderJournal(broken, { onProblem: fail }).intend(intent('a'))).rejects.toThrow(
      'the disk is full',
    )
  })
})
