// What a run of the bench keeps: a group that fails takes no other's rows with it, and groups that were not measured stay as they were.
import { expect, test } from 'vitest'
import type { Row } from '../../quality/bench/shapes.ts'
import { measureGroups, mergeResults } from './bench-parts.mjs'

const row = (claim: string, got = 1): Row => ({
  claim,
  wanted: '≤ 1',
  verdict: got <= 1 ? 'holds' : 'short',
  details: '',
  got: { median: got, min: got, max: got },
})
const MACHINE = { processor: 'one' }
const quietly = { begin() {}, end() {} }

test('a group that fails is a row that says so, and the others have theirs, short ones too', async () => {
  const { rows, growth, failed, scale } = await measureGroups(
    {
      fires: { scale: { rounds: 1 }, claims: async () => [row('a fire')] },
      orders: {
        scale: { rounds: 2 },
        claims: async () => {
          throw new Error('6 of 10 orders came\n    at comes')
        },
      },
      venues: { scale: { rounds: 3 }, claims: async () => [row('a start', 2)] },
      'growth-hooks': { scale: {}, growth: async () => [{ title: 'a fire', grows: 'hooks', unit: 'µs', lines: [] }] },
    },
    quietly,
  )
  expect(rows).toMatchObject([
    { group: 'fires', claim: 'a fire', verdict: 'holds' },
    { group: 'orders', claim: 'the group orders', verdict: 'short', reason: 'failed: 6 of 10 orders came' },
    { group: 'venues', claim: 'a start', verdict: 'short' },
  ])
  expect(growth).toMatchObject([{ group: 'growth-hooks', title: 'a fire' }])
  expect(failed).toEqual(['orders'])
  expect(Object.keys(scale)).toEqual(['fires', 'orders', 'venues', 'growth-hooks'])
})

test('a group begins after all that a failed one has left running has ended', async () => {
  const told: string[] = []
  const fails = async () => {
    throw new Error('a server did not answer')
  }
  await measureGroups(
    { fires: { scale: {}, claims: fails }, orders: { scale: {}, claims: async () => [row('an order')] } },
    {
      begin: (name) => void told.push(`${name} begins`),
      async end(name, error) {
        if (error !== undefined) await new Promise(setImmediate)
        told.push(`${name} has ended`)
      },
    },
  )
  expect(told).toEqual(['fires begins', 'fires has ended', 'orders begins', 'orders has ended'])
})

test('groups that are measured again stand where they stood, and the others stay', () => {
  const before = {
    machine: { processor: 'old' },
    quick: false,
    scale: { fires: {}, orders: {}, venues: {} },
    growth: [],
    elapsedMs: 1,
    rows: [
      { ...row('a fire'), group: 'fires' },
      { ...row('the group orders'), group: 'orders' },
      { ...row('a start'), group: 'venues' },
    ],
  }
  const now = {
    machine: MACHINE,
    quick: false,
    scale: { orders: {} },
    rows: [{ ...row('an order'), group: 'orders' }],
    growth: [],
    elapsedMs: 2,
  }
  const merged = mergeResults(before, now)
  expect(merged.rows.map(({ claim }) => claim)).toEqual(['a fire', 'an order', 'a start'])
  expect(merged).toMatchObject({ machine: MACHINE, scale: { fires: {}, orders: {}, venues: {} } })
})

test('a file of before that does not say the groups of its rows keeps those with other claims', () => {
  const before = {
    machine: MACHINE,
    quick: false,
    scale: {},
    rows: [row('a fire'), row('an order', 2)],
    growth: [],
    elapsedMs: 1,
  }
  const now = { ...before, scale: { orders: {} }, rows: [{ ...row('an order'), group: 'orders' }] }
  expect(mergeResults(before, now).rows).toMatchObject([{ claim: 'a fire' }, { claim: 'an order', verdict: 'holds' }])
})

test('quick and full runs are not mixed', () => {
  const before = { machine: MACHINE, quick: false, scale: {}, rows: [], growth: [], elapsedMs: 1 }
  expect(() => mergeResults(before, { ...before, quick: true })).toThrow('quick and full')
})
