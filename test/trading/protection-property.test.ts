// Random lives of a protection on a venue that refuses, forgets, ends orders by itself, fills in part and lists positions late. Whatever has happened:
// what is held is covered by an order, or the operator has been alarmed and something is still to be tried; and once the venue behaves, it is covered
// or closed.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { defined } from '../../src/base/defined.ts'
import type { Order, OrderStatus, VenueCause } from '../../src/exchange/order.ts'
import type { OrderPlan, ProtectionPlan, ProtectiveRole } from '../../src/trading/order-plan.ts'
import {
  attachedOrders,
  beginProtection,
  type Effect,
  LAG_MS,
  neededOf,
  type ProtectedEntry,
  type ProtectionEvent,
  stepProtection,
} from '../../src/trading/protection-state.ts'

const ENTRY: ProtectedEntry = {
  id: '0123456789abcdef0123456700000000',
  at: 0,
  account: 'paper',
  venue: 'paper',
  by: { source: 'repl', runId: 'r', step: 0 },
  order: { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '10', price: '100' },
}
const ENTRY_AMOUNT = 10
const CODES = [
  'network',
  'rate-limited',
  'would-trigger',
  'invalid-order',
  'reduce-only-rejected',
  'insufficient-funds',
  'permission',
]
const ENDS: readonly (readonly [OrderStatus, VenueCause | undefined])[] = [
  ['canceled', undefined],
  ['expired', undefined],
  ['rejected', 'trigger-failed'],
  ['canceled', 'reduce-only'],
]

interface Terms {
  readonly isSpot: boolean
  readonly canEdit: boolean
  readonly isPair: boolean
  /** The entry carries its orders, and the venue places them when it has filled: at once, late or never. */
  readonly isAttached: boolean
  readonly needsWhole: boolean
}

