// Trade, and what a page is before, without and after its hookline; what opens over it and the other pages are in pages-accessibility.
import { describe, expect } from 'vitest'
import { ASKING, AWAY, HALTED, LOST, ON_PAGES, ON_TRADE, OVER_TRADE, STATES } from '../scripts/console-states.mjs'
import { ALL_LOOKS_OF_A_STATE, CHECKS_MS, checkEveryLook, LOOKS_OF_A_STATE, SIZES, withAxe } from './axe.ts'
import { fillDesk } from './full-desk.ts'
import { answer, isAsked } from './operator.ts'
import { it, NO_HOOKLINE } from './stage.ts'

describe('axe-core finds nothing', () => {
  it(
    'before a connection, on Trade, halted, and after hookline has ended',
    async ({ stage }) => {
      const console = await stage.openConsole({ expects: NO_HOOKLINE, ...withAxe, viewport: SIZES[1] })
      const away = await checkEveryLook(console, AWAY)
      const hookline = await stage.startHookline()
      await isAsked(hookline, console)
      const asking = await checkEveryLook(console, ASKING)
      await answer(hookline, 'y')
      await console.badgeSays('Connected')
      await fillDesk(stage, console)
      const onTrade = await checkEveryLook(console, ON_TRADE)
      hookline.send('halt paper\r')
      const halted = await checkEveryLook(console, HALTED)
      hookline.signal('SIGTERM')
      const lost = await checkEveryLook(console, LOST)

      const all = [away, asking, onTrade, halted, lost]
      expect(all.flatMap(({ found }) => found)).toEqual([])
      const states = STATES.length - ON_PAGES.length - OVER_TRADE.length
      expect(all.flatMap(({ looks }) => looks)).toHaveLength(states * LOOKS_OF_A_STATE)
    },
    CHECKS_MS,
  )

  it('in as many states as were asked for, each of another name', () => {
    expect(new Set(STATES.map(({ name }) => name)).size).toBe(STATES.length)
    expect(STATES.length * ALL_LOOKS_OF_A_STATE).toBeGreaterThanOrEqual(120)
  })
})
