import { describe, expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import type { ConnectionState } from '../../src/client/connection-state.ts'
import type { HookRow, ServerFrame } from '../../src/protocol/frames.ts'
import { whyNoTrade } from '../../src/web/pages/trade/use-market.ts'
import { withAccount } from '../../src/web/shell/routes.ts'
import {
  type ConsoleEvent,
  type ConsoleState,
  chosenAtStart,
  focusOf,
  holdingsKey,
  hookName,
  INITIAL,
  isFresh,
  keptOutcome,
  outcomeOfRun,
  reduce,
  restOfOutcome,
  runsOfHook,
  scopeOf,
  shownOutcome,
  stopsKey,
  toneOfOutcome,
  warningApart,
  whyNoCommands,
} from '../../src/web/state/console-state.ts'

const HOOK = { id: 'a'.repeat(32), name: 'dip', command: 'price', createdAt: 0 }
const WELCOMED: ConnectionState = { name: 'welcomed', listenerId: 'l', email: '', since: 0, failures: 0 }

const PORTFOLIO = {
  t: 'state:portfolio' as const,
  account: 'paper',
  symbol: 'BTCUSDT',
  last: '1',
  positions: [],
  orders: [],
  balance: { currency: 'USDT', wallet: '1', total: '1', used: '0', free: '1' },
}

const stateAfter = (...events: readonly ConsoleEvent[]): ConsoleState => events.reduce(reduce, INITIAL)
const frame = (each: ServerFrame, at = 0): ConsoleEvent => ({ type: 'frame', frame: each, at })
const connection = (each: ConnectionState): ConsoleEvent => ({ type: 'connection', connection: each })
const output = (id: string, text: string): ConsoleEvent =>
  frame({ t: 'cmd:output', id, kind: 'print', text, hookId: HOOK.id })

describe('console state', () => {
  it('replaces a snapshot, never merges it', () => {
    const hooks = (...rows: (typeof HOOK)[]) => frame({ t: 'state:hooks', hooks: rows })
    expect(stateAfter(hooks(HOOK), hooks()).hooks).toEqual([])
  })

  it('drops what it was shown once it is revoked, and keeps it while hookline is only away', () => {
    const shown = [connection(WELCOMED), frame(PORTFOLIO), frame({ t: 'state:hooks', hooks: [HOOK] })]
    const away = stateAfter(...shown, connection({ name: 'waiting' } as unknown as ConnectionState))
    expect([away.latestPortfolio, away.hooks]).toEqual([PORTFOLIO, [HOOK]])
    const revoked = stateAfter(...shown, connection({ name: 'stopped', reason: 'revoked' } as ConnectionState))
    expect([revoked.latestPortfolio, revoked.portfolio, revoked.hooks]).toEqual([undefined, undefined, undefined])
  })

  it('counts figures as old while hookline says nothing, and no longer', () => {
    const silence = (since: number | undefined): ConsoleEvent => ({ type: 'silence', since })
    expect(isFresh(stateAfter(connection(WELCOMED)))).toBe(true)
    expect(isFresh(stateAfter(connection(WELCOMED), silence(5)))).toBe(false)
    expect(isFresh(stateAfter(connection(WELCOMED), silence(5), silence(undefined)))).toBe(true)
  })

  it('marks the part that could not be read until it is read again, and no other', () => {
    const unread = (error?: string): ConsoleEvent => ({
      type: 'unread',
      at: 5,
      unread: { t: 'state:hooks', setAside: ['hooks: dip'], ...defined({ error }) },
    })
    const welcome = connection(WELCOMED)
    const hooks = frame({ t: 'state:hooks', hooks: [HOOK] })
    const isFreshAfter = (...events: ConsoleEvent[]) => isFresh(stateAfter(welcome, ...events), 'state:hooks')
    expect(isFreshAfter(hooks, unread('`hooks` must be a list'))).toBe(false)
    expect(isFresh(stateAfter(welcome, hooks, unread('bad')), 'state:tasks')).toBe(true)
    expect(isFreshAfter(hooks, unread())).toBe(true)
    expect(stateAfter(welcome, hooks, unread()).unread['state:hooks']?.setAside).toEqual(['hooks: dip'])
    expect(stateAfter(welcome, hooks, unread('bad'), hooks).unread).toEqual({})
    expect(stateAfter(welcome, hooks, unread('bad')).hooks).toEqual([HOOK])
  })

  it('keeps the last snapshots when the connection goes', () => {
    const lost: ConnectionState = { name: 'waiting-to-reconnect', retryAt: 1, failures: 1, why: 'lost' }
    const state = stateAfter(connection(WELCOMED), frame({ t: 'state:hooks', hooks: [HOOK] }), connection(lost))
    expect(state.hooks).toEqual([HOOK])
  })

  it('shows nothing of one hookline under the name of another', () => {
    const other: ConnectionState = { name: 'other-listener', expected: 'a', got: 'b' }
    const state = stateAfter(frame({ t: 'state:hooks', hooks: [HOOK] }), output('r1', 'x'), connection(other))
    expect({ hooks: state.hooks, runs: state.hookRuns }).toEqual({ hooks: undefined, runs: [] })
  })

  it('never shows the figures of one account as those of the one in focus, whichever comes first', () => {
    const focus = (account: string) => frame({ t: 'state:focus', account, symbol: 'BTCUSDT' })
    const portfolio = (account: string) => frame({ ...PORTFOLIO, account })
    const shown = (...events: ConsoleEvent[]) => stateAfter(...events).portfolio?.account
    expect(shown(portfolio('a'))).toBe('a')
    expect(shown(focus('a'), portfolio('a'))).toBe('a')
    expect(shown(focus('a'), portfolio('a'), focus('b'))).toBeUndefined()
    expect(shown(focus('a'), portfolio('a'), focus('b'), portfolio('b'))).toBe('b')
    expect(shown(focus('a'), portfolio('b'), focus('b'))).toBe('b')
    expect(focusOf(stateAfter(focus('a'), portfolio('a'), focus('b')))).toMatchObject({ account: 'b' })
    expect(focusOf(stateAfter(portfolio('a')))).toMatchObject({ account: 'a' })
  })

  it('holds another thing after a fill and a change of an order, and the same when only prices moved', () => {
    const position = {
      symbol: 'BTCUSDT',
      side: 'long',
      amount: '0.02',
      entryPrice: '60000',
      unrealizedPnl: '1',
    } as never
    const order = { id: 'p1', amount: '1', price: '5' } as never
    const key = (...parts: readonly Partial<typeof PORTFOLIO>[]) =>
      holdingsKey(Object.assign({}, PORTFOLIO, { positions: [position], orders: [order] }, ...parts))
    expect(key({ last: '2' })).toBe(key())
    expect(key({ positions: [Object.assign({}, position, { unrealizedPnl: '9', markPrice: '7' })] })).toBe(key())
    expect(key({ positions: [Object.assign({}, position, { amount: '0.03' })] })).not.toBe(key())
    expect(key({ orders: [Object.assign({}, order, { price: '6' })] })).not.toBe(key())
    expect(key({ orders: [] })).not.toBe(key())
  })

  it('forgets accounts and portfolio once accountSync is off', () => {
    const flags = (accountSync: boolean) => frame({ t: 'state:flags', remoteExec: true, accountSync, invalidFiles: 0 })
    const row = { name: 'a', exchange: 'paper', hasCredentials: false, createdAt: 1, updatedAt: 1 }
    const events = [frame(PORTFOLIO), frame({ t: 'state:accounts', accounts: [row] }), flags(false)]
    const { accounts, portfolio } = stateAfter(...events)
    expect({ accounts, portfolio }).toEqual({ accounts: undefined, portfolio: undefined })
    expect(stateAfter(...events, flags(true), frame(PORTFOLIO)).portfolio).toBeDefined()
  })

  it('takes neither focus nor switches over from the hookline before', () => {
    const lost: ConnectionState = { name: 'waiting-to-reconnect', retryAt: 1, failures: 1, why: 'lost' }
    const off = frame({ t: 'state:flags', remoteExec: false, accountSync: true, invalidFiles: 0 })
    const told = [connection(WELCOMED), frame({ t: 'state:focus', account: 'a', symbol: 'X' }), off]
    expect(whyNoCommands(stateAfter(...told))).toContain('remoteExec')
    const { focus, flags } = stateAfter(...told, connection(lost), connection(WELCOMED))
    expect([focus, flags]).toEqual([undefined, undefined])
  })

  it('under panic runs no line of a page, and says what still runs in the terminal and what ends panic', () => {
    const panic = { since: 1, by: 'the terminal' }
    const flags = frame({ t: 'state:flags', remoteExec: true, accountSync: true, invalidFiles: 0, panic })
    const state = stateAfter(connection(WELCOMED), flags)
    expect(whyNoCommands(state)).toBe(
      'Panic is on: no page can trade, cancel or close. In the hookline terminal, `close all` and `cancel all` still run, and `resume` ends panic.',
    )
    expect(whyNoTrade(state, 'paper', false)).toBe(whyNoCommands(state))
    const lifted = frame({ t: 'state:flags', remoteExec: true, accountSync: true, invalidFiles: 0 })
    expect(whyNoCommands(stateAfter(connection(WELCOMED), flags, lifted))).toBeUndefined()
  })

  it('blames no prices in the ticket where hookline itself has fallen silent', () => {
    const state = stateAfter(connection(WELCOMED))
    expect(whyNoTrade(state, 'paper', true)).toBe('Prices are stale. No order is sent until they return.')
    expect(whyNoTrade({ ...state, silentSince: 1 }, 'paper', true)).toBe(
      'hookline does not answer. The ticket sends nothing until it does.',
    )
  })

  it('runs no line while it is not connected', () => {
    expect(whyNoCommands(stateAfter())).toBe('This page is not connected to hookline. Nothing is sent.')
  })

  it('keeps the warning of a run beside its outcome, and says it where the sentence has no room for it', () => {
    const lines = [
      { kind: 'success', text: 'bought 0.003 BTCUSDT' },
      { kind: 'print', text: 'more' },
      { kind: 'warn', text: 'the stop was refused: no margin' },
    ] as const
    const done = { success: true, outcome: 'bought 0.003 BTCUSDT; warning: the stop was ref…' }
    const cut = outcomeOfRun(done, 'buy', lines)
    expect([toneOfOutcome(cut), restOfOutcome(cut)]).toEqual(['warn', 'the stop was refused: no margin'])
    const whole = outcomeOfRun({ ...done, outcome: `bought; warning: ${lines[2].text}` }, 'buy', lines)
    expect([toneOfOutcome(whole), restOfOutcome(whole)]).toEqual(['warn', undefined])
    expect(warningApart(whole)).toEqual({ text: 'bought', more: lines[2].text })
    expect(warningApart(cut)).toEqual({ text: cut.text, more: lines[2].text })
    const unheard = outcomeOfRun({ ...done, warned: true }, 'buy')
    expect([toneOfOutcome(unheard), restOfOutcome(unheard)]).toEqual(['warn', undefined])
    const failed = outcomeOfRun({ success: false, error: 'no' }, 'buy', lines)
    expect([toneOfOutcome(failed), restOfOutcome(failed)]).toEqual(['error', lines[2].text])
    expect(toneOfOutcome(outcomeOfRun(done, 'buy', lines.slice(0, 2)))).toBe('success')
    expect(keptOutcome(JSON.parse(JSON.stringify({ ...cut, at: 1 })))).toEqual({ ...cut, at: 1 })
  })

  it('has the warning of a fire in its outcome', () => {
    const warned = frame({ t: 'cmd:output', id: 'r1', kind: 'warn', text: 'no stop', hookId: HOOK.id })
    const done = frame({ t: 'cmd:done', id: 'r1', success: true, outcome: 'bought', hookId: HOOK.id })
    expect(stateAfter(warned, done).lastOutcome).toMatchObject({ isDone: true, text: 'bought', warning: 'no stop' })
  })

  it('collects what a hook prints under its run, the newest run first', () => {
    const done = frame({ t: 'cmd:done', id: 'r1', success: false, error: 'no', hookId: HOOK.id })
    const { hookRuns, hookLines } = stateAfter(output('r1', 'one'), output('r2', 'other'), output('r1', 'two'), done)
    expect(hookRuns.map(({ runId }) => runId)).toEqual(['r2', 'r1'])
    expect(hookRuns[1]?.result).toEqual({ success: false, error: 'no' })
    expect(hookLines.get('r1')?.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(runsOfHook(hookRuns, HOOK.id)).toHaveLength(2)
    expect(runsOfHook(hookRuns, 'b')).toEqual([])
  })

  it('keeps the runs as they are while one of them prints', () => {
    const begun = [output('r1', 'one'), output('r2', 'other')]
    const state = stateAfter(...begun)
    expect(reduce(state, output('r1', 'two')).hookRuns).toBe(state.hookRuns)
  })

  it('bounds what it remembers', () => {
    const many = Array.from({ length: 30 }, (_, n) => output(`r${n}`, 'x'))
    expect(stateAfter(...many).hookRuns).toHaveLength(20)
    expect(stateAfter(...many).hookLines.size).toBe(20)
    const long = Array.from({ length: 300 }, (_, n) => output('r', String(n)))
    expect(stateAfter(...long).hookLines.get('r')).toHaveLength(200)
    const refused = Array.from({ length: 30 }, () => frame({ t: 'error', error: 'no' }))
    expect(stateAfter(...refused).refusals).toHaveLength(5)
  })

  it('forgets refusals and the last look at 127.0.0.1 at a welcome', () => {
    const before = [frame({ t: 'error', error: 'accounts: off' }), { type: 'probed', access: 'not-running' } as const]
    expect(stateAfter(...before)).toMatchObject({ refusals: ['accounts: off'], access: 'not-running' })
    expect(stateAfter(...before, connection(WELCOMED))).toMatchObject({ refusals: [], access: undefined })
  })

  it.each([
    { name: 'other-listener', expected: 'a', got: 'b' },
    { name: 'unproven-listener', expected: 'a', got: 'b' },
  ] as const)('forgets that nobody was there once there is $name, which may be left', (other) => {
    const absent = { type: 'probed', access: 'not-running' } as const
    const left = connection({ name: 'idle' })
    expect(stateAfter(absent, connection(other), left).access).toBeUndefined()
    // The look took longer than the other took to start.
    expect(stateAfter({ type: 'probing' }, connection(other), absent, left).access).toBeUndefined()
  })

  it('leaves errors that answer a command to that command', () => {
    expect(stateAfter(frame({ t: 'error', error: 'no', id: 'c1' })).refusals).toEqual([])
  })

  it('counts runs under way', () => {
    expect(stateAfter({ type: 'run-started' }, { type: 'run-started' }, { type: 'run-ended' }).runsUnderWay).toBe(1)
  })

  it('knows a hook by its id, where it knows it', () => {
    expect(hookName([HOOK], HOOK.id)).toBe('dip')
    expect(hookName([HOOK], undefined)).toBeUndefined()
    expect(hookName(undefined, HOOK.id)).toBeUndefined()
  })
})

it('what stops orders has another key under each stop, for its account alone: a refusal goes with its reason', () => {
  const flags = { remoteExec: true, accountSync: true, invalidFiles: 0 }
  const key = (more: object, account = 'paper') =>
    stopsKey({ focus: { account: 'paper', symbol: 'BTCUSDT' }, flags: { ...flags, ...more } } as never, account)
  const stops = [{}, { guard: 'halted' }, { panic: { by: 'x' } }, { remoteExec: false }, { accountSync: false }]
  expect(new Set(stops.map((stop) => key(stop))).size).toBe(stops.length)
  expect(key({ invalidFiles: 3 })).toBe(key({}))
  expect(key({ guard: 'halted' }, 'swing')).toBe(key({}, 'swing'))
  const rows = [{ account: 'swing', guard: 'reducing' }]
  expect(key({ accounts: rows }, 'swing')).not.toBe(key({}, 'swing'))
})

describe('the account of a tab', () => {
  it.each<[string, string, unknown, object]>([
    [
      'the address',
      '?account=swing&interval=1h',
      { account: 'paper', symbol: 'ETHUSDT' },
      { account: 'swing', symbol: 'ETHUSDT' },
    ],
    ['its session', '?interval=1h', { account: 'paper' }, { account: 'paper' }],
    ['nothing', '', undefined, {}],
    ['nothing that is no name', '?account=%3Cb%3E', { account: 7, symbol: '' }, {}],
    [
      'its session, where the address has no name',
      `?account=${'x'.repeat(33)}`,
      { account: 'paper' },
      { account: 'paper' },
    ],
  ])('comes from %s', (_what, search, kept, expected) => expect(chosenAtStart(search, kept)).toEqual(expected))

  it.each([
    ['', 'swing', 'account=swing'],
    ['interval=1h', 'swing', 'interval=1h&account=swing'],
    ['account=paper&interval=1h', 'swing', 'account=swing&interval=1h'],
    ['account=paper&interval=1h', undefined, 'interval=1h'],
    ['tab=orders', undefined, 'tab=orders'],
  ])('stands in the address: %j of %s is %j', (search, account, expected) => {
    expect(withAccount(search, account)).toBe(expected)
  })

  it('stays where the focus of the terminal moves on', () => {
    const focus = (account: string) => frame({ t: 'state:focus', account, symbol: 'ETHUSDT', stale: false })
    const events = [
      focus('paper'),
      { type: 'choose', chosen: { account: 'paper', symbol: 'BTCUSDT' } } as const,
      focus('live'),
    ]
    expect(scopeOf(stateAfter(...events))).toEqual({ account: 'paper', symbol: 'BTCUSDT' })
  })
})

describe('the last outcome', () => {
  const done = (id: string, more: object = {}) =>
    frame({ t: 'cmd:done', id, success: true, hookId: HOOK.id, ...more } as ServerFrame, 7)
  const own = { isDone: true, text: 'bought 0.003 BTCUSDT' }

  it.each([
    [
      { success: true, outcome: 'bought 1' },
      { isDone: true, text: 'bought 1' },
    ],
    [
      { success: false, outcome: 'no funds; before it: bought 1', error: 'no funds' },
      { isDone: false, text: 'no funds; before it: bought 1' },
    ],
    [
      { success: false, error: 'no funds' },
      { isDone: false, text: 'no funds' },
    ],
    [{ success: true }, { isDone: true, text: 'done: price' }],
  ])('of %j is in one sentence', (end, expected) => expect(outcomeOfRun(end, 'price')).toEqual(expected))

  it('is the only line of a run that prints one, and not the first of several', () => {
    const textOf = (command: string, ...texts: readonly string[]) => {
      const lines = texts.map((text) => ({ kind: 'print', text }) as const)
      return outcomeOfRun({ success: true }, command, lines).text
    }
    expect(textOf('echo one', 'one')).toBe('one')
    expect(textOf('price', 'BTCUSDT 65,000', '  mark 65,000')).toBe('done: price')
    expect(textOf('help', 'a\nb')).toBe('done: help')
  })

  it("is of the run that ended last, and no line of another run's output", () => {
    const mine = { type: 'outcome', outcome: own, at: 5 } as const
    expect(stateAfter(mine, output('r2', 'a note of a hook')).lastOutcome).toEqual({ ...own, at: 5 })
    expect(stateAfter(mine, done('r2', { outcome: 'sold 1' })).lastOutcome).toEqual({
      ...{ isDone: true, text: 'sold 1', at: 7, hookId: HOOK.id },
    })
  })

  it('is kept over a reload, and nothing else is taken for one', () => {
    const last = stateAfter({ type: 'outcome', outcome: own, at: 5 }).lastOutcome
    expect(keptOutcome(JSON.parse(JSON.stringify(last)))).toEqual(last)
    for (const kept of [undefined, null, 'x', {}, { isDone: true, text: 5, at: 1 }])
      expect(keptOutcome(kept)).toBeUndefined()
  })

  const flags = (more: Partial<Extract<ServerFrame, { t: 'state:flags' }>> = {}) =>
    frame({ t: 'state:flags', remoteExec: true, accountSync: true, invalidFiles: 0, ...more })
  const focus = frame({ t: 'state:focus', account: 'paper', symbol: 'BTCUSDT' })
  const halted = flags({ guard: 'halted', accounts: [{ account: 'paper', guard: 'halted' }] })
  const told = (command: string): ConsoleEvent => ({ type: 'outcome', outcome: own, at: 5, command, account: 'paper' })

  it.each([
    ['before it', [halted, told('halt')]],
    ['after it', [told('halt'), halted]],
    [
      'by name, from another account',
      [told('halt swing'), flags({ accounts: [{ account: 'swing', guard: 'halted' }] })],
    ],
    ['as panic', [told('panic'), flags({ panic: { by: 'the terminal' } })]],
  ])('goes with the guard that came %s, also after a reload', (_, events) => {
    const held = stateAfter(focus, flags(), ...events)
    expect(held.lastOutcome?.text).toBe(own.text)
    expect(reduce(held, flags()).lastOutcome).toBeUndefined()
    const lastOutcome = keptOutcome(JSON.parse(JSON.stringify(held.lastOutcome)))
    const reloaded = reduce({ ...INITIAL, lastOutcome }, focus)
    expect(reloaded.lastOutcome?.text).toBe(own.text)
    expect(reduce(reloaded, flags()).lastOutcome).toBeUndefined()
  })

  it('stays where no state of its own has ended', () => {
    const bought = stateAfter(focus, flags(), told('buy $100'))
    const other = flags({ accounts: [{ account: 'swing', guard: 'halted' }] })
    expect(reduce(reduce(bought, other), flags()).lastOutcome?.text).toBe(own.text)
  })

  it('goes when the hook that it speaks of is resumed', () => {
    const hooks = (...each: readonly HookRow[]) => frame({ t: 'state:hooks', hooks: [...each] })
    const paused = { ...HOOK, paused: { by: 'a page', since: 1 } }
    for (const first of [
      told('hook pause dip'),
      told(`hook pause ${'a'.repeat(8)}`),
      done('r', { success: false, error: 'no' }),
    ])
      expect(stateAfter(hooks(HOOK), first, hooks(paused)).lastOutcome).toBeDefined()
    for (const first of [
      told('hook pause dip'),
      told(`hook pause ${'a'.repeat(8)}`),
      done('r', { success: false, error: 'no' }),
    ])
      expect(stateAfter(hooks(HOOK), first, hooks(paused), hooks(HOOK)).lastOutcome).toBeUndefined()
    expect(stateAfter(hooks(paused), told('buy $100'), hooks(HOOK)).lastOutcome).toBeDefined()
  })

  it('of what holds up an account is not shown on another', () => {
    const held = stateAfter(focus, halted, told('halt'))
    expect(shownOutcome(held)?.text).toBe(own.text)
    expect(shownOutcome({ ...held, chosen: { account: 'swing' } })).toBeUndefined()
  })

  it('is none of a fire that a limit skipped', () => {
    expect(
      stateAfter(done('r', { success: false, unbegun: 'skipped', error: 'skipped: 5 a minute' })).lastOutcome,
    ).toBeUndefined()
  })
})
