// The day of an account while its journal is set aside: what is carried over into the new file has been counted where it was written first.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type DayBookOptions, openDayBook } from '../../src/guards/day-book.ts'
import { openLineTail } from '../../src/stores/durable-journal.ts'
import type { CountedOrder } from '../../src/trading/order-event.ts'
import { createOrderJournal, openOrderFile } from '../../src/trading/order-journal.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const now = () => NOON

/** One hookline on the directory. @param afterCount what happens between a count of its own and its look at the file */
function startBook(path: string, maxBytes: number, afterCount: () => Promise<unknown> = async () => {}) {
  const journal = createOrderJournal(openOrderFile(path, maxBytes), {
    now,
    onProblem: (problem) => {
      if (problem !== undefined) throw problem
    },
  })
  onTestFinished(() => journal.close())
  const counting: DayBookOptions['journal'] = {
    answered: journal.answered,
    counted: async (order) => {
      await journal.counted(order)
      await afterCount()
    },
  }
  const book = openDayBook({ journal: counting, tail: openLineTail(path), now })
  const count = async (id: string) => {
    const order = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.002' } as const
    const by = { source: 'repl', runId: id, step: 0 } as const
    await journal.intend({ id, at: NOON, account: 'main', venue: 'binance', by, order })
    const counted: CountedOrder = {
      id,
      key: id,
      account: 'main',
      symbol: 'BTCUSDT',
      side: 'buy',
      amount: '0.002',
      value: '100',
    }
    return (await book.count(counted)).day.toFixed()
  }
  return { journal, book, count }
}

it('of two that count at the same time, one does not find the other above it, though both are carried over', async () => {
  const directory = tempDirectory()
  const path = join(directory, 'orders.jsonl')
  let before: string | undefined
  const second = startBook(path, 8_000_000)
  const third = createOrderJournal(openOrderFile(path, 1), { now, onProblem: () => {} })
  // Both have counted before the first looks, and the file is set aside then.
  const first = startBook(path, 8_000_000, async () => {
    before = await second.count('b')
    third.released('nothing')
    await third.close()
  })
  expect(await first.count('a')).toBe('0')
  expect(before).toBe('100')
  expect(readdirSync(directory)).toHaveLength(2)
})

it('a file that was set aside counts each order once', async () => {
  const path = join(tempDirectory(), 'orders.jsonl')
  const { count, book } = startBook(path, 900)
  const seen: string[] = []
  for (let index = 0; index < 20; index += 1) seen.push(await count(`order-${index}`))
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => String(index * 100)))
  const { day, underWay } = await book.look('main')
  expect([day.toFixed(), underWay.length]).toEqual(['2000', 20])
})

describe('an order that nothing was written beside', () => {
  const order = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.002' } as const
  const countOf = (id: string): CountedOrder => ({
    id,
    key: id,
    account: 'main',
    symbol: 'BTCUSDT',
    side: 'buy',
    amount: '0.002',
    value: '100',
  })

  /** A book that says when it reads what this process wrote. */
  function startWatched(path: string) {
    const journal = createOrderJournal(openOrderFile(path), { now, onProblem: () => {} })
    onTestFinished(() => journal.close())
    const tail = openLineTail(path)
    const taken: number[] = []
    const watched = {
      ...tail,
      takeOwn: () => {
        const lines = tail.takeOwn?.() ?? []
        taken.push(lines.length)
        return lines
      },
    }
    const book = openDayBook({ journal, tail: watched, now })
    const intend = (id: string) => {
      const by = { source: 'repl', runId: id, step: 0 } as const
      return journal.intend({ id, at: NOON, account: 'main', venue: 'binance', by, order })
    }
    return { journal, book, intend, taken }
  }

  it('is judged by what was known, and its lines are read behind it', async () => {
    const { book, intend, taken } = startWatched(join(tempDirectory(), 'orders.jsonl'))
    // It knows where the file ends once it has counted.
    for (const id of ['first', 'second']) await book.count(countOf(id))
    await book.look('main')
    taken.length = 0
    const counted = countOf('a')
    const ahead = book.ahead(counted)
    const written = intend('a')
    expect(await book.count(counted)).toBe(ahead)
    await written
    expect(taken).toEqual([])
    expect((await book.look('main')).day.toFixed()).toBe('300')
  })

  it('finds another one of this process above it that was counted meanwhile', async () => {
    const { book, intend } = startWatched(join(tempDirectory(), 'orders.jsonl'))
    await book.count(countOf('before'))
    await book.look('main')
    const [first, second] = [countOf('a'), countOf('b')]
    const known = [book.ahead(first), book.ahead(second)]
    void intend('a')
    const one = book.count(first)
    void intend('b')
    const two = book.count(second)
    expect(known.map((use) => use?.day.toFixed())).toEqual(['100', '100'])
    expect([(await one).day.toFixed(), (await two).day.toFixed()]).toEqual(['100', '200'])
  })

  it('finds one of another process above it that was counted meanwhile', async () => {
    const path = join(tempDirectory(), 'orders.jsonl')
    const { book, intend } = startWatched(path)
    const other = startBook(path, 8_000_000)
    await book.count(countOf('before'))
    await book.look('main')
    const counted = countOf('a')
    expect(book.ahead(counted)?.day.toFixed()).toBe('100')
    await other.count('b')
    void intend('a')
    expect((await book.count(counted)).day.toFixed()).toBe('200')
  })
})
