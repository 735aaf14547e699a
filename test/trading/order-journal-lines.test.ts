// What single lines of the order journal come to: what is open, what is carried over, what is in doubt, and what a person spoilt.
import { describe, expect, it } from 'vitest'
import { journalInMemory, tailInMemory } from '../../harness/venues/journal-in-memory.ts'
import { createOrderJournal, IN_FLIGHT_MS } from '../../src/trading/order-journal.ts'
import {
  canceledAt,
  decodeJournalLine,
  isAs,
  linesOfOpen,
  madeIn,
  openChanges,
  openIntents,
  orderIn,
} from '../../src/trading/order-journal-lines.ts'
import { endsAtOnce, orderIdOf } from '../../src/trading/order-plan.ts'

type Fields = Readonly<Record<string, unknown>>

const DEAD = { pid: 4_194_303, born: '1' }
/** Of the process that started this one. */
const LIVING = { pid: process.ppid }
const ORDER = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '1', price: '100' }

const line = (t: string, more: Fields = {}) => JSON.stringify({ t, id: 'a', at: 1, account: 'main', ...more })
const intent = (more: Fields = {}, order: Fields = {}) =>
  line('intent', { venue: 'binance', by: {}, order: { ...ORDER, ...order }, owner: DEAD, ...more })
const outcome = (is: string, more: Fields = {}) => line('outcome', { outcome: is, ...more })
const placed = (more: Fields = {}) => outcome('placed', { orderId: 'v1', ...more })
const fill = (id: string, amount: string, more: Fields = {}) =>
  line('fill', { trade: { id, orderId: 'v1', symbol: 'BTCUSDT', amount, price: '100', ...more } })
const ended = (filled: string, more: Fields = {}) => line('end', { status: 'closed', filled, ...more })
const changing = (more: Fields = {}) =>
  line('changing', {
    id: 'c',
    ref: { symbol: 'BTCUSDT', id: 'v1' },
    change: { price: '99' },
    by: {},
    owner: DEAD,
    ...more,
  })

describe('an order of the journal', () => {
  it.each<[string, readonly string[], boolean]>([
    ['is open while its fills are short of its end', [intent(), placed(), ended('1'), fill('t1', '0.4')], true],
    ['is over with all its fills', [intent(), placed(), ended('1'), fill('t1', '0.4'), fill('t2', '0.6')], false],
    ['is over where the venue lists its fills no longer', [intent(), placed(), ended('1', { unlisted: '1' })], false],
    [
      'is not over by an end that an unknown outcome has',
      [intent(), outcome('unknown', { end: { filled: '0' } })],
      true,
    ],
    ['is nothing where it was simulated', [intent(), outcome('simulated')], false],
    ['is nothing where it was refused', [intent(), outcome('refused')], false],
    ['is open with a stop that needs care', [intent({}, { protection: {} }), placed(), ended('0')], true],
    ['is over once that is released', [intent({}, { protection: {} }), placed(), ended('0'), line('released')], false],
  ])('%s', (_, lines, isOpen) => {
    expect(openIntents(lines)).toHaveLength(isOpen ? 1 : 0)
    expect(linesOfOpen(lines)).toEqual(isOpen ? lines : [])
  })

  it('has the orders that protect it, with what is known of each', () => {
    const protector = (id: string, role: string | undefined, order: Fields) =>
      intent({ id, protects: 'a', role }, { type: 'stop', reduceOnly: true, ...order })
    const lines = [
      intent({}, { protection: {} }),
      protector('s1', undefined, {}),
      protector('s2', 'stop', { takeProfitPrice: '120' }),
      protector('s3', 'take', { type: 'take-profit' }),
      outcome('refused', { id: 's2' }),
      line('withdrawn', { id: 's3' }),
      intent({ id: 'z' }),
    ]
    const [entry, ...others] = openIntents(lines)
    expect(entry?.protectors).toEqual([
      { id: 's1', role: 'stop', isWithdrawn: false, isRefused: false, isAlone: true },
      { id: 's2', role: 'stop', isWithdrawn: false, isRefused: true },
      { id: 's3', role: 'take', isWithdrawn: true, isRefused: false },
    ])
    expect(others.map(({ id, protectors }) => [id, protectors])).toEqual([
      ['s1', []],
      ['s3', []],
      ['z', []],
    ])
    // A refused stop is carried over with its entry, so that its id is not taken again.
    expect(linesOfOpen(lines)).toHaveLength(lines.length)
  })

  it('is carried over without what is over, and with its counts marked as copies', () => {
    const count = line('counted', { key: 'a', symbol: 'BTCUSDT', side: 'buy', amount: '1', value: '100' })
    const over = [intent({ id: 'b' }), outcome('refused', { id: 'b' }), line('counted', { id: 'b', key: 'b' })]
    const carried = linesOfOpen([intent(), count, ...over, changing(), line('owner', { id: 'c', owner: LIVING })])
    expect(carried.map((each) => JSON.parse(each))).toMatchObject([
      { t: 'intent', id: 'a' },
      { t: 'counted', id: 'a', isCarried: true },
      { t: 'changing', id: 'c' },
      { t: 'owner', id: 'c' },
    ])
  })

  it('adds up what filled, at what price, and the fees', () => {
    const lines = [intent(), placed(), fill('t1', '0.4', { fee: '0.1', feeCurrency: 'USDT' })]
    lines.push(fill('t2', '0.6', { price: '110', fee: '0.2', feeCurrency: 'USDT' }), fill('t3', '0', { fee: '5' }))
    expect(orderIn(lines, 'a')).toMatchObject({ filled: '1', average: '106', outcome: { orderId: 'v1' } })
    expect(openIntents(lines)[0]).toMatchObject({ filledBefore: '1', feesBefore: { USDT: '0.3' } })
    expect(orderIn([intent()], 'a')).not.toHaveProperty('average')
    expect(orderIn(lines, 'b')).toBe(undefined)
  })

  it.each([{ amount: 'x' }, { amount: 4 }, { amount: '1e3' }])('counts no fill that a person spoilt: %j', (trade) => {
    expect(orderIn([intent(), line('fill', { trade: { id: 't1', price: '100', ...trade } })], 'a')?.filled).toBe('0')
  })
})

