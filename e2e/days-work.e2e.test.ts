// A day's work: a hook made, fired and paused; a stop moved; a twap watched; a copier added; what failed yesterday found; everything stopped.
import { describe, expect } from 'vitest'
import { begin, seedYesterday, workADay } from './days-work.ts'
import { finger, handsSeen, keyboard, mouse, watchHands } from './hands.ts'
import { it } from './stage.ts'

const DESK = { viewport: { width: 1366, height: 768 }, prepare: watchHands }
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, prepare: watchHands }

describe('a day’s work is done', () => {
  it('by mouse alone, but for what is typed into fields', async ({ stage }) => {
    seedYesterday(stage)
    const console = await stage.openConsole(DESK)
    await workADay(await begin(stage, console, mouse(console)))
    expect(await handsSeen(console)).toEqual({ keys: 0, pointers: { mouse: expect.any(Number) } })
  })

  it('by keyboard alone', async ({ stage }) => {
    seedYesterday(stage)
    const console = await stage.openConsole(DESK)
    await workADay(await begin(stage, console, keyboard(console)))
    expect(await handsSeen(console)).toEqual({ keys: expect.any(Number), pointers: {} })
  })

  it('in a window as narrow as a phone, by finger', async ({ stage }) => {
    seedYesterday(stage)
    const console = await stage.openConsole(PHONE)
    await workADay(await begin(stage, console, await finger(console)))
    expect(await handsSeen(console)).toEqual({ keys: 0, pointers: { touch: expect.any(Number) } })
    expect(await console.outOfReach()).toEqual([])
  })
})
