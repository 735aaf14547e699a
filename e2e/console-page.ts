// The console as a person meets it: by what can be seen, named and pressed. Code for the page is text, because these files know no DOM.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export const LISTENER_ADDRESS = '127.0.0.1:53219'
export const CONSOLE_URL = 'http://127.0.0.1:53220'

/** Where each pane is; the terminal is on every page. */
const PAGE_OF = {
  Portfolio: 'Trade',
  Tasks: 'Trade',
  Hooks: 'Hooks',
  Journal: 'Journal',
  'Cross-trade': 'Copy',
  'Who copies whom': 'Copy',
  Accounts: 'Settings',
} as const
/** Panes of Trade that share a place. */
const TAB_OF: ReadonlyMap<string, RegExp> = new Map([
  ['Portfolio', /^Positions/],
  ['Tasks', /^Tasks/],
])
export type PaneName = keyof typeof PAGE_OF
export const PANES = Object.keys(PAGE_OF) as readonly PaneName[]
export type PageName = (typeof PAGE_OF)[PaneName] | 'Portfolio'
export const PAGES: readonly PageName[] = ['Trade', 'Hooks', 'Journal', 'Portfolio', 'Copy', 'Settings']

/** Where Tab has stopped. */
export interface FocusStop {
  readonly name: string
  /** It is in the window, and something shows that it has the focus. */
  readonly isVisible: boolean
}

/** More than there are controls on a page. */
const MAX_STOPS = 60

/** At once, where the browser's own reports come a moment later. */
const NOTE_BADGES = `
  globalThis.badges = []
  const note = () => {
    const badge = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith('Connection: '))
    const said = badge?.textContent.slice('Connection: '.length).replace(/\\d+ s$/, '')
    if (said !== undefined && said !== badges.at(-1)) badges.push(said)
  }
  note()
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
  undefined
`

const COUNT_SOCKETS = `
  globalThis.socketsOpened = 0
  globalThis.WebSocket = class extends WebSocket {
    constructor(...parameters) {
      super(...parameters)
      socketsOpened++
    }
  }
`

