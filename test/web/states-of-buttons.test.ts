// What a page shows of panic and of stale prices: which buttons are off and why, which figures are marked.
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { Console } from '../../src/web/console.ts'
import { CloseAll } from '../../src/web/pages/trade/holdings.tsx'
import { LineButton } from '../../src/web/pages/trade/line-button.tsx'
import { Consequences } from '../../src/web/preview/preview.tsx'
import { Flatten } from '../../src/web/shell/flatten.tsx'
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
  const preview = {
    orders: [order],
    cancels: [],
    changes: [],
    settings: [],
    tasks: [],
    positions: [],
    errors: [],
    notes: [],
  } as never
  const element = createElement(Consequences, { preview, problem: undefined })

  it('are marked while prices are stale, in their look and in words', () => {
    expect(drawn(LIVE, element)).toContain('data-stale="false"')
    const stale = drawn({ ...LIVE, focus: { account: 'paper', symbol: 'BTCUSDT', stale: true } }, element)
    expect(stale).toContain('data-stale="true"')
    expect(stale).toContain('stale: the figures may be wrong')
  })
})