/** A venue with one account, one market and one entry. `next` draws a number below its argument: 0 is always what a good venue does. */
function stage({ isSpot, canEdit, isPair, isAttached, needsWhole }: Terms, next: (below: number) => number) {
  let now = 1_000_000
  let last = 100
  let held = 0
  let filled = 0
  /** What the list of positions says until then. */
  let stale = { held: 0, until: 0 }
  let sent = 0
  const orders = new Map<string, Order>()
  const byClientId = new Map<string, string>()
  const canceledHere = new Set<string>()
  /** What is to happen at some time. */
  const due: { readonly at: number; readonly run: () => void }[] = []
  const timers: { readonly at: number; readonly role: ProtectiveRole; readonly pause: number }[] = []
  const queue: Effect[] = []
  const told: Effect[] = []
  const plan: ProtectionPlan = {
    triggerPrice: '90',
    fires: 'at-or-below',
    ...(isPair ? { takeProfitPrice: '110' } : {}),
    ...(isAttached && !isSpot ? { isAttached: true } : {}),
  }
  const venue = {
    kind: isSpot ? 'spot' : 'linear',
    capabilities: { oco: false, editOrder: canEdit, attached: needsWhole ? 'when-filled' : 'when-over' },
  } as const
  let state = beginProtection(ENTRY, plan, venue, now)

  function step(event: ProtectionEvent): void {
    const after = stepProtection(state, event)
    state = after.state
    queue.push(...after.effects)
  }

  function put(order: Order): Order {
    orders.set(order.id, order)
    return order
  }

  function hear(order: Order): void {
    const leg = state.legs.find(
      (each) => each.order?.id === order.id || each.leftOver.some(({ id }) => id === order.id),
    )
    if (leg !== undefined)
      step({ type: order.status === 'open' ? 'reported' : 'ended', role: leg.role, at: now, order })
  }

  function fill(order: Order, most: number): Order {
    const amount = Math.min(most, Number(order.amount) - Number(order.filled), held)
    held -= amount
    const total = Number(order.filled) + amount
    return put({ ...order, filled: String(total), remaining: String(Number(order.amount) - total) })
  }

  function isPassed({ type, triggerPrice }: Pick<OrderPlan, 'type' | 'triggerPrice'>): boolean {
    if (type === 'market') return true
    return type === 'stop' ? last <= Number(triggerPrice) : last >= Number(triggerPrice)
  }

  function trigger(order: Order): void {
    const whole = next(3) !== 1
    const done = fill(order, whole ? ENTRY_AMOUNT : 1)
    const status = done.remaining === '0' ? 'closed' : 'expired'
    hear(put({ ...done, status }))
  }

  function movePrice(to: number): void {
    last = to
    for (const order of [...orders.values()]) if (order.status === 'open' && isPassed(order)) trigger(order)
  }

  function accept(role: ProtectiveRole, id: string, plan: OrderPlan): Order {
    sent += 1
    const order = put({
      ...plan,
      id: String(sent),
      clientOrderId: id,
      filled: '0',
      remaining: plan.amount,
      reduceOnly: plan.reduceOnly ?? false,
      postOnly: false,
      status: 'open',
      timestamp: now,
    })
    byClientId.set(id, order.id)
    if (order.type !== 'market') return order
    const done = fill(order, next(3) === 1 ? 1 : ENTRY_AMOUNT)
    void role
    return put({ ...done, status: done.remaining === '0' ? 'closed' : 'canceled' })
  }

  function send({ role, id, order }: Extract<Effect, { type: 'send' }>): void {
    const at = now
    const fate = next(4)
    if (fate === 1) return step({ type: 'refused', role, at, code: CODES[next(CODES.length)] ?? '', why: 'no' })
    if (held === 0)
      return step({
        type: 'refused',
        role,
        at,
        code: isSpot ? 'insufficient-funds' : 'reduce-only-rejected',
        why: 'none',
      })
    if (order.type !== 'market' && isPassed(order))
      return step({ type: 'refused', role, at, code: 'would-trigger', why: 'passed' })
    if (fate === 2) {
      if (next(2) === 1) accept(role, id, order)
      return step({ type: 'unknown', role, at, id, code: 'outcome-unknown', why: 'no answer' })
    }
    step({ type: 'placed', role, at, order: accept(role, id, order) })
  }

  function perform(effect: Effect): void {
    const at = now
    switch (effect.type) {
      case 'find': {
        const { role, afterMs, ...find } = effect
        if (afterMs !== undefined) {
          due.push({ at: now + afterMs, run: () => queue.push({ ...find, role }) })
          return
        }
        if (next(3) === 1) return step({ type: 'not-answered', role, at, code: 'network', why: 'no answer' })
        const order = orders.get(byClientId.get(effect.id) ?? '')
        if (order === undefined) return step({ type: 'not-found', role, at })
        return step({ type: 'found', role, at, order, isTakenBack: canceledHere.has(order.id) })
      }
      case 'price':
        return step({ type: 'priced', role: effect.role, at, ...(next(4) === 1 ? {} : { last: String(last) }) })
      case 'check': {
        const { role, id } = effect
        return step({ type: 'checked', role, id, at, ...(next(4) === 1 ? {} : { last: String(last) }) })
      }
      case 'send':
        return send(effect)
      case 'amend': {
        const { role, amount } = effect
        const order = orders.get(effect.order.id) ?? effect.order
        if (order.status !== 'open') {
          hear(order)
          return step({ type: 'unchanged', role, at, code: 'order-not-found', why: 'it is over' })
        }
        if (next(3) === 1)
          return step({ type: 'unchanged', role, at, code: CODES[next(CODES.length)] ?? '', why: 'no' })
        const remaining = String(Number(amount) - Number(order.filled))
        return step({ type: 'changed', role, at, order: put({ ...order, amount, remaining }) })
      }
      case 'cancel': {
        const { role } = effect
        const order = orders.get(effect.order.id) ?? effect.order
        if (order.status !== 'open') return step({ type: 'canceled', role, at, order, isOurs: false })
        if (next(3) === 1) return step({ type: 'not-canceled', role, at, order, code: 'network', why: 'no answer' })
        return step({ type: 'canceled', role, at, order: put({ ...order, status: 'canceled' }), isOurs: true })
      }
      case 'ask': {
        const order = orders.get(effect.order.id)
        return order === undefined ? undefined : hear(order)
      }
      case 'look': {
        const { role, ended, other } = effect
        if (other !== undefined) hear(orders.get(other.id) ?? other)
        const listed = now < stale.until ? stale.held : held
        const known = {
          ...(next(4) === 1 ? {} : { held: new Decimal(listed) }),
          ...(next(4) === 1 ? {} : { last: String(last) }),
        }
        return step({
          type: 'looked',
          role,
          at,
          isTakenBack: ended !== undefined && canceledHere.has(ended.id),
          ...known,
        })
      }
      case 'wait':
        timers.push({ at: now + effect.ms, role: effect.role, pause: effect.pause })
        return
      default:
        told.push(effect)
    }
  }

  /** Until there is nothing left to do but wait. */
  function settle(): void {
    for (let turns = 0; queue.length > 0; turns += 1) {
      if (turns > 2_000) throw new Error('it never comes to rest')
      const effect = queue.shift()
      if (effect !== undefined) perform(effect)
    }
  }

  function wait(ms: number): void {
    now += ms
    for (const each of [...due].filter(({ at }) => at <= now)) {
      due.splice(due.indexOf(each), 1)
      each.run()
      settle()
    }
    for (const timer of [...timers].filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1)
      step({ type: 'due', role: timer.role, at: now, pause: timer.pause })
      settle()
    }
  }

  /** The entry has filled: the venue places what it carried. */
  function carry(): void {
    const fate = next(4)
    for (const { clientOrderId, ...carried } of attachedOrders(ENTRY.id, plan, {}) ?? []) {
      const role = carried.type === 'stop' ? 'stop' : 'take'
      const amount = String(ENTRY_AMOUNT)
      const order: OrderPlan = { ...carried, symbol: 'BTCUSDT', side: 'sell', amount, reduceOnly: next(5) !== 1 }
      const run = () => void accept(role, clientOrderId, order)
      if (fate === 0) run()
      else if (fate < 3) due.push({ at: now + (fate === 1 ? 300 : 4_000), run })
    }
  }

  function enter(amount: number): void {
    const more = Math.min(amount, ENTRY_AMOUNT - filled)
    if (more > 0 && now >= stale.until) stale = { held, until: now + LAG_MS - 1 }
    const isNew = more > 0
    filled += more
    held += more
    if (isNew && filled === ENTRY_AMOUNT) carry()
    step({ type: 'filled', at: now, filled: new Decimal(filled), isOver: filled === ENTRY_AMOUNT })
    settle()
  }

  /** One thing that happens. */
  function happen(kind: number): void {
    const open = [...orders.values()].filter(({ status }) => status === 'open')
    const order = open[next(Math.max(1, open.length))]
    switch (kind) {
      case 0:
        return enter(1 + next(ENTRY_AMOUNT))
      case 1:
        return movePrice([100, 89, 111, 95][next(4)] ?? 100)
      case 2: {
        const [status, cause] = ENDS[next(ENDS.length)] ?? ['canceled', undefined]
        if (order !== undefined) hear(put({ ...order, status, ...defined({ cause }) }))
        return
      }
      case 3: {
        if (order === undefined) return
        canceledHere.add(order.id)
        return hear(put({ ...order, status: 'canceled' }))
      }
      case 4:
        held = Math.max(0, held - 1 - next(ENTRY_AMOUNT))
        // By force: what is left is listed.
        if (!isSpot && held > 0 && now >= stale.until && next(2) === 1) {
          step({ type: 'reduced', at: now, held: new Decimal(held) })
        }
        return
      case 5:
        if (order !== undefined && isPassed(order)) hear(fill(order, 1))
        return
      case 6:
        if (held === 0 && now >= stale.until) step({ type: 'flat', at: now })
        return
      default:
        return wait([300, 1_000, 5_000, 31_000, 301_000][next(5)] ?? 1_000)
    }
  }

  return {
    told,
    happen: (kind: number) => {
      happen(kind)
      settle()
    },
    finish() {
      enter(ENTRY_AMOUNT)
      movePrice(100)
      settle()
      for (let pauses = 0; pauses < 60; pauses += 1) wait(pauses < 40 ? 10_000 : 301_000)
    },
    state: () => state,
    held: () => held,
    timers: () => timers,
    open: () => [...orders.values()].filter(({ status }) => status === 'open'),
  }
}

