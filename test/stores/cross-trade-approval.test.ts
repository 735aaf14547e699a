// Behaviour 24: what copies is the lower of a row and of what the terminal has said yes to.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CrossTradeConfig, type CrossTradeCopier, openCrossTrade } from '../../src/stores/cross-trade.ts'

const ID = '0a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b'
let updatedAt = 1

const copier = (fields: Partial<CrossTradeCopier> = {}): CrossTradeCopier => ({
  account: 'swing',
  weight: 1,
  mode: 'Market',
  ...fields,
})
const row = (fields: Partial<CrossTradeConfig> = {}): CrossTradeConfig => {
  updatedAt += 1
  return { id: ID, enabled: true, masterAccount: 'main', masterWeight: 1, copiers: [copier()], updatedAt, ...fields }
}
const limit = (slippage?: string) => copier({ mode: 'LimitSlippage', ...(slippage ? { slippage } : {}) })

/** What copies after the terminal approved one row and a page wrote the next ones. */
async function copied(approved: CrossTradeConfig | undefined, ...pages: readonly CrossTradeConfig[]) {
  const store = openCrossTrade(tempDirectory())
  if (approved !== undefined) await store.merge(approved, { approved: true })
  for (const page of pages) {
    expect(await store.merge(page)).toMatchObject({ applied: true })
    expect(store.list()).toMatchObject([page])
  }
  return { rows: store.approved(), waits: store.waiting().get(ID), store }
}

const WHOLE = ['the whole row']

describe('what a page widens', () => {
  const off = { rows: [{ enabled: false }] }
  it.each<[string, Partial<CrossTradeConfig> | undefined, Partial<CrossTradeConfig>, object]>([
    ['a row that it adds on', undefined, {}, { ...off, waits: WHOLE }],
    ['a row that it turns on', { enabled: false }, {}, { ...off, waits: WHOLE }],
    ['another master', {}, { masterAccount: 'other' }, { ...off, waits: WHOLE }],
    ['another symbol', { masterSymbol: 'BTCUSDT' }, { masterSymbol: 'ETHUSDT' }, { ...off, waits: WHOLE }],
    [
      'all symbols',
      { masterSymbol: 'BTCUSDT' },
      {},
      { rows: [{ enabled: true, masterSymbol: 'BTCUSDT' }], waits: ['all symbols'] },
    ],
    [
      'a weight',
      {},
      { copiers: [copier({ weight: 3 })] },
      { rows: [{ enabled: true, copiers: [copier()] }], waits: ['swing × 3 Market'] },
    ],
    [
      "a weight by the master's",
      { masterWeight: 2 },
      { masterWeight: 1 },
      { rows: [{ copiers: [copier({ weight: 0.5 })] }], waits: ['swing × 1 Market'] },
    ],
    ['the other way', {}, { copiers: [copier({ weight: -0.1 })] }, { ...off, waits: WHOLE }],
    [
      'one more copier',
      {},
      { copiers: [copier(), copier({ account: 'scalp' })] },
      { rows: [{ enabled: true, copiers: [copier()] }], waits: ['scalp × 1 Market'] },
    ],
    [
      'a symbol of a copier',
      { masterSymbol: 'BTCUSDT' },
      { masterSymbol: 'BTCUSDT', copiers: [copier({ symbol: 'ETHUSDT' })] },
      { ...off, waits: WHOLE },
    ],
    [
      'market orders in place of limits',
      { copiers: [limit('0.2')] },
      {},
      { rows: [{ copiers: [limit('0.2')] }], waits: ['swing × 1 Market'] },
    ],
    [
      'limits that slip further',
      { copiers: [limit()] },
      { copiers: [limit('2')] },
      { rows: [{ copiers: [limit()] }], waits: ['swing × 1 LimitSlippage 2 %'] },
    ],
    [
      'a chase in place of a market order',
      {},
      { copiers: [copier({ mode: 'Chase' })] },
      { rows: [{ copiers: [copier()] }], waits: ['swing × 1 Chase'] },
    ],
  ])('%s waits for a yes, and what was approved goes on', async (_, approved, page, expected) => {
    const first = approved && row(approved)
    expect(await copied(first, row(page))).toMatchObject(expected)
  })

  it.each<[string, Partial<CrossTradeConfig>, Partial<CrossTradeConfig>]>([
    ['a lower weight', {}, { copiers: [copier({ weight: 0.5 })] }],
    ['a heavier master', {}, { masterWeight: 2 }],
    ['one symbol of all', {}, { masterSymbol: 'BTCUSDT' }],
    ['limits in place of market orders', {}, { copiers: [limit()] }],
    ['limits that slip less', { copiers: [limit()] }, { copiers: [limit('0.1')] }],
    ['one copier less', { copiers: [copier(), copier({ account: 'scalp' })] }, {}],
    ['off', {}, { enabled: false }],
    [
      "the master's own symbol, by name",
      { masterSymbol: 'X' },
      { masterSymbol: 'X', copiers: [copier({ symbol: 'X' })] },
    ],
  ])('%s is at once as the page says', async (_, approved, page) => {
    const first = row(approved)
    const lower = row(page)
    const { rows, waits } = await copied(first, lower)
    expect({ rows, waits }).toEqual({ rows: [lower], waits: undefined })
  })

  it.each<[string, Partial<CrossTradeConfig>]>([
    ['turned off', { enabled: false }],
    ['made lighter', { copiers: [copier({ weight: 0.5 })] }],
    ['given another master', { masterAccount: 'other' }],
  ])('what a page has %s, a page does not take back', async (_, page) => {
    const { rows, waits, store } = await copied(row(), row(page), row())
    expect(waits).not.toBeUndefined()
    expect(rows).not.toEqual(store.list())
  })

  it('nothing is approved of a row that was deleted and comes again', async () => {
    const store = openCrossTrade(tempDirectory())
    await store.merge(row(), { approved: true })
    await store.remove(ID)
    await store.merge({ ...row(), updatedAt: Date.now() + 10_000 })
    expect(store.approved()).toMatchObject([{ enabled: false }])
  })

  it('a yes at the terminal is to the whole row, and leaves nothing that waits', async () => {
    const { store } = await copied(row(), row({ copiers: [copier({ weight: 5 }), copier({ account: 'scalp' })] }))
    const [{ updatedAt: _, ...edit }] = store.list() as [CrossTradeConfig]
    await store.merge({ ...edit, updatedAt: updatedAt + 1 }, { approved: true })
    expect(store.approved()).toEqual(store.list())
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).not.toHaveProperty('approvals')
  })

  it('approvals that cannot be read approve nothing, and what a row says of itself is none', async () => {
    const { store } = await copied(row(), { ...row({ copiers: [copier({ weight: 9 })] }), approvals: [row()] } as never)
    const content = JSON.parse(readFileSync(store.path, 'utf8'))
    expect(content.approvals).toMatchObject([{ id: ID, copiers: [copier()] }])
    content.approvals[0].copiers = 'all'
    const directory = tempDirectory()
    writeFileSync(join(directory, 'cross-trade.json'), JSON.stringify(content))
    expect(openCrossTrade(directory).approved()).toMatchObject([{ enabled: false }])
  })
})
