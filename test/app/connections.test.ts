// Which exchange object an account gets: one per row, as the row is now.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import { createScriptedMarket } from '../../harness/venues/scripted-market.ts'
import { createConnections, type OpenAccount } from '../../src/app/connections.ts'
import { type AccountRow, openAccountStore } from '../../src/stores/accounts.ts'
import { OrderDesk } from '../../src/trading/order-desk.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'

interface Opening {
  readonly row: AccountRow
  readonly account: OpenAccount
  closed: boolean
  settle(error?: Error): void
}

function accountOn(name: string): OpenAccount {
  const { exchange, now } = createScriptedMarket()
  const fail = (error: unknown) => {
    throw error
  }
  const journal = createOrderJournal(journalInMemory(), { onProblem: fail })
  const clock = { now, delay: async () => {} }
  const orders = new OrderDesk({ account: name, exchange, journal, clock, report: () => {}, onProblem: fail })
  return { name, venue: exchange, orders, close: async () => orders.close() }
}

/** Openings are settled by the test, or at once. */
function connections({ atOnce = true } = {}) {
  const directory = tempDirectory()
  const save = (...accounts: readonly object[]) => {
    const rows = accounts.map((row) => ({ exchange: 'okx', createdAt: 1, updatedAt: 1, ...row }))
    writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts: rows }))
  }
  save({ name: 'main', apiKey: 'k', secret: 's' }, { name: 'other' })
  const openings: Opening[] = []
  const problems: unknown[] = []
  const { connect, disconnect, closeAll } = createConnections({
    accounts: openAccountStore(directory),
    onProblem: (account, problem) => problems.push([account, problem]),
    open: (row) =>
      new Promise((resolve, reject) => {
        const opening: Opening = {
          row,
          closed: false,
          account: {
            ...accountOn(row.name),
            async close() {
              opening.closed = true
            },
          },
          settle: (error) => (error ? reject(error) : resolve(opening.account)),
        }
        openings.push(opening)
        if (atOnce) opening.settle()
      }),
  })
  return { save, openings, problems, connect, disconnect, closeAll }
}

it('connects once per account, also for those who ask at the same time', async () => {
  const { connect, openings } = connections()
  const [first, second] = await Promise.all([connect('main'), connect('main')])
  expect(second).toBe(first)
  expect(await connect('main')).toBe(first)
  await connect('other')
  expect(openings.map(({ row }) => row.name)).toEqual(['main', 'other'])
})

it.each([
  ['the time of the edit', { updatedAt: 2 }],
  ['a key changed by hand', { apiKey: 'K' }],
  ['a secret changed by hand', { secret: 'S' }],
  ['a password added by hand', { password: 'p' }],
  ['keys taken away by hand', { apiKey: '' }],
  ['another exchange', { exchange: 'bybit' }],
])('connects anew after %s, and closes the old connection', async (_what, edit) => {
  const { connect, openings, save } = connections()
  const first = await connect('main')
  save({ name: 'main', apiKey: 'k', secret: 's', ...edit })
  const second = await connect('main')
  expect(second).not.toBe(first)
  expect(openings.map(({ closed }) => closed)).toEqual([true, false])
  expect(openings[1]?.row).toMatchObject(edit)
  expect(await connect('main')).toBe(second)
})

it('keeps a connection when other rows or unknown fields change', async () => {
  const { connect, openings, save } = connections()
  const first = await connect('main')
  save({ name: 'main', apiKey: 'k', secret: 's', colour: 'red' }, { name: 'other', apiKey: 'o' }, { name: 'third' })
  expect(await connect('main')).toBe(first)
  expect(openings).toHaveLength(1)
})

it('closes the connection of an account that is gone', async () => {
  const { connect, openings, save } = connections()
  await connect('main')
  save({ name: 'other' })
  await expect(connect('main')).rejects.toMatchObject({ code: 'unknown-account' })
  expect(openings[0]?.closed).toBe(true)
})

it('does not remember a connection that failed', async () => {
  const { connect, openings } = connections({ atOnce: false })
  const first = connect('main')
  openings[0]?.settle(new Error('no network'))
  await expect(first).rejects.toThrow('no network')
  const second = connect('main')
  openings[1]?.settle()
  expect(await second).toBe(openings[1]?.account)
})

it('keeps the newer connection when an older one fails late', async () => {
  const { connect, openings, save } = connections({ atOnce: false })
  const old = connect('main')
  save({ name: 'main', apiKey: 'K', secret: 's' })
  const newer = connect('main')
  openings[1]?.settle()
  const account = await newer
  openings[0]?.settle(new Error('too late'))
  await expect(old).rejects.toThrow('too late')
  expect(await connect('main')).toBe(account)
  expect(openings).toHaveLength(2)
})

it('closes an old connection that opens late', async () => {
  const { connect, closeAll, openings, save } = connections({ atOnce: false })
  const old = connect('main')
  save({ name: 'main', apiKey: 'K', secret: 's' })
  const newer = connect('main')
  openings[1]?.settle()
  await newer
  openings[0]?.settle()
  await old
  await closeAll()
  expect(openings.map(({ closed }) => closed)).toEqual([true, true])
})

it('tells of an old connection that cannot be closed, and connects anew all the same', async () => {
  const { connect, closeAll, openings, problems, save } = connections()
  const first = await connect('main')
  const failure = new Error('still busy')
  Object.assign(first, { close: () => Promise.reject(failure) })
  save({ name: 'main', updatedAt: 2 })
  await connect('main')
  await closeAll()
  expect(problems).toEqual([['main', failure]])
  expect(openings[1]?.closed).toBe(true)
})

it('ends a connection on demand, and all of them', async () => {
  const { connect, disconnect, closeAll, openings } = connections()
  await connect('main')
  await connect('other')
  await disconnect('main')
  expect(openings.map(({ closed }) => closed)).toEqual([true, false])
  await closeAll()
  expect(openings.map(({ closed }) => closed)).toEqual([true, true])
  await connect('main')
  expect(openings).toHaveLength(3)
})
