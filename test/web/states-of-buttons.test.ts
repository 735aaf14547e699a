// What a page shows of panic and of stale prices: which buttons are off and why, which figures are marked.
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { EMPTY_PREVIEW } from '../../harness/commands/empty-preview.ts'
import type { Portfolio } from '../../src/protocol/frames.ts'
import type { Preview } from '../../src/protocol/preview.ts'
import type { OrderRow } from '../../src/protocol/rows.ts'
import type { Console } from '../../src/web/console.ts'
import { FireOutcome, FireTest } from '../../src/web/pages/hooks/fire-test.tsx'
import { HookAccount, HookAlert, HookFigures } from '../../src/web/pages/hooks/hook-detail.tsx'
import { Trades } from '../../src/web/pages/portfolio/pnl-pane.tsx'
import { noteOfTrade } from '../../src/web/pages/portfolio/trade-detail.tsx'
import { CloseAll, isOfAccount } from '../../src/web/pages/trade/holdings.tsx'
import { HeldContext, marketSteps } from '../../src/web/pages/trade/holdings-context.ts'
import { LineButton } from '../../src/web/pages/trade/line-button.tsx'
import { OrdersTable, useOrderColumns } from '../../src/web/pages/trade/orders-table.tsx'
import { consequencesOf, isHeldFire, refusalAlone, refusalsOf } from '../../src/web/preview/consequences.ts'
import { Consequences } from '../../src/web/preview/preview.tsx'
import { CloseAllBody, Flatten } from '../../src/web/shell/flatten.tsx'
import { LastEvent } from '../../src/web/shell/foot.tsx'
import { lampOf } from '../../src/web/shell/header.tsx'
import { type ConsoleState, INITIAL, whyNoCommands } from '../../src/web/state/console-state.ts'
import { ConsoleContext } from '../../src/web/state/use-console.ts'

const FLAGS = { remoteExec: true, accountSync: true, invalidFiles: 0 }
const LIVE: ConsoleState = {
  ...INITIAL,
  connection: { name: 'welcomed', listenerId: 'l', email: '', since: 0, failures: 0 },
  focus: { account: 'paper', symbol: 'BTCUSDT' },
  flags: FLAGS,
}
const PANIC: ConsoleState = { ...LIVE, flags: { ...FLAGS, panic: { by: 'the terminal' } } }

const EMPTY_ORDER: OrderRow = {
  id: 'p1',
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'limit',
  amount: '0.02',
  filled: '0',
  reduceOnly: false,
  postOnly: false,
  timestamp: 0,
}

function drawn(state: ConsoleState, element: ReactElement): string {
  const store = { getState: () => state, getInitialState: () => state, subscribe: () => () => {} }
  return renderToStaticMarkup(createElement(ConsoleContext, { value: { store } as unknown as Console }, element))
}

const CLOSE = {
  title: 'Close',
  name: 'Close the long',
  line: 'close BTCUSDT',
  scope: { account: 'paper', symbol: 'BTCUSDT' },
}
const BUTTONS: Readonly<Record<string, () => ReactElement>> = {
  Flatten: () => createElement(Flatten),
  'Close all': () => createElement(CloseAll, { count: 1 }),
  Close: () => createElement(LineButton, CLOSE),
}

describe('a button that runs a line', () => {
  it.each(Object.keys(BUTTONS))('%s is off under panic, with what still runs in its title', (name) => {
    const element = BUTTONS[name]?.() ?? createElement('i')
    expect(drawn(LIVE, element)).not.toContain('disabled=""')
    const html = drawn(PANIC, element)
    const buttons = html.match(/<button/g) ?? []
    expect(html.match(/disabled=""/g)).toHaveLength(buttons.length)
    expect(html.match(/title="[^"]*/)?.[0]).toBe(`title="${whyNoCommands(PANIC)}`)
  })
})

describe('the consequences of a line', () => {
  const order = { side: 'buy', type: 'market', symbol: 'BTCUSDT', account: 'paper', amount: '1', unit: 'BTC', at: '5' }
  const preview = { ...EMPTY_PREVIEW, orders: [order] } as never
  const element = createElement(Consequences, { preview, problem: undefined })

  it('are marked while prices are stale, in their look and in words', () => {
    expect(drawn(LIVE, element)).toContain('data-stale="false"')
    const stale = drawn({ ...LIVE, focus: { account: 'paper', symbol: 'BTCUSDT', stale: true } }, element)
    expect(stale).toContain('data-stale="true"')
    expect(stale).toContain('stale: the figures may be wrong')
  })
})