type Stage = ReturnType<typeof stage>

/** Nothing is under way: what is missing is being tried again, and the operator knows, or will in a second. */
function requireLoud({ state, timers, told }: Stage): void {
  for (const leg of state().legs) {
    const needed = neededOf(state(), leg)
    if (needed.lte(0)) continue
    const { order } = leg
    const isWhole = order !== undefined && (needed.eq(order.amount) || order.type === 'market')
    if (isWhole) continue
    // A stop that has filled whole is about to be heard of.
    if (order !== undefined && new Decimal(order.filled).gte(order.amount)) continue
    const isTried = timers().some(({ role, pause }) => role === leg.role && pause === leg.pause)
    expect([leg.phase, isTried]).toEqual([leg.phase, true])
    // For what the entry carried it is waited a second and a half.
    const isAwaited = leg.toFind[0]?.looks !== undefined
    const isSoon = isAwaited || leg.phase === 'looking' || (leg.phase === 'waiting' && leg.refusals === 0)
    if (!isSoon) expect([leg.phase, leg.alarmedAt !== undefined]).toEqual([leg.phase, true])
  }
  // Nothing is let go because a person wished it without a word about it.
  const isWaived = state().legs.some((leg) => leg.isWaived)
  const outcomes = told.flatMap((effect) => (effect.type === 'ended' ? [effect.outcome] : []))
  const isSaid =
    outcomes.includes('taken-back') || told.some((effect) => effect.type === 'alarm' && effect.alarm === 'waived')
  expect(isWaived && !isSaid).toBe(false)
}

