// Three ways to work a console: a mouse, the keyboard, a finger. Each does the same with its own means, and nothing with another's.
import type { CDPSession, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ConsolePage, PageName } from './console-page.ts'
import { PAGES } from './console-page.ts'

export interface Hands {
  press(target: Locator): Promise<void>
  /** Until it acts. */
  hold(target: Locator): Promise<void>
  /** Over what is in the field. */
  write(field: Locator, text: string): Promise<void>
  choose(list: Locator, option: string): Promise<void>
  goTo(page: PageName): Promise<void>
  /** On Trade: the order's line of the chart goes elsewhere, and waits for a yes. */
  moveStop(): Promise<void>
}

const WATCH_HANDS = `
  globalThis.handsSeen = { keys: 0, pointers: {} }
  addEventListener('pointerdown', ({ pointerType }) => {
    handsSeen.pointers[pointerType] = (handsSeen.pointers[pointerType] ?? 0) + 1
  }, true)
  addEventListener('keydown', ({ target }) => {
    if (!target.matches('input, textarea, [contenteditable=true]')) handsSeen.keys++
  }, true)
`

/** Before the page is loaded, for {@link handsSeen}. */
export const watchHands = (page: Page): Promise<unknown> => page.addInitScript(WATCH_HANDS)

/** What was pressed since the page was loaded: keys that were not typed into a field, and pointers by their kind. */
export function handsSeen(console: ConsolePage): Promise<{ keys: number; pointers: Record<string, number> }> {
  return console.page.evaluate('handsSeen')
}

// --- a mouse ----------------------------------------------------------------------------------------------------------------------

export function mouse(console: ConsolePage): Hands {
  const { page } = console
  return {
    press: (target) => target.click(),
    async hold(target) {
      await target.hover()
      await page.mouse.down()
      await isHeld(console)
      await page.mouse.up()
    },
    async write(field, text) {
      await field.click({ clickCount: 3 })
      await page.keyboard.type(text)
    },
    // What a list shows when it is opened is the system's own, out of a test's reach.
    choose: async (list, option) => void (await list.selectOption(option)),
    goTo: (name) => console.goToPage(name),
    async moveStop() {
      const { x, y } = await gripOf(console, (target) => target.click())
      await page.mouse.down()
      await page.mouse.move(x, y + 10, { steps: 3 })
      await page.mouse.up()
    },
  }
}

// --- the keyboard -----------------------------------------------------------------------------------------------------------------

export function keyboard(console: ConsolePage): Hands {
  const { page } = console
  const press = async (target: Locator) => {
    await reach(console, target)
    await page.keyboard.press('Enter')
  }
  return {
    press,
    async hold(target) {
      await reach(console, target)
      await page.keyboard.down('Enter')
      await isHeld(console)
      await page.keyboard.up('Enter')
    },
    async write(field, text) {
      await reach(console, field)
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    },
    async choose(list, option) {
      await reach(console, list)
      await page.keyboard.type(option)
      await expect.poll(() => list.inputValue()).toBe(option)
    },
    async goTo(name) {
      await page.keyboard.press(`Alt+${PAGES.indexOf(name) + 1}`)
      await page.waitForURL(new RegExp(`/${name.toLowerCase()}([/?]|$)`))
    },
    async moveStop() {
      await press(page.getByRole('button', { name: /^Lines \d/ }))
      const lines = page.getByRole('dialog', { name: 'Lines of the chart' })
      await press(lines.getByRole('button', { name: /^p\d+ stop, sell / }))
      const card = page.getByRole('dialog', { name: 'Move the line' })
      await card.getByRole('textbox', { name: 'Price' }).and(page.locator(':focus')).waitFor()
      await page.keyboard.press('Shift+ArrowDown')
    },
  }
}

/** More than there are controls on a page. */
const MAX_STOPS = 90

/** Tab to it; the arrows, where it is in a list that is one stop. @throws where neither leads to it, or the focus cannot be seen there */
async function reach(console: ConsolePage, target: Locator): Promise<void> {
  await target.waitFor()
  // Found once: by its role and name it is looked for among all that is there.
  let element = await target.elementHandle()
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    let place = await element?.evaluate(placeOf)
    while (place === 'gone' || place === undefined) {
      element = await target.elementHandle()
      place = await element?.evaluate(placeOf)
    }
    if (place === 'here') break
    await console.page.keyboard.press(KEY_TOWARDS[place])
  }
  const { name, isVisible } = await console.focused()
  const isThere = (await target.evaluate(placeOf)) === 'here'
  if (!isThere) throw new Error(`${MAX_STOPS} presses do not lead to ${target}, but to ${name}`)
  if (!isVisible) throw new Error(`the focus on ${name} cannot be seen`)
}