describe('why a line is refused', () => {
  const refused = { code: 'near-stop', text: 'the stop is near', hint: 'choose a price farther away, or add --near' }
  const halted = { code: 'halted', text: 'account paper is halted', hint: 'type `resume` in the terminal' }
  const near = { ...EMPTY_PREVIEW, errors: [refused, halted] } as never as Preview

  it('names a flag only where a line can be edited', () => {
    expect(refusalsOf(near)[0]).toBe('the stop is near; choose a price farther away, or add --near')
    expect(refusalsOf(near, true)).toEqual([
      'the stop is near',
      'account paper is halted; type `resume` in the terminal',
    ])
  })

  it('is said once: not below a ticket that says why it sends nothing', () => {
    const element = (isHeld: boolean) => createElement(Consequences, { preview: near, problem: undefined, isHeld })
    expect(drawn(LIVE, element(false))).toContain('account paper is halted')
    expect(drawn(LIVE, element(true))).not.toContain('account paper is halted')
  })
})

describe('the account of a hook', () => {
  const onSwing: ConsoleState = { ...LIVE, chosen: { account: 'swing' } }
  const hook = { id: 'a'.repeat(32), name: 'dip', command: 'price', createdAt: 0 }

  it.each([
    [undefined, 'paper'],
    ['night', 'night'],
  ])('of %s is %s on a page that shows swing', (account, expected) => {
    const pinned = { ...hook, ...(account === undefined ? {} : { account }) }
    const chip = drawn(onSwing, createElement(HookAccount, { account }))
    expect(chip).toContain(expected)
    expect(chip).not.toContain('swing')
    expect(drawn(onSwing, createElement(FireTest, { hook: pinned }))).toContain(`Fire now on ${expected}`)
  })
})

it('the figures of a hook name a pause beside its limits: a skipped fire may have met either', () => {
  const hook = { id: 'a'.repeat(32), name: 'dip', command: 'price', createdAt: 0 }
  const day = { hookId: hook.id, fires: 3, ok: 2, failed: 0, skipped: 1, expired: 0 }
  const html = drawn(LIVE, createElement(HookFigures, { hook, day }))
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain('Skipped1 of 3, by a limit or a pause')
})

it('the address of a hook says that an alert from the internet needs a proxy', () => {
  const hook = { id: 'a'.repeat(32), name: 'dip', command: 'buy {size:usd<=500} BTCUSDT', createdAt: 0 }
  const text = drawn(LIVE, createElement(HookAlert, { hook })).replaceAll(/<[^>]+>/g, '')
  expect(text).toContain('TradingView cannot reach this address: it needs your proxy. hookline proxy makes its file.')
})

describe('the test of a fire', () => {
  const order = { side: 'sell', type: 'market', symbol: 'BTCUSDT', account: 'paper', amount: '1', unit: 'BTC', at: '5' }
  const titles = (more: object) => {
    const preview = { ...EMPTY_PREVIEW, orders: [{ ...order, ...more }] } as never
    const html = drawn(LIVE, createElement(FireOutcome, { preview }))
    return [
      ...new Set([...html.matchAll(/(?:Stop and target|Realizes), (?:after|before) fees/g)].map(([title]) => title)),
    ]
  }

  it('puts what a close realizes under its own title', () => {
    expect(titles({ pnl: '-3.87' })).toEqual(['Realizes, before fees'])
    expect(titles({ pnl: '-3.87', net: '-4.1' })).toEqual(['Realizes, after fees'])
    expect(titles({ stop: { triggerPrice: '4', pnl: '-1' } })).toEqual(['Stop and target, before fees'])
    expect(titles({})).toEqual([])
  })
})

it('the question of Close all offers to cancel what may open a position, where there is such an order', () => {
  const withOrders = (...orders: Partial<OrderRow>[]): ConsoleState => {
    const rows = orders.map((order) => ({ ...EMPTY_ORDER, ...order }))
    const portfolio = { account: 'paper', symbol: 'BTCUSDT', positions: [], orders: rows }
    return { ...LIVE, portfolio: portfolio as unknown as Portfolio }
  }
  const body = createElement(CloseAllBody, { scope: { account: 'paper', symbol: 'BTCUSDT' }, onLine: () => undefined })
  expect(drawn(withOrders({ reduceOnly: true }), body)).not.toContain('checkbox')
  expect(drawn(withOrders({ reduceOnly: false }), body)).toContain('checkbox')
})

