// An account whose keys were locked away sends nothing more, though it is still open in this process (behaviour 43).
import { expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { journalInMemory, tailInMemory } from '../../harness/venues/journal-in-memory.ts'
import { delay } from '../../src/app/delay.ts'
import { openAccount } from '../../src/app/open-account.ts'
import { CredentialsError } from '../../src/credentials/keys.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'

it('asks for its keys right before each thing that it sends', async () => {
  const directory = tempDirectory()
  let isLocked = false
  const row = { name: 'main', exchange: 'paper', createdAt: 1, updatedAt: 1, credentials: { from: 'vault' } } as const
  const failLoudly = (error: unknown) => {
    throw error
  }
  const lines = journalInMemory()
  const journal = createOrderJournal(lines, { now: Date.now, onProblem: failLoudly })
  const account = await openAccount(row, {
    directory,
    resolveKeys: async () => ({}),
    clock: { now: Date.now, delay },
    journal,
    requireKeys: () => {
      if (isLocked) throw new CredentialsError('vault-locked', 'the vault is locked')
    },
    report: () => {},
    onProblem: failLoudly,
    onTripped: () => {},
    guards: openGuardStore(directory),
    book: openDayBook({ journal, tail: tailInMemory(lines.lines), now: Date.now }),
  })
  onTestFinished(() => account.close())
  const venue = account.venue as Exchange
  const rest = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.01', price: '10000' } as const
  const placed = await venue.createOrder({ ...rest, clientOrderId: '1'.padStart(32, '0') })
  if (placed.kind !== 'placed') throw new Error('the order did not rest')
  const ref = { id: placed.order.id, symbol: 'BTCUSDT' }
  isLocked = true
  for (const send of [
    () => venue.createOrder({ ...rest, clientOrderId: '2'.padStart(32, '0') }),
    () => venue.cancelOrder(ref),
    () => venue.cancelAllOrders('BTCUSDT'),
    () => venue.setLeverage('BTCUSDT', '2' as never),
  ]) {
    await expect(Promise.resolve().then((): Promise<unknown> => send())).rejects.toMatchObject({ code: 'vault-locked' })
  }
  expect(await venue.fetchOpenOrders()).toHaveLength(1)
  isLocked = false
  await venue.cancelOrder(ref)
  expect(await venue.fetchOpenOrders()).toEqual([])
})
