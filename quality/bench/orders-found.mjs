// Whether every order that was accepted is where it must be, as the files tell when all is done.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPartOf } from './order-load.mjs'

/**
 * @typedef {object} Found
 * @property {number} intents
 * @property {string} side
 * @property {string} [orderId] of the venue, where it was placed
 */

/**
 * @typedef {object} Account
 * @property {number} nextOrderId
 * @property {readonly { readonly amount: string }[]} positions
 * @property {readonly { readonly order: { readonly id: string, readonly clientOrderId?: string } }[]} endedOrders
 */

/**
 * Each run has one intent and one placed order in the journal; the account has counted exactly these orders, holds what they add up to, and
 * of those that its files still have each is the one that the journal names.
 * @param {string} directory of hookline @param {readonly string[]} runIds of one order of a thousandth of a bitcoin each
 * @param {Account} account as the files of the account have it
 */
export function verifyOrders(directory, runIds, account) {
  const journal = readJournal(directory)
  const byRun = new Map([...journal].map(([id, found]) => [id.slice(0, 24), found]))
  const ordered = runIds.map((runId) => byRun.get(runPartOf(runId)))
  requireEqual('runs', new Set(runIds).size, runIds.length)
  requireEqual('orders in the journal', journal.size, runIds.length)
  requireEqual('runs with one intent', ordered.filter((found) => found?.intents === 1).length, runIds.length)
  const placed = ordered.flatMap((found) => found?.orderId ?? [])
  requireEqual('orders that were placed', new Set(placed).size, runIds.length)

  requireEqual('orders that the account has counted', account.nextOrderId - 1, runIds.length)
  const bought = ordered.reduce((sum, found) => sum + (found?.side === 'buy' ? 1 : -1), 0)
  requireEqual('thousandths that it holds', Math.round(Number(account.positions[0]?.amount ?? 0) * 1_000), bought)
  const kept = [...account.endedOrders, ...readHistory(directory)].map(({ order }) => order)
  const known = kept.filter(({ id, clientOrderId }) => journal.get(clientOrderId ?? '')?.orderId === id)
  requireEqual('orders of the account that the journal names', known.length, kept.length)
  requireEqual('the last order that it has', account.endedOrders.at(-1)?.order.id, `p${runIds.length}`)
}

/** By the id that the order carries. @param {string} directory @returns {Map<string, Found>} */
function readJournal(directory) {
  /** @type {Map<string, Found>} */
  const orders = new Map()
  /** A line may have been carried over into the next file. */
  const seen = new Set()
  for (const name of readdirSync(directory)
    .filter((file) => /^orders.*\.jsonl$/.test(file))
    .sort()
    .reverse()) {
    for (const text of readFileSync(join(directory, name), 'utf8').split('\n')) {
      if (text === '' || seen.has(text)) continue
      seen.add(text)
      const line = JSON.parse(text)
      const found = orders.get(line.id) ?? { intents: 0, side: '' }
      if (line.t === 'intent') orders.set(line.id, { ...found, intents: found.intents + 1, side: line.order.side })
      if (line.t === 'outcome' && line.outcome === 'placed') orders.set(line.id, { ...found, orderId: line.orderId })
    }
  }
  return orders
}

/** Ended orders that are too old for the account's file. @param {string} directory @returns {{ order: { id: string, clientOrderId: string } }[]} */
function readHistory(directory) {
  const files = ['.1', ''].map((ending) => join(directory, `paper-paper.history.jsonl${ending}`))
  const lines = files.filter((path) => existsSync(path)).flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).row)
    .filter((row) => 'order' in row)
}

/** @param {string} what @param {unknown} got @param {unknown} wanted */
function requireEqual(what, got, wanted) {
  if (got !== wanted) throw new Error(`${what}: ${got} instead of ${wanted}; the figures would mean nothing`)
}
