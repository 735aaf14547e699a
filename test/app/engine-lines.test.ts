import { expect, test } from 'vitest'
import { engineNotice } from '../../src/app/engine-host.ts'
import type { EngineEvent } from '../../src/app/running-engine.ts'
import type { CopierEvent } from '../../src/cross-trade/engine-port.ts'

const configId = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const name = { configId, account: 'swing', symbol: 'BTCUSDT' }
const state = (fields: object) =>
  ({ type: 'state', copier: { ...name, desired: '1', owned: '0', ...fields } }) as CopierEvent
const copier = (event: CopierEvent): EngineEvent => ({ type: 'copier', event })
const hostile = 'no\u001b[31m money\nsecond line'

test.each<[EngineEvent, string | undefined]>([
  [
    copier({ type: 'copied', ...name, side: 'buy', amount: '0.005', average: '74745.9', reduceOnly: false }),
    'success [3f9c2a71] swing BTCUSDT: bought 0.005 at 74,745.9',
  ],
  [
    copier({ type: 'copied', ...name, side: 'sell', amount: '0.005', reduceOnly: true }),
    'success [3f9c2a71] swing BTCUSDT: sold 0.005, reduce-only',
  ],
  [copier(state({ state: 'in-step' })), undefined],
  [
    copier(state({ state: 'blocked', why: hostile })),
    'error [3f9c2a71] swing BTCUSDT is blocked: no [31m money second line; the next change or `cross-trade resync 3f9c2a71` tries again',
  ],
  [
    copier(state({ state: 'paused', why: 'five failures in a row' })),
    'error [3f9c2a71] swing BTCUSDT is paused: five failures in a row; `cross-trade enable 3f9c2a71` wakes it',
  ],
  [
    copier({ type: 'row-on', configId, baseline: { BTCUSDT: '0', ETHUSDT: '0.00' } }),
    'info row 3f9c2a71 is copied from now on',
  ],
  [
    copier({ type: 'row-on', configId, baseline: { BTCUSDT: '-0.2', ETHUSDT: '0' } }),
    'info row 3f9c2a71 is copied from now on; what the master holds already is not copied: -0.2 BTCUSDT',
  ],
  [copier({ type: 'refused', configId, why: 'a circle' }), 'warn row 3f9c2a71 is not copied: a circle'],
  [copier({ type: 'refused', configId, account: 'swing' }), 'info row 3f9c2a71, copier swing may be copied again'],
  [
    { type: 'pages', labels: ['My tab', ''] },
    'warn a page leads cross-trading too (My tab, a page without a label), and every copy would be made twice: stop one of the two',
  ],
  [{ type: 'pages', labels: [] }, 'info no page leads cross-trading any more'],
  [
    { type: 'ended', why: 'lost', text: 'another engine took over: pid 7' },
    'error another engine took over: pid 7; the engine has stopped, and copiers keep their positions',
  ],
])('%o', (event, line) => {
  const notice = engineNotice(event)
  expect(notice && `${notice.kind} ${notice.text}`).toBe(line)
})
