// Any order of any set of edits ends in the same rows (behaviour 23, 24), as long as no two edits of a row carry the
// same time: of those the first to arrive stands, so there the order decides.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openAccountStore } from '../../src/stores/accounts.ts'
import { openCrossTrade } from '../../src/stores/cross-trade.ts'
import '../../harness/tiers/runs.ts'

const NOW = 1_000

interface Edit {
  /** Which row. */
  readonly key: number
  readonly client: 'a' | 'b' | 'c'
  readonly isDelete: boolean
  readonly updatedAt: number
}

const edit = fc.record({
  key: fc.nat({ max: 2 }),
  client: fc.constantFrom('a', 'b', 'c'),
  isDelete: fc.boolean(),
  updatedAt: fc.nat({ max: 2 * NOW }),
})

/** Edits of three clients, no two of one row at the same time, in two orders of arrival. */
const twoOrders = fc
  .uniqueArray(edit, { minLength: 1, maxLength: 8, selector: ({ key, updatedAt }) => `${key} ${updatedAt}` })
  .chain((edits) => fc.tuple(fc.constant(edits), shuffled(edits)))

function shuffled(edits: readonly Edit[]) {
  return fc.shuffledSubarray([...edits], { minLength: edits.length })
}

/** What must stand at the end: of each row its latest edit, and no row whose latest edit is a delete. */
function latest(edits: readonly Edit[]): Edit[] {
  return edits
    .filter((each) => edits.every(({ key, updatedAt }) => key !== each.key || updatedAt <= each.updatedAt))
    .filter(({ isDelete }) => !isDelete)
    .sort((a, b) => a.key - b.key)
}

const idOf = (key: number): string => `${key}a6f1c2e-3b4d-4e5f-8a9b-0c1d2e3f4a5b`

async function crossTradeAfter(edits: readonly Edit[]) {
  const store = openCrossTrade(tempDirectory(), () => NOW)
  for (const { key, client, isDelete, updatedAt } of edits) {
    const id = idOf(key)
    if (isDelete) await store.remove(id, updatedAt)
    else await store.merge({ id, enabled: true, masterAccount: client, masterWeight: 1, copiers: [], updatedAt })
  }
  return { live: store.list(), all: store.all().toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

async function accountsAfter(edits: readonly Edit[]) {
  const store = openAccountStore(tempDirectory(), () => NOW)
  for (const { key, client, isDelete, updatedAt } of edits) {
    const row = { name: `account-${key}`, exchange: `exchange-${client}`, createdAt: updatedAt, updatedAt }
    await store.merge(isDelete ? { ...row, deletedAt: updatedAt } : row)
  }
  return store.list()
}

describe('any order of any set of edits from three clients', () => {
  test('ends in the same cross-trade rows, tombstones included: the latest of each', async () => {
    await fc.assert(
      fc.asyncProperty(twoOrders, async ([edits, otherOrder]) => {
        const [one, other] = [await crossTradeAfter(edits), await crossTradeAfter(otherOrder)]
        expect(other).toEqual(one)
        const expected = latest(edits).map(({ key, client, updatedAt }) => [idOf(key), client, updatedAt])
        expect(one.live.map((row) => [row.id, row.masterAccount, row.updatedAt])).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  test('ends in the same accounts: the latest of each', async () => {
    await fc.assert(
      fc.asyncProperty(twoOrders, async ([edits, otherOrder]) => {
        const [one, other] = [await accountsAfter(edits), await accountsAfter(otherOrder)]
        expect(other).toEqual(one)
        const expected = latest(edits).map(({ key, client, updatedAt }) => [
          `account-${key}`,
          `exchange-${client}`,
          updatedAt,
        ])
        expect(one.map((row) => [row.name, row.exchange, row.updatedAt])).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  test('of edits at the same time the first stands, in either order', async () => {
    const upsert: Edit = { key: 0, client: 'a', isDelete: false, updatedAt: 5 }
    const rival: Edit = { ...upsert, client: 'b' }
    const removal: Edit = { ...upsert, isDelete: true }
    const mastersAfter = async (...edits: Edit[]) =>
      (await crossTradeAfter(edits)).live.map(({ masterAccount }) => masterAccount)
    expect(await mastersAfter(upsert, rival, removal)).toEqual(['a'])
    expect(await mastersAfter(rival, upsert, removal)).toEqual(['b'])
    expect(await mastersAfter(removal, upsert, rival)).toEqual([])
  })
})
