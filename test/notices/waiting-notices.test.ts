import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_WAITING, WaitingNotices } from '../../src/notices/channel-sender.ts'
import { messageOf, type NoticeRow } from '../../src/notices/notice.ts'
import { NoticeBoard } from '../../src/notices/notice-board.ts'
import { NotifyRate } from '../../src/notices/notices.ts'

const row = (text: string, at = 0): NoticeRow => ({ id: 1, at, kind: 'said', severity: 'info', text, count: 1 })

describe('what waits for a channel', () => {
  it('is sent in the order in which it was said, so many at a time', () => {
    const waiting = new WaitingNotices()
    for (const text of ['a', 'b', 'c']) waiting.push(row(text), 0)
    expect(waiting.take(2, 0).rows.map(({ text }) => text)).toEqual(['a', 'b'])
    expect(waiting.take(2, 0).rows.map(({ text }) => text)).toEqual(['c'])
    expect(waiting.dueAt()).toBeUndefined()
  })

  it('is one notice with a count where the same is said again', () => {
    const waiting = new WaitingNotices()
    for (let n = 0; n < 3; n++) waiting.push(row('a', n), n)
    expect(waiting.take(5, 3).rows).toEqual([{ ...row('a', 2), count: 3 }])
  })

  it('waits for a minute where the same was just sent, and has the count then', () => {
    const waiting = new WaitingNotices()
    waiting.push(row('a'), 0)
    waiting.take(5, 0)
    for (let n = 1; n < 5; n++) waiting.push(row('a'), n * 1_000)
    expect(waiting.take(5, 59_999).rows).toEqual([])
    expect(waiting.dueAt()).toBe(60_000)
    expect(waiting.take(5, 60_000).rows).toMatchObject([{ text: 'a', count: 4 }])
  })

  it('is all due when there is no later', () => {
    const waiting = new WaitingNotices()
    waiting.push(row('a'), 0)
    waiting.take(5, 0)
    waiting.push(row('a'), 1)
    expect(waiting.take(5, 1, true).rows).toHaveLength(1)
  })

  it('loses the oldest when there is too much, and says how many in the next message', () => {
    const waiting = new WaitingNotices()
    const lost = Array.from({ length: MAX_WAITING + 2 }, (_, n) => waiting.push(row(`text ${n}`), 0))
    expect(lost.filter(Boolean)).toHaveLength(2)
    const taken = waiting.take(1, 0)
    expect(taken).toMatchObject({ rows: [{ text: 'text 2' }], leftOut: 2 })
    expect(messageOf(taken.rows, taken.leftOut)).toBe('2 notices before this left out\ntext 2')
    expect(waiting.take(1, 0).leftOut).toBe(0)
  })

  it('never holds more than its bound, and accounts for everything that was said', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), fc.nat(30_000), fc.boolean()), { maxLength: 400 }), (steps) => {
        const waiting = new WaitingNotices()
        let now = 0
        let seen = 0
        let lost = 0
        const take = (max: number, isLast: boolean) => {
          const { rows, leftOut } = waiting.take(max, now, isLast)
          seen += rows.reduce((sum, { count }) => sum + count, 0)
          lost += leftOut
          return rows.length
        }
        for (const [text, ms, takes] of steps) {
          now += ms
          waiting.push(row(`text ${text}`), now)
          expect(waiting.size).toBeLessThanOrEqual(MAX_WAITING)
          if (takes) take(7, false)
        }
        while (take(50, true) > 0);
        expect(waiting.size).toBe(0)
        // What had no room may have stood for several.
        if (lost === 0) expect(seen).toBe(steps.length)
        else expect(seen + lost).toBeLessThanOrEqual(steps.length)
      }),
    )
  })
})

describe('the board', () => {
  it('keeps the last fifty, with growing ids', () => {
    const board = new NoticeBoard(() => 0)
    for (let n = 0; n < 60; n++) board.add({ kind: 'said', severity: 'info', text: `text ${n}` })
    expect(board.list()).toHaveLength(50)
    expect(board.list().map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, n) => n + 11))
  })

  it('counts the same said again within a minute, and takes it for another one later', () => {
    let now = 0
    const board = new NoticeBoard(() => now)
    const say = () => board.add({ kind: 'fill', severity: 'info', text: 'bought', account: 'paper' })
    say()
    now = 59_000
    say()
    expect(board.list()).toMatchObject([{ id: 1, count: 2, at: 59_000 }])
    now = 120_000
    say()
    expect(board.list().map(({ count }) => count)).toEqual([2, 1])
  })

  it('shows what is said again after fifty others', () => {
    const board = new NoticeBoard(() => 0)
    const say = (text: string) => board.add({ kind: 'said', severity: 'info', text })
    say('first')
    for (let n = 0; n < 50; n++) say(`text ${n}`)
    say('first')
    expect(board.list().at(-1)).toMatchObject({ id: 52, text: 'first', count: 1 })
    for (let n = 0; n < 500; n++) say(`more ${n}`)
    say('first')
    say('first')
    expect(board.list().at(-1)).toMatchObject({ id: 553, text: 'first', count: 2 })
  })

  it('tells who watches, until it no longer watches', () => {
    const board = new NoticeBoard(() => 0)
    let told = 0
    const stop = board.watch(() => {
      told += 1
    })
    board.add({ kind: 'said', severity: 'info', text: 'a' })
    stop()
    board.add({ kind: 'said', severity: 'info', text: 'b' })
    expect(told).toBe(1)
  })

  it('makes what is said one printable line of bounded length', () => {
    const board = new NoticeBoard(() => 0)
    const text = `a\n\u001b[31mred\u202e ${'x'.repeat(1_000)}`
    const added = board.add({ kind: 'said', severity: 'info', text, account: 'p\u0007', hook: 'h'.repeat(200) })
    expect(added.text).toMatch(/^a {2}\[31mred {2}x+…$/)
    expect(added.text.length).toBe(400)
    expect([added.account, added.hook?.length]).toEqual(['p ', 64])
  })
})

describe('notify', () => {
  it('is told ten times a minute for one hook, and thirty times for all', () => {
    let now = 0
    const rate = new NotifyRate(() => now)
    const admitted = (who: string, times: number) =>
      Array.from({ length: times }, () => rate.admit(who)).filter(Boolean)
    expect(admitted('dip', 50)).toHaveLength(10)
    expect(admitted('flat', 50)).toHaveLength(10)
    expect(admitted('peak', 50)).toHaveLength(10)
    expect(admitted('terminal', 5)).toHaveLength(0)
    now = 60_000
    expect(admitted('dip', 50)).toHaveLength(10)
  })
})