it('the foot does not give a loss the colour of a gain', () => {
  const told = (isDone: boolean): ConsoleState => ({ ...LIVE, lastOutcome: { isDone, text: 'pnl -$2.25', at: 1 } })
  expect(drawn(told(true), createElement(LastEvent))).not.toContain('toned')
  expect(drawn(told(false), createElement(LastEvent))).toContain('toned error')
})

it('the foot names the account of a line that ran on another one', () => {
  const told = (account?: string): ConsoleState => ({
    ...LIVE,
    lastOutcome: { isDone: true, text: 'sold 0.087 BTCUSDT', at: 1, account },
  })
  const words = (account?: string) => drawn(told(account), createElement(LastEvent)).replaceAll(/<[^>]+>/g, '')
  expect(words('swing')).toContain('swing: sold 0.087 BTCUSDT')
  expect(words('paper')).not.toContain('paper:')
  expect(words()).not.toContain(': sold')
})

it('the runs of an account are its own and those of none', () => {
  expect([{ account: 'paper' }, { account: 'swing' }, {}].map((run) => isOfAccount(run, 'paper'))).toEqual([
    true,
    false,
    true,
  ])
})

const wordsOf = (html = '') => html.replaceAll(/<[^>]+>/g, '')

function AllOrders({ rows }: { readonly rows: readonly OrderRow[] }): ReactElement {
  return createElement(OrdersTable, { rows, columns: useOrderColumns(), room: 2_000 })
}

describe('the table of orders', () => {
  const stop = { ...EMPTY_ORDER, type: 'stop', triggerPrice: '64000', reduceOnly: true }
  const table = (...orders: Partial<OrderRow>[]) => {
    const rows = orders.map((order, index) => ({ ...stop, ...order, id: `p${index}` }))
    return drawn(LIVE, createElement(AllOrders, { rows })).split('<tr').slice(2)
  }

  it('marks a stop that has nothing left to close, and says how much of another is left', () => {
    const [whole, part, none] = table({}, { closes: '0.005' }, { closes: '0' })
    expect(whole).not.toMatch(/surplus|closes/)
    expect(wordsOf(part)).toContain('0.005 of 0.020')
    expect(part).not.toContain('surplus')
    expect(none).toMatch(/title="It closes nothing: [^"]+">surplus</)
  })
})

it('says how much of an exit is more than the position', () => {
  const held = [{ symbol: 'BTCUSDT', side: 'long', amount: '0.004', entryPrice: '5', notional: '5' }]
  const exit = { ...EMPTY_ORDER, type: 'stop', side: 'sell', triggerPrice: '64000', reduceOnly: true, id: 'p1' }
  const portfolio = { account: 'paper', symbol: 'BTCUSDT', positions: held, orders: [] } as never
  const steps = marketSteps({ positions: [], orders: [] }, [])
  const table = createElement(AllOrders, { rows: [exit, { ...exit, id: 'p2', amount: '0.004' }] })
  const shown = drawn(
    LIVE,
    createElement(HeldContext, { value: { portfolio, steps, scope: { account: 'paper', symbol: 'BTCUSDT' } } }, table),
  )
  const [more, all] = shown.split('<tr').slice(2)
  expect(wordsOf(more)).toContain('0.004 of 0.020')
  expect(wordsOf(all)).not.toContain(' of ')
})

