// Files outlive the versions that wrote them: what an earlier hookline has written is understood, and what this one writes is passed over by
// one that knows less.
import { describe, expect, it } from 'vitest'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import { linesOfOpen, openChanges, openIntents } from '../../src/trading/order-journal-lines.ts'
import { protectiveOrderId } from '../../src/trading/order-plan.ts'

const ENTRY = 'f4b1527f3fb54e6ab92dee1e00000000'
const STOP = 'f4b1527f3fb54e6ab92dee1e80000000'
const BY =
  '"by":{"source":"hook","runId":"f4b1527f-3fb5-4e6a-b92d-ee1ed0c1b3a4","step":0,"origin":"dip","hookId":"ac4d"}'
const OWNER = '"owner":{"pid":4194303,"born":"1"}'

/** As the version before stop-limit and take-profit orders wrote them. */
const EARLIER = [
  `{"t":"intent","id":"${ENTRY}","at":1795326743949,"account":"paper","venue":"paper",${BY},"order":{"symbol":"BTCUSDT","side":"buy","type":"limit","price":"56000","amount":"0.01","protection":{"triggerPrice":"55261","fires":"at-or-below"}},${OWNER}}`,
  `{"t":"outcome","id":"${ENTRY}","at":1795326743950,"outcome":"placed","orderId":"p1"}`,
  `{"t":"fill","id":"${ENTRY}","at":1795326743957,"account":"paper","trade":{"id":"t1","orderId":"p1","clientOrderId":"${ENTRY}","symbol":"BTCUSDT","side":"buy","amount":"0.004","price":"56000","fee":"0.0448","feeCurrency":"USDT","takerOrMaker":"maker","realizedPnl":"0","timestamp":1795326743957}}`,
  `{"t":"intent","id":"${STOP}","at":1795326743958,"account":"paper","venue":"paper",${BY},"order":{"symbol":"BTCUSDT","side":"sell","type":"stop","amount":"0.004","triggerPrice":"55261","reduceOnly":true},"protects":"${ENTRY}",${OWNER}}`,
  `{"t":"outcome","id":"${STOP}","at":1795326743959,"outcome":"placed","orderId":"p2"}`,
  `{"t":"changed","at":1795326743960,"account":"paper","ref":{"symbol":"BTCUSDT","id":"p2","clientOrderId":"${STOP}","isTrigger":true},"change":{"amount":"0.004"},${BY}}`,
  `{"t":"changed","at":1795326743961,"account":"paper","ref":{"symbol":"ETHUSDT","id":"p9","isTrigger":false},"change":"canceled"}`,
]
const KINDS_THEN = ['intent', 'outcome', 'fill', 'end', 'released', 'owner', 'changed']

const kindOf = (line: string) => (JSON.parse(line) as { t: string }).t
const fail = (error: unknown) => {
  throw error
}

describe('a journal of an earlier version', () => {
  it('leaves the same orders open, with their stops', () => {
    expect(openIntents(EARLIER)).toMatchObject([
      {
        id: ENTRY,
        filledBefore: '0.004',
        feesBefore: { USDT: '0.0448' },
        isEnded: false,
        order: { protection: { triggerPrice: '55261', fires: 'at-or-below' } },
        protectors: [{ id: STOP, role: 'stop', isWithdrawn: false }],
      },
      { id: STOP, protects: ENTRY, outcome: { outcome: 'placed', orderId: 'p2' } },
    ])
  })

  it('has no change in doubt: what it wrote of changes was written when they were made', () => {
    expect(openChanges(EARLIER)).toEqual([])
  })

  it('is taken over whole', async () => {
    const file = {
      ...journalInMemory([...EARLIER]),
      path: `${process.env.TMPDIR ?? '/tmp'}/hookline-earlier-${process.pid}`,
    }
    const { orders, changes } = await createOrderJournal(file, { onProblem: fail }).takeOver('paper')
    expect(orders.map(({ id }) => id)).toEqual([ENTRY, STOP])
    expect(changes).toEqual([])
  })

  it.each([
    [0, STOP],
    [1, 'f4b1527f3fb54e6ab92dee1e81000000'],
    [63, 'f4b1527f3fb54e6ab92dee1ebf000000'],
  ])('names the stop that was sent as number %i as it did', (attempt, id) => {
    expect(protectiveOrderId(ENTRY, 'stop', attempt)).toBe(id)
  })
})

describe('what this version writes', () => {
  async function written(): Promise<readonly string[]> {
    const file = journalInMemory([...EARLIER])
    const journal = createOrderJournal(file, { onProblem: fail })
    const by = { source: 'repl', runId: 'r', step: 3 } as const
    const ref = { symbol: 'BTCUSDT', id: 'p1', clientOrderId: ENTRY, isTrigger: false }
    const change = { id: 'c'.repeat(32), at: 1, account: 'paper', ref, change: { price: '56100' }, by }
    await journal.intendChange(change)
    journal.changeMade(change)
    await journal.intendChange({ ...change, id: 'd'.repeat(32) })
    journal.unchanged('d'.repeat(32), 'refused')
    await journal.intendChange({ ...change, id: 'e'.repeat(32) })
    journal.withdrawn(STOP)
    journal.reset('other')
    return file.lines
  }

  it('leaves the same orders open for a version that passes over the lines it does not know', async () => {
    const lines = await written()
    const known = lines.filter((line) => KINDS_THEN.includes(kindOf(line)))
    expect(known.length).toBeLessThan(lines.length)
    const withoutMarks = (all: readonly string[]) =>
      openIntents(all).map(({ protectors, ...intent }) => ({ ...intent, protectors: protectors.map(({ id }) => id) }))
    expect(withoutMarks(known)).toEqual(withoutMarks(lines))
  })

  it('carries a change in doubt into the next file, and none that is settled', async () => {
    const lines = await written()
    expect(openChanges(lines).map(({ id }) => id)).toEqual(['e'.repeat(32)])
    const carried = linesOfOpen(lines)
    expect(openChanges(carried).map(({ id }) => id)).toEqual(['e'.repeat(32)])
    expect(openIntents(carried)).toEqual(openIntents(lines))
  })

  it('makes an account one with something left, as an open order does', async () => {
    const [first = ''] = (await written()).filter((line) => kindOf(line) === 'changing').slice(-1)
    const dead = first.replace(/"owner":\{[^}]*\}/, OWNER)
    const journal = createOrderJournal(journalInMemory([dead]), { onProblem: fail })
    expect(await journal.accountsLeft()).toEqual(['paper'])
  })

  it.each([
    '{"t":"changing","id":"c"}',
    '{"t":"changing","id":"c","ref":1,"owner":{"pid":1}}',
    '{"t":"changing',
    'null',
  ])('is passed over where it is torn: %s', (line) => {
    expect(openChanges([line])).toEqual([])
  })
})