/** The terminal's field shows the focus by the edge of its line. */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return { name: '', isVisible: false }
  const heading = element.matches('.pane-body') ? element.closest('[data-pane]').querySelector('h2') : undefined
  const label = heading ?? element.labels?.[0]?.querySelector('span') ?? element.labels?.[0] ?? element
  const name = element.getAttribute('aria-label') ?? element.dataset.region ?? label.textContent.trim()
  const line = element.closest('.input-line')
  const { left, top, right, bottom } = (line ?? element).getBoundingClientRect()
  const isInside = right > left && bottom > top && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const isMarked = line
    ? getComputedStyle(line).boxShadow !== 'none'
    : element.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  return { name, isVisible: isInside && isMarked }
})()`

// What ends in an ellipsis is whole in what its row opens.
const OUT_OF_REACH = `(() => {
  const controls = [...document.querySelectorAll('button, input, textarea, select, [role=tab], h1, h2, h3, p, code')]
  const outside = controls.filter((element) => {
    if (element.closest('.table-scroll, .tabs, .skip, .visually-hidden, .toast:not(:last-child), .cut') || !element.checkVisibility()) return false
    const { left, right } = element.getBoundingClientRect()
    return left < 0 || right > innerWidth
  })
  const names = outside.map((element) => element.getAttribute('aria-label') ?? element.textContent)
  const isScrolled = document.documentElement.scrollWidth > innerWidth
  return isScrolled ? ['the page itself', ...names] : names
})()`

/** Where a text could become a program. */
const SINKS = [
  "document.createElement('div').innerHTML = '<img src=x onerror=0>'",
  "document.createElement('iframe').srcdoc = '<script></script>'",
  "document.createElement('script').text = '0'",
  "document.createElement('script').src = '/assets/other.js'",
  "new DOMParser().parseFromString('<p>', 'text/html')",
  "new Worker('/sw.js')",
  "navigator.serviceWorker.register('/other.js')",
  "trustedTypes.createPolicy('default', { createHTML: (text) => text })",
]
/** What a page reports of them. */
export const TEXT_REFUSED = /requires 'Trusted|TrustedTypePolicy/

export class ConsolePage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Of all the places where a text could become a program, those that take one. */
  async textsThatRun(): Promise<readonly string[]> {
    const took: string[] = []
    for (const sink of SINKS) {
      const end = `Promise.resolve().then(() => { ${sink.startsWith('navigator') ? 'return ' : ''}${sink} }).then(() => 'done', String)`
      const ended = await this.page.evaluate<string>(end)
      if (!/^(?:TypeError|SecurityError): .*(?:Trusted|policy)/i.test(ended)) took.push(`${sink}: ${ended}`)
    }
    return took
  }

  /** Before the page is loaded, for {@link sockets}. */
  countSockets(): Promise<unknown> {
    return this.page.addInitScript(COUNT_SOCKETS)
  }

  /** The WebSockets that it has opened since it was loaded. */
  sockets(): Promise<number> {
    return this.page.evaluate<number>('socketsOpened')
  }

  /** The page is loaded before its program: resolves once that has taken the place of the page's own words. */
  isStarted(): Promise<void> {
    return this.page.locator('.arriving').waitFor({ state: 'detached' })
  }

  async reload(): Promise<void> {
    await this.page.reload()
    await this.isStarted()
  }

  /** Resolves once the badge says this. */
  async badgeSays(words: string): Promise<void> {
    await this.badge(words).waitFor()
  }

  /** @returns what the badge says from now on, one after the other: what it says for a moment only is seen by no wait */
  async noteBadges(): Promise<() => Promise<readonly string[]>> {
    await this.page.evaluate(NOTE_BADGES)
    return () => this.page.evaluate<readonly string[]>('badges')
  }

  badge(words: string): Locator {
    return this.page.getByRole('button', { name: `Connection: ${words}`, exact: true })
  }

  /** Beside the badge's words, in seconds to the next attempt: `4 s`. */
  async countdown(): Promise<string | undefined> {
    const text = await this.page.getByRole('button', { name: /^Connection: / }).textContent()
    return /\d+ s$/.exec(text ?? '')?.[0]
  }

  /** What the badge has to say to it, opened where it is not. */
  async advice(): Promise<Locator> {
    const advice = this.page.locator('#connection-advice')
    if (!(await advice.isVisible())) await this.page.getByRole('button', { name: /^Connection: / }).click()
    await advice.waitFor()
    return advice
  }

  /** A button of the advice. */
  async follow(button: string): Promise<void> {
    await (await this.advice()).getByRole('button', { name: button, exact: true }).click()
  }

  /** Has it try at once, unless its own next try comes first and takes the button away. */
  async triesNow(): Promise<void> {
    const advice = await this.advice()
    const click = advice.getByRole('button', { name: 'Try now', exact: true }).click()
    // Without the button it has connected, which is what counts.
    click.catch(() => {})
    await this.badgeSays('Connected')
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click()
  }

  /** Holds it until it acts. */
  async hold(button: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: typeof button === 'string' }).hover()
    await this.page.mouse.down()
    await expect.poll(() => this.page.locator('[data-holding=true]').count()).toBe(0)
    await this.page.mouse.up()
  }

  /** By the rail, or the bar at the foot. */
  async goToPage(page: PageName): Promise<void> {
    const links = this.page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${page}(,|$)`) })
    await links.filter({ visible: true }).click()
    await this.page.waitForURL(new RegExp(`/${page.toLowerCase()}([/?]|$)`))
  }

  /** A pane of the page that is shown. */
  pane(name: PaneName | 'Terminal'): Locator {
    return this.page.getByRole('region', { name, exact: true })
  }

  /** Goes to the page that has it. */
  async open(name: PaneName): Promise<Locator> {
    await this.goToPage(PAGE_OF[name])
    const tab = TAB_OF.get(name)
    if (tab !== undefined) await this.page.getByRole('tab', { name: tab }).click()
    const pane = this.pane(name)
    await pane.waitFor()
    return pane
  }

  /** The first 8 characters of the id that this browser goes by, as the operator is shown them. */
  async clientId(): Promise<string> {
    let id: string | null = null
    await expect
      .poll(async () => {
        // A page that is just being left has none that could be read.
        id = await this.page
          .evaluate<string | null>("JSON.parse(localStorage.getItem('hookline.client'))?.[0]")
          .catch(() => null)
        return id
      })
      .not.toBeNull()
    return String(id).slice(0, 8)
  }

  /** A row of the portfolio. */
  position(symbol: string): Locator {
    return this.pane('Portfolio')
      .getByRole('table', { name: 'Open positions' })
      .getByRole('row', { name: new RegExp(`^${symbol} `) })
  }

  /** The resting orders of Trade, which is shown. */
  async openOrders(): Promise<Locator> {
    await this.page.getByRole('tab', { name: /^Orders/ }).click()
    return this.page.getByRole('tabpanel', { name: /^Orders/ })
  }

  /** What the page gets when somebody comes back to its tab and the network returns. */
  async isBackInSight(): Promise<void> {
    await this.page.evaluate(`
      document.dispatchEvent(new Event('visibilitychange'))
      dispatchEvent(new Event('online'))
      dispatchEvent(new Event('focus'))
    `)
  }

  // --- without a mouse ------------------------------------------------------------------------------------------------------------

  /** Presses a key of the page. Resolves once the focus is where it leads. */
  async goTo(key: string, name: string | RegExp): Promise<void> {
    await this.page.keyboard.press(key)
    const expected = typeof name === 'string' ? name : expect.stringMatching(name)
    await expect.poll(() => this.focused()).toMatchObject({ name: expected, isVisible: true })
  }

  /** Presses Tab until the control of this name has the focus. @throws when it is not reached, or the focus cannot be seen on the way */
  async tabTo(name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const stops: FocusStop[] = []
    while (stops.length < MAX_STOPS) {
      await this.page.keyboard.press(key)
      const stop = await this.focused()
      stops.push(stop)
      if (!stop.isVisible) throw new Error(`the focus on ${stop.name} cannot be seen`)
      if (typeof name === 'string' ? stop.name === name : name.test(stop.name)) return
    }
    throw new Error(`Tab does not reach ${name}, but ${stops.map((stop) => stop.name).join(', ')}`)
  }

  /** Presses Tab on a page just loaded until it leaves the page. @returns every stop */
  async tabAround(): Promise<FocusStop[]> {
    const stops: FocusStop[] = []
    for (;;) {
      await this.page.keyboard.press('Tab')
      const stop = await this.focused()
      if (stop.name === '' || (stops.length > 0 && stop.name === stops[0]?.name)) return stops
      stops.push(stop)
      if (stops.length > MAX_STOPS) throw new Error(`Tab is caught: ${stops.map(({ name }) => name).join(', ')}`)
    }
  }

  /** What has the focus; the name is empty where nothing has. */
  focused(): Promise<FocusStop> {
    return this.page.evaluate<FocusStop>(FOCUSED)
  }

  /** What lies to the side of the window, where no scrolling of its own box brings it in. */
  outOfReach(): Promise<string[]> {
    return this.page.evaluate<string[]>(OUT_OF_REACH)
  }

  /** What a custom property of the theme means as a colour, as computed styles say it. */
  colour(property: string): Promise<string> {
    return this.page.evaluate<string>(`(() => {
      const probe = document.body.appendChild(document.createElement('span'))
      probe.style.color = 'var(${property})'
      const { color } = getComputedStyle(probe)
      probe.remove()
      return color
    })()`)
  }

  /** Its text, and what it has stored in the browser. */
  async everythingItKeeps(): Promise<string> {
    const storage = await this.page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
    return (await this.page.content()) + storage
  }

  // --- the terminal ---------------------------------------------------------------------------------------------------------------

  get terminalInput(): Locator {
    return this.page.getByRole('textbox', { name: /^Terminal input/ })
  }

  /** What the terminal shows of its end, a row to a line, without the times. */
  async rows(): Promise<string[]> {
    await this.openTerminal()
    return this.#shownRows()
  }

  async #shownRows(): Promise<string[]> {
    const rows = await this.page.locator('.transcript-row .transcript-line').allTextContents()
    return rows.map((row) => row.trimEnd())
  }

  /** The prompt and what is typed. */
  async typedRow(): Promise<string> {
    const prompt = await this.page.locator('.input-line .input-prompt').textContent()
    return `${prompt}${await this.terminalInput.inputValue()}`.trimEnd()
  }

  /** The colour of the first row that begins so. */
  rowColour(start: string): Promise<string | undefined> {
    return this.page.evaluate<string | undefined>(`(() => {
      const texts = [...document.querySelectorAll('.transcript-row .output-text')]
      const text = texts.find(({ textContent }) => textContent.startsWith(${JSON.stringify(start)}))
      return text && getComputedStyle(text).color
    })()`)
  }

  /** The drawer, where it is not open. */
  async openTerminal(): Promise<void> {
    const field = this.page.getByRole('region', { name: 'Terminal', exact: true })
    if (await field.isVisible()) return
    await this.page
      .getByRole('button', { name: /^(Terminal `|Terminal)$/ })
      .filter({ visible: true })
      .click()
    await field.waitFor()
  }

  /** Types a line and runs it. */
  async run(line: string): Promise<void> {
    await this.type(line)
    await this.page.keyboard.press('Enter')
  }

  async type(text: string): Promise<void> {
    await this.openTerminal()
    await this.terminalInput.focus()
    await this.page.keyboard.type(text)
  }

  /** Resolves once a row of the terminal fits. */
  async prints(pattern: RegExp): Promise<void> {
    await this.openTerminal()
    await expect.poll(() => this.#shownRows()).toEqual(expect.arrayContaining([expect.stringMatching(pattern)]))
  }

  /** From the clipboard. */
  async pasteIntoTerminal(text: string): Promise<void> {
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await this.openTerminal()
    await this.terminalInput.focus()
    await this.page.keyboard.press('Control+v')
  }

  // --- hooks ----------------------------------------------------------------------------------------------------------------------

  async makeHook(name: string, command: string): Promise<void> {
    await this.open('Hooks')
    await this.press('New hook')
    await this.page.getByRole('textbox', { name: 'Name' }).fill(name)
    await this.page.getByRole('textbox', { name: 'Command' }).fill(command)
    await this.press('Create hook')
    await this.page.getByRole('dialog', { name: 'New hook' }).waitFor({ state: 'detached' })
    await this.page.getByRole('button', { name: `Pause hook ${name}`, exact: true }).waitFor()
  }

  /** Its entry in the pane. */
  hook(name: string): Locator {
    return this.pane('Hooks')
      .getByRole('list', { name: 'Hooks' })
      .getByRole('listitem')
      .filter({ has: this.page.getByText(name, { exact: true }) })
  }

  /** All of the one that is open. */
  openHook(): Locator {
    return this.page.getByRole('region', { name: 'Hook', exact: true })
  }
}