describe('the trades of a span', () => {
  const sum = (net: string, currency = 'USDT') => ({ currency, realized: net, fees: '0', funding: '0', net })
  const trade = {
    symbol: 'BTCUSDT',
    side: 'long',
    openedAt: 1,
    entered: '0.01',
    entryPrice: '65000.1',
    exited: '0',
    fills: 1,
    orderIds: ['p1'],
    sums: [sum('-0.36')],
  }
  const rowsOf = (answer: object) =>
    drawn(LIVE, createElement(Trades, { account: 'paper', answer: { gaps: [], ...answer } as never }))
      .split('<tr')
      .slice(2)
      .map((row) => row.replaceAll(/<[^>]+>/g, ' '))

  it('are listed with prices, profit after fees, R, who opened them and what was noted', () => {
    const closed = {
      ...trade,
      closedAt: 2,
      exited: '0.01',
      exitPrice: '66000.4714286',
      sums: [sum('9.28'), sum('-1', 'BNB')],
    }
    const rows = rowsOf({ list: [trade, { ...closed, orderIds: ['p3'], r: '0.71', by: 'hook:dip', tags: ['fomo'] }] })
    expect(rows[0]).toMatch(/open .*BTCUSDT long 0\.01 .*65,000\.1 .*−0\.36 .*– /)
    expect(rows[1]).toMatch(
      /BTCUSDT long 0\.01 .*hook dip: #fomo .*65,000\.1 .*→ 66,000\.47 .*\+9\.28 .*USDT .*−1\.00 .*BNB .*0\.71 R/,
    )
  })

  it('say how much of an open one is left', () => {
    expect(rowsOf({ list: [{ ...trade, exited: '0.004', exitPrice: '66000' }] })[0]).toMatch(/long 0\.006 of 0\.01 /)
  })

  it('take a note and tags as one line', () => {
    expect(noteOfTrade(trade, ' late ', '#fomo, chop')).toBe('note p1 BTCUSDT "late" #fomo #chop')
    expect(noteOfTrade(trade, 'said "no"', '')).toBe(`note p1 BTCUSDT 'said "no"'`)
    expect(noteOfTrade(trade, '', 'fomo')).toBe('note p1 BTCUSDT #fomo')
    expect(noteOfTrade(trade, `it's "no"`, '')).toBeUndefined()
    expect(noteOfTrade(trade, 'late', 'a;b')).toBeUndefined()
    expect(noteOfTrade(trade, ' ', ' ')).toBeUndefined()
  })

  it('say how many older ones there are', () => {
    const html = drawn(
      LIVE,
      createElement(Trades, {
        account: 'paper',
        answer: { gaps: ['one is missing'], list: [trade], leftOut: 3 } as never,
      }),
    )
    expect(html).toMatch(/3 older trades: <code>trades<.code> lists them/)
    expect(html).toContain('one is missing')
    expect(drawn(LIVE, createElement(Trades, { account: 'paper', answer: { gaps: [] } as never }))).toContain(
      'No trades in this span',
    )
  })
})

describe('the fire of a hook', () => {
  const order = { side: 'buy', type: 'market', symbol: 'BTCUSDT', account: 'paper', amount: '1', unit: 'BTC', at: '5' }
  const preview = { ...EMPTY_PREVIEW, orders: [order], notes: ['it fills at once'] } as never as Preview

  it.each([
    ['paused', true],
    ['cooldown', true],
    ['panic', true],
    ['dry', false],
    ['simulated', false],
  ])('that is %s cannot be sent: %s', (code, isHeld) => {
    expect(isHeldFire({ blocked: { code, text: code } })).toBe(isHeld)
  })

  it('that would be skipped has no effects, only the reason', () => {
    expect(isHeldFire(preview)).toBe(false)
    const blocked = { code: 'paused', text: 'a fire would be skipped: it is paused' }
    const shown = refusalAlone({ ...preview, blocked })
    expect([consequencesOf(shown), refusalsOf(shown), shown.notes]).toEqual([[], [blocked.text], []])
  })
})

describe('the lamp of remote runs', () => {
  it.each<[string, ConsoleState, string]>([
    ['while all is well', LIVE, 'on'],
    ['in panic', PANIC, 'panic'],
    ['while hookline is silent', { ...PANIC, silentSince: 1 }, 'not known'],
    ['after it was turned off', { ...LIVE, flags: { ...FLAGS, remoteExec: false } }, 'off'],
    ['without a connection', { ...LIVE, connection: INITIAL.connection }, 'not known'],
  ])('%s', (_when, state, shown) => expect(lampOf(state, 'remoteExec')).toBe(shown))

  it('is not that of the listener and of accounts, which panic leaves on', () => {
    expect([lampOf(PANIC, 'listener'), lampOf(PANIC, 'accountSync')]).toEqual(['on', 'on'])
    expect(lampOf({ ...LIVE, silentSince: 1 }, 'listener')).toBe('not known')
  })
})
