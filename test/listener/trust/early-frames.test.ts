// Frames before `welcome`: kept, taken up in their order, or dropped (behaviour 12).
import { describe, expect, it } from 'vitest'
import { type Hello, type LateEvent, type SessionState, step } from '../../../src/listener/sessions/session-state.ts'

const hello: Hello = { t: 'hello', clientId: 'tab-1', webCrossTradeActive: false }
const early = { events: [], bytes: 0 }
const subscribe: LateEvent = { type: 'frame', frame: { t: 'subscribe', topics: ['hooks'] }, bytes: 100 }
const execute: LateEvent = { type: 'frame', frame: { t: 'cmd:exec', id: '1', command: 'echo ok' }, bytes: 100 }
const bad: LateEvent = { type: 'bad-frame', error: 'why', bytes: 100 }

const sent = [execute, bad, subscribe]
const fed = (state: SessionState, events: readonly LateEvent[]) =>
  events.reduce((at, event) => step(at, event).state, state)

describe('frames that come before welcome', () => {
  it('are taken up in the order in which they came, however the client is let in', () => {
    const proving = fed({ name: 'awaiting-proof', hello, early }, sent)
    const checking = step(proving, { type: 'proof', signature: 'signed' }).state
    const takenUp = [{ type: 'welcome' }, { type: 'take-up', events: sent }]
    expect(step(checking, { type: 'proof-checked', isValid: true, standing: 'trusted' }).effects).toEqual(takenUp)
    const asked = step(checking, { type: 'proof-checked', isValid: true, standing: 'unknown' }).state
    expect(step(asked, { type: 'approved' }).effects).toEqual(takenUp)
  })

  it('are dropped when the client is denied', () => {
    const asked = fed({ name: 'awaiting-decision', hello, early }, sent)
    expect(step(asked, { type: 'denied' })).toEqual({
      state: { name: 'closed' },
      effects: [{ type: 'reject' }, { type: 'close', reason: 'denied' }],
    })
  })

  it.each<[what: string, frames: number, bytes: number, isKept: boolean]>([
    ['eight frames', 8, 100, true],
    ['nine', 9, 10, false],
    ['16 KiB in all', 4, 4_096, true],
    ['a byte more', 1, 16_385, false],
  ])('are no more than eight, and 16 KiB in all: %s', (_what, frames, bytes, isKept) => {
    for (const name of ['awaiting-proof', 'checking-proof', 'awaiting-decision'] as const) {
      const many = Array.from({ length: frames }, () => ({ ...subscribe, bytes }))
      expect(fed({ name, hello, early }, many).name).toBe(isKept ? name : 'closed')
    }
  })
})