describe('a line', () => {
  it.each<[string, boolean]>([
    [intent(), true],
    [intent({ owner: undefined }), false],
    [intent({ owner: { pid: 'x' } }), false],
    [line('intent', { owner: DEAD }), false],
    [line('intent', { owner: DEAD, order: null }), false],
    [line('outcome', { id: 7 }), false],
    [line('owner', { owner: DEAD }), true],
    [line('owner', { owner: null }), false],
    [line('protection', { protection: {} }), true],
    [line('protection', { protection: 'x' }), false],
    [line('protection', { protection: null }), false],
    [line('changed', { id: undefined }), true],
    [line('reset', { id: undefined }), true],
    [line('another'), false],
    ['null', false],
    ['7', false],
    ['{"t":"outcome"', false],
  ])('%s is one of the journal: %s', (text, isOne) => {
    expect(decodeJournalLine(text) !== undefined).toBe(isOne)
  })

  it('of a cancel says so for its account and its order alone', () => {
    const canceled = (more: Fields = {}) =>
      line('changed', { id: undefined, ref: { symbol: 'BTCUSDT', id: 'v1' }, change: 'canceled', ...more })
    const has = (...lines: readonly string[]) => canceledAt(lines, 'main', 'v1') !== undefined
    expect([has(canceled()), has(fill('t1', '1'), canceled())]).toEqual([true, true])
    const others = [
      canceled({ account: 'other' }),
      canceled({ ref: { symbol: 'BTCUSDT', id: 'v2', clientOrderId: 'v1' } }),
      canceled({ ref: undefined, note: 'v1' }),
      canceled({ change: { price: '99' } }),
      canceled({ t: 'changing' }),
      canceled().slice(0, -1),
      fill('v1', '1', { note: 'changed' }),
    ]
    expect(others.map((each) => has(each))).toEqual(others.map(() => false))
    expect(has()).toBe(false)
  })
})

describe('a change that was asked for', () => {
  it.each<[string, readonly string[], readonly number[]]>([
    ['is in doubt without an answer', [changing()], [DEAD.pid]],
    ['is in doubt once where its line is there twice', [changing(), changing({ owner: LIVING })], [DEAD.pid]],
    ['is looked after by who took it over', [changing(), line('owner', { id: 'c', owner: LIVING })], [LIVING.pid]],
    [
      'is not taken over by a line that names no process',
      [changing(), line('owner', { id: 'c', owner: 7 })],
      [DEAD.pid],
    ],
    ['is not taken over with another', [changing(), line('owner', { id: 'd', owner: LIVING })], [DEAD.pid]],
    ['is made', [changing(), line('changed', { id: 'c' })], []],
    ['was not made', [changing(), line('unchanged', { id: 'c', why: '' })], []],
    ['is in doubt beside another that was made', [changing(), line('changed', { id: 'd' })], [DEAD.pid]],
    ['is none without a process', [changing({ owner: undefined })], []],
    ['is none without an order', [changing({ ref: undefined })], []],
    ['is none of an order without a symbol', [changing({ ref: { id: 'v1' } })], []],
    ['is none without what is changed', [changing({ change: undefined })], []],
    ['is none without an account', [changing({ account: undefined })], []],
    ['is none without a time', [changing({ at: undefined })], []],
    ['is none without an id', [changing({ id: undefined }), 'chang', '[]'], []],
  ])('%s', (_, lines, owners) => {
    expect(openChanges(lines).map(({ owner }) => owner.pid)).toEqual(owners)
  })

  it('says of an order that it was placed and changed here', () => {
    const lines = [
      intent(),
      placed(),
      changing(),
      intent({ id: 'b', account: 'other' }),
      placed({ id: 'b', orderId: 'v2' }),
    ]
    const made = madeIn(lines, 'main')
    const order = { id: 'v1', symbol: 'BTCUSDT', price: '99.0', amount: '1' } as Parameters<typeof made.isChanged>[0]
    expect([made.isPlaced(order), made.isChanged(order)]).toEqual([true, true])
    expect(made.isPlaced({ id: 'v9', symbol: 'BTCUSDT', clientOrderId: 'a' })).toBe(true)
    expect(made.isPlaced({ id: 'v1', symbol: 'ETHUSDT' })).toBe(false)
    expect([made.isPlaced({ id: 'v2', symbol: 'BTCUSDT' }), made.isChanged({ ...order, id: 'v2' })]).toEqual([
      false,
      false,
    ])
    expect(made.isChanged({ ...order, price: '98' })).toBe(false)
    expect([isAs(order, { price: '99', amount: '1' }), isAs(order, { price: '99', amount: '2' })]).toEqual([
      true,
      false,
    ])
    expect([isAs(order, { triggerPrice: '99' }), isAs(order, { price: 99 })]).toEqual([false, false])
  })
})

