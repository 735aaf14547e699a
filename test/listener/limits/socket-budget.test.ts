// Who makes room when all places are taken (behaviour 141).
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { SocketBudget } from '../../../src/listener/http/socket-budget.ts'
import { LISTENER_LIMITS } from '../../../src/listener/listener-limits.ts'

const socketOf = () => new PassThrough() as unknown as Socket

/** Four places, all taken, and what is silent has been so for so long. */
function full(silentForMs: number) {
  let nowMs = 0
  const budget = new SocketBudget(4, () => nowMs)
  const [known, idle, silent, busy] = [socketOf(), socketOf(), socketOf(), socketOf()]
  const sockets = { known, idle, silent, busy }
  for (const socket of Object.values(sockets)) budget.admit(socket)
  for (const socket of [known, idle, busy]) budget.markBusy(socket)
  budget.markKnown(known)
  for (const socket of [known, idle]) budget.markIdle(socket)
  nowMs = silentForMs
  return { budget, left: () => Object.entries(sockets).flatMap(([name, { destroyed }]) => (destroyed ? [name] : [])) }
}

it.each([
  [LISTENER_LIMITS.silentMs, ['silent', 'idle', 'known']],
  [LISTENER_LIMITS.silentMs - 1, ['idle', 'silent', 'known']],
])('with one that is silent for %i ms, room is made by %j, and never by one that is owed an answer', (ms, order) => {
  const { budget, left } = full(ms)
  for (const count of [1, 2, 3]) {
    const socket = socketOf()
    budget.admit(socket)
    budget.markBusy(socket)
    expect(left().toSorted()).toEqual(order.slice(0, count).toSorted())
  }
  const last = socketOf()
  budget.admit(last)
  expect(last.destroyed).toBe(true)
  expect(left()).not.toContain('busy')
})

it('a page of our user keeps its place for a second while silent ones come and go; of too many the oldest makes room', () => {
  let nowMs = 0
  const budget = new SocketBudget(4, () => nowMs)
  const pages = Array.from({ length: 3 }, socketOf)
  const upgrade = (page: Socket | undefined) => {
    if (page === undefined) return
    budget.admit(page)
    budget.markBusy(page)
    budget.markUpgraded(page)
  }
  const gone = () => pages.map(({ destroyed }) => destroyed)
  pages.slice(0, 2).forEach(upgrade)
  for (let count = 0; count < 100; count++) budget.admit(socketOf())
  expect(gone()).toEqual([false, false, false])
  upgrade(pages[2])
  budget.admit(socketOf())
  budget.admit(socketOf())
  expect(gone()).toEqual([true, false, false])
  nowMs = LISTENER_LIMITS.silentMs
  for (let count = 0; count < 3; count++) {
    const socket = socketOf()
    budget.admit(socket)
    budget.markBusy(socket)
  }
  expect(gone()).toEqual([true, true, false])
})