const terms = fc.record({
  isSpot: fc.boolean(),
  canEdit: fc.boolean(),
  isPair: fc.boolean(),
  isAttached: fc.boolean(),
  needsWhole: fc.boolean(),
})
const life = fc.array(fc.tuple(fc.nat(8), fc.array(fc.nat(20), { maxLength: 12 })), { maxLength: 40 })

describe('a protection, whatever happens to it', () => {
  it('has an order for what is held, or has alarmed and tries on; and it covers or closes once the venue behaves', () => {
    fc.assert(
      fc.property(terms, life, (kind, events) => {
        let draws: number[] = []
        const staged = stage(kind, (below) => (draws.shift() ?? 0) % below)
        for (const [what, numbers] of events) {
          draws = [...numbers]
          staged.happen(what)
          requireLoud(staged)
        }
        draws = []
        staged.finish()
        requireLoud(staged)
        for (const leg of staged.state().legs) {
          const needed = neededOf(staged.state(), leg)
          const covers = leg.order === undefined ? 0 : Number(leg.order.amount)
          expect([leg.phase, covers]).toEqual([leg.phase, Math.max(0, needed.toNumber())])
          // Nothing that is held is forgotten but by a person.
          if (!leg.isWaived) expect([leg.phase, covers >= staged.held()]).toEqual([leg.phase, true])
        }
        // No order is left that nobody looks after.
        const known = staged.state().legs.flatMap(({ order }) => (order === undefined ? [] : [order.id]))
        expect(
          staged
            .open()
            .map(({ id }) => id)
            .sort(),
        ).toEqual(known.sort())
      }),
      { numRuns: runsOf(400) },
    )
  })
})