describe('orders of other processes', () => {
  const NOW = 1_000_000
  function journalOf(...lines: readonly string[]) {
    const file = journalInMemory([...lines])
    const clock = { now: NOW }
    const journal = createOrderJournal(file, {
      now: () => clock.now,
      tail: tailInMemory(file.lines),
      onProblem: (error) => {
        throw error
      },
    })
    const doubts = async () => (await journal.unsettledElsewhere('main')).map(({ id, isLeft }) => `${id} ${isLeft}`)
    return { lines: file.lines, doubts, journal, clock }
  }
  const sent = (owner: Fields, more: Fields = {}) => intent({ at: NOW, owner, ...more })

  it.each<[string, readonly string[], readonly string[]]>([
    ['that lives and has just sent are not in doubt', [sent(LIVING)], []],
    ['that lives and sent long ago are', [sent(LIVING, { at: NOW - IN_FLIGHT_MS - 1 })], ['a false']],
    ['that lives and sent a moment less long ago are not', [sent(LIVING, { at: NOW - IN_FLIGHT_MS })], []],
    ['that died as it sent are', [sent(DEAD)], ['a true']],
    ['with an answer are not', [sent(DEAD), placed()], []],
    ['without a definite answer are', [sent(LIVING), outcome('unknown')], ['a false']],
    ['that were settled are not', [sent(LIVING), outcome('unknown'), outcome('refused')], []],
    ['on another account are not', [sent(DEAD, { account: 'other' })], []],
  ])('%s', async (_, lines, found) => {
    expect(await journalOf(...lines).doubts()).toEqual(found)
  })

  it('are seen as they are written, and forgotten with a file that begins anew', async () => {
    const { lines, doubts, clock } = journalOf()
    expect(await doubts()).toEqual([])
    lines.push(sent(LIVING))
    expect(await doubts()).toEqual([])
    clock.now = NOW + IN_FLIGHT_MS + 1
    expect(await doubts()).toEqual(['a false'])
    lines.push(outcome('unknown'))
    expect(await doubts()).toEqual(['a false'])
    lines.splice(0)
    expect(await doubts()).toEqual([])
    lines.push(sent({ pid: process.pid, born: 'another' }, { id: 'b' }))
    expect(await doubts()).toEqual(['b true'])
  })

  it('are not those of this one', async () => {
    const { journal, doubts, clock } = journalOf()
    await journal.intend({ ...JSON.parse(intent()), at: NOW })
    clock.now = NOW + 60_000
    expect(await doubts()).toEqual([])
    journal.outcome('a', { outcome: 'unknown', message: '' })
    expect(await doubts()).toEqual([])
  })
})

describe('the plan of an order', () => {
  it.each([
    [{ type: 'market' }, true],
    [{ type: 'limit', timeInForce: 'ioc' }, true],
    [{ type: 'limit', timeInForce: 'fok' }, true],
    [{ type: 'limit', timeInForce: 'gtc' }, false],
    [{ type: 'stop' }, false],
  ] as const)('%j ends at once: %s', (plan, atOnce) => {
    expect(endsAtOnce(plan)).toBe(atOnce)
  })

  it('has its id of the task, else of the copier, else of the run', () => {
    const by = { source: 'repl', runId: 'r', step: 1 } as const
    const ids = [by, { ...by, copier: 'c' }, { ...by, taskId: 't' }, { ...by, copier: 'c', taskId: 't' }].map(orderIdOf)
    expect(ids[2]).toBe(ids[3])
    expect(new Set(ids).size).toBe(3)
  })
})