type Place = 'here' | 'elsewhere' | 'along' | 'below' | 'above' | 'gone'

const KEY_TOWARDS = { elsewhere: 'Tab', along: 'ArrowRight', below: 'ArrowDown', above: 'ArrowUp' } as const

/** What is asked of an element here. */
interface PageElement {
  readonly tabIndex: number
  readonly isConnected: boolean
  readonly ownerDocument: { readonly activeElement: PageElement }
  closest(selector: string): PageElement | null
  contains(other: PageElement): boolean
  matches(selector: string): boolean
  compareDocumentPosition(other: PageElement): number
}

/** Where it is, as seen from the focus. It runs in the page. */
function placeOf(target: PageElement): Place {
  if (!target.isConnected) return 'gone'
  const from = target.ownerDocument.activeElement
  if (from === target) return 'here'
  const list = target.tabIndex < 0 ? target.closest('[role=tablist], fieldset, .table-scroll, ol, ul') : null
  if (!list?.contains(from)) return 'elsewhere'
  if (list.matches('[role=tablist], fieldset') || target.closest('tr')?.contains(from)) return 'along'
  const isAfter = (from.compareDocumentPosition(target) & 4) > 0
  return isAfter ? 'below' : 'above'
}

// --- a finger ---------------------------------------------------------------------------------------------------------------------

/** The page needs a browser that knows touch. */
export async function finger(console: ConsolePage): Promise<Hands> {
  const { page } = console
  const touch = touches(await page.context().newCDPSession(page))
  return {
    press: (target) => target.tap(),
    async hold(target) {
      await target.scrollIntoViewIfNeeded()
      const box = await target.boundingBox()
      if (box === null) throw new Error(`${target} is not in the page`)
      await touch.down(box.x + box.width / 2, box.y + box.height / 2)
      await isHeld(console)
      await touch.up()
    },
    async write(field, text) {
      await field.tap()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    },
    choose: async (list, option) => void (await list.selectOption(option)),
    async goTo(name) {
      const links = page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}(,|$)`) })
      await links.filter({ visible: true }).tap()
      await page.waitForURL(new RegExp(`/${name.toLowerCase()}([/?]|$)`))
    },
    async moveStop() {
      const { x, y } = await gripOf(console, (target) => target.tap())
      await touch.down(x, y)
      for (const by of [4, 8, 12]) await touch.move(x, y + by)
      await touch.up()
    },
  }
}

function touches(session: CDPSession) {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  return {
    down: (x: number, y: number) => send('touchStart', { x, y }),
    move: (x: number, y: number) => send('touchMove', { x, y }),
    up: () => send('touchEnd'),
  }
}

// --- all of them ------------------------------------------------------------------------------------------------------------------

async function isHeld({ page }: ConsolePage): Promise<void> {
  await expect.poll(() => page.locator('[data-holding=true]').count()).toBe(0)
}

/** A line is taken up to 6 px above and below it. */
export const GRIP_STEP_PX = 8

/** Where the cursor says that a line of the chart can be taken. One that is beyond the visible range is brought in first. */
async function gripOf({ page }: ConsolePage, press: Hands['press']): Promise<Point> {
  const canvas = page.locator('.chart-canvas')
  const beyond = page.getByRole('button', { name: /the visible range: show it$/ }).first()
  await canvas.scrollIntoViewIfNeeded()
  let grip: Point | undefined
  await expect
    .poll(async () => {
      if (await beyond.isVisible()) await press(beyond)
      grip = await findGrip(page, canvas)
      return grip
    })
    .toBeDefined()
  return grip as Point
}

interface Point {
  readonly x: number
  readonly y: number
}

async function findGrip(page: Page, canvas: Locator): Promise<Point | undefined> {
  const box = await canvas.boundingBox()
  if (box === null) return undefined
  const x = box.x + box.width / 3
  for (let y = box.y + 4; y < box.y + box.height; y += GRIP_STEP_PX) {
    await page.mouse.move(x, y)
    if (((await canvas.getAttribute('data-grip')) ?? '') !== '') return { x, y }
  }
  return undefined
}
