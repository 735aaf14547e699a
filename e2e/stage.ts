// What a test plays on: a config directory of its own, the built hookline in a pseudo-terminal and its web server on their real ports,
// and a real browser. Whatever a page reports as an error fails its test, violations of the content security policy among them.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFailed, onTestFinished, it as vitestIt } from 'vitest'
import { type Lifetime, tempDirectory } from '../harness/files/temp-directory.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { type Answer, isPrompt, openTerminal, post, RunningHookline } from '../harness/process/hookline.ts'
import type { PseudoTerminal, PseudoTerminalOptions } from '../harness/process/pseudo-terminal.ts'
import { defined } from '../src/base/defined.ts'
import { keyTail } from '../src/protocol/proof.ts'
import { openListenerKey } from '../src/stores/identity.ts'
import { type ApprovedPage, approvePage, becomeApproved, standStill } from './approved-page.ts'
import { CONSOLE_URL, ConsolePage, LISTENER_ADDRESS } from './console-page.ts'
import { answer, isAsked } from './operator.ts'

export interface OpenOptions extends BrowserContextOptions {
  /** Errors that the page will report because of what the test does to it. Default: none. */
  readonly expects?: RegExp
  /** Before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Default the console's own address. */
  readonly url?: string
  /** Default true: to be waited for. */
  readonly hasProgram?: boolean
  /** Default the one that all tests of a worker share. */
  readonly browser?: Browser
  /** Who the page is to hookline; default: new to it. */
  readonly approved?: ApprovedPage
}

/** Of a page that a test before may have used; with any other option it is a new one, in a browser profile of its own. */
type OrdinaryOptions = Pick<OpenOptions, 'expects' | 'permissions' | 'viewport'>
const ORDINARY = new Set<string>(['expects', 'permissions', 'viewport'] satisfies (keyof OrdinaryOptions)[])
const VIEWPORT = { width: 1280, height: 720 }

/** hookline refused, or did not answer. */
export const NO_HOOKLINE = new RegExp(`^(?!.*Content Security Policy).*${LISTENER_ADDRESS}`, 's')

/** Neither hookline nor its web server. */
export const NO_SERVERS = /^(?!.*Content Security Policy).*127\.0\.0\.1:532(?:19|20)/s

const NO_WORKER = 'delete Navigator.prototype.serviceWorker'
const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Ends with the worker: Playwright closes what it has launched. */
let sharedBrowser: Promise<Browser> | undefined

/** The page that tests of a worker have one after another: the browser keeps what it compiled for it. */
interface OrdinaryPage {
  readonly console: ConsolePage
  /** Hears of its errors. */
  owner: ((report: string) => void) | undefined
}

let ordinaryPage: OrdinaryPage | undefined

async function openOrdinaryPage(browser: Browser): Promise<OrdinaryPage> {
  const context = await browser.newContext()
  await context.addInitScript(NO_WORKER)
  const page = await context.newPage()
  const console = new ConsolePage(page)
  await console.countSockets()
  const opened: OrdinaryPage = { console, owner: undefined }
  reportErrors(page, (report) => opened.owner?.(report))
  return opened
}

async function endOrdinaryPage(): Promise<void> {
  const context = ordinaryPage?.console.page.context()
  ordinaryPage = undefined
  await context?.close()
}

function reportErrors(page: Page, take: (report: string) => void): void {
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('pageerror', (error) => take(`page error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') take(`${message.text()} (${message.location().url})`)
  })
}

/** What a person saw as the test failed. */
function showIfFailed(what: string, look: () => Promise<string>): void {
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail')
      process.stderr.write(`${task.name}: ${what} shows:\n${await look().catch(String)}\n`)
  })
}

/** @param args in addition @param form `whole`: with the permissions that the browser itself asks its user for */
export async function launchBrowser(args: readonly string[] = [], form: 'shell' | 'whole' = 'shell'): Promise<Browser> {
  const found = inject(form === 'whole' ? 'chromium' : 'headlessShell')
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch({ executablePath: found.path, args: [...BROWSER_ARGS, ...args] })
}

export class Stage {
  readonly directory: string
  readonly #browser: Browser
  readonly #lifetime: Lifetime
  #web: RunningHookline | undefined
  /** Whether the test, or a page before, has seen to who serves the console. */
  #isServed = false
  #hasHookline = false
  #paired: { readonly hookline: PseudoTerminal; readonly approved: ApprovedPage } | undefined
  /** What pages reported as errors. */
  readonly faults: string[] = []
  /** And what they were expected to. */
  readonly expectedFaults: string[] = []

  /** Nothing runs yet. @param lifetime default: of the test */
  static async open(lifetime: Lifetime = onTestFinished): Promise<Stage> {
    sharedBrowser ??= launchBrowser()
    return new Stage(await sharedBrowser, lifetime)
  }

  private constructor(browser: Browser, lifetime: Lifetime) {
    this.#browser = browser
    this.#lifetime = lifetime
    this.directory = tempDirectory(lifetime)
  }

  /** hookline with somebody at its prompt, once it listens. It serves the console where no web server does. @param directory another installation's */
  async startHookline(
    directory = this.directory,
    options: Partial<PseudoTerminalOptions> = {},
  ): Promise<PseudoTerminal> {
    const hookline = await openTerminal(directory, { columns: 120, rows: 40, ...options }, this.#lifetime)
    this.#hasHookline = true
    showIfFailed('the terminal', async () => hookline.lines().join('\n'))
    return hookline
  }

  /** Resolves once the console is served: by hookline, or by `hookline web` where nothing runs yet. */
  async #isServing(): Promise<void> {
    if (this.#isServed) return
    if (!this.#hasHookline) return this.startWeb()
    await expect
      .poll(() =>
        fetch(CONSOLE_URL).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
    this.#isServed = true
  }

  /** The console in a browser profile of its own. */
  async openConsole({ browser = this.#browser, ...options }: OpenOptions = {}): Promise<ConsolePage> {
    if (options.url === undefined) await this.#isServing()
    const context = await browser.newContext(options)
    // Most facts hold in a browser without workers, which keeps no copy; those about the copy ask for them.
    if (options.serviceWorkers !== 'allow') await context.addInitScript(NO_WORKER)
    onTestFinished(() => context.close())
    return this.openTab(context, options)
  }

  /** As a new profile would have it. */
  async #openOrdinary(
    { expects, permissions = [], viewport }: OrdinaryOptions,
    approved: ApprovedPage,
  ): Promise<ConsolePage> {
    ordinaryPage ??= await openOrdinaryPage(this.#browser)
    const lent = ordinaryPage
    const { page } = lent.console
    lent.owner = (report) => this.#note(report, expects)
    showIfFailed('the page', () => page.locator('body').innerText())
    // What a test that fails has left of it is not known.
    onTestFailed(endOrdinaryPage)
    onTestFinished(async () => {
      if (page.isClosed()) return endOrdinaryPage()
      for (const tab of page.context().pages()) if (tab !== page) await tab.close()
      await page.context().clearPermissions()
      await page.emulateMedia({ colorScheme: null, contrast: null, forcedColors: null, reducedMotion: null })
      await page.unrouteAll()
      await page.mouse.move(0, 0)
      await standStill(page)
      lent.owner = undefined
    })
    await becomeApproved(page, approved)
    if (permissions.length > 0) await page.context().grantPermissions([...permissions])
    await page.setViewportSize(viewport ?? VIEWPORT)
    await this.#isServing()
    await page.goto(CONSOLE_URL)
    await lent.console.isStarted()
    return lent.console
  }

  /** One more tab of a browser profile. */
  async openTab(
    context: BrowserContext,
    { expects, prepare, url = CONSOLE_URL, hasProgram = true, approved }: OpenOptions = {},
  ): Promise<ConsolePage> {
    const page = await context.newPage()
    if (approved) await becomeApproved(page, approved)
    const tab = this.watch(page, expects)
    showIfFailed('the page', () => page.locator('body').innerText())
    await tab.countSockets()
    await prepare?.(page)
    await page.goto(url)
    if (hasProgram) await tab.isStarted()
    return tab
  }

  /** Notes what the page reports as errors. */
  watch(page: Page, expects?: RegExp): ConsolePage {
    reportErrors(page, (report) => this.#note(report, expects))
    return new ConsolePage(page)
  }

  #note(report: string, expects?: RegExp): void {
    const faults = expects?.test(report) ? this.expectedFaults : this.faults
    faults.push(report)
  }

  /** hookline, which runs on where it does, and a page that its operator approved before. */
  async openPaired(options: OpenOptions = {}): Promise<{ hookline: PseudoTerminal; console: ConsolePage }> {
    this.#paired ??= { approved: await approvePage(this.directory), hookline: await this.startHookline() }
    const { hookline, approved } = this.#paired
    const isOrdinary = ordinaryPage?.owner === undefined && Object.keys(options).every((name) => ORDINARY.has(name))
    const console = await (isOrdinary
      ? this.#openOrdinary(options, approved)
      : this.openConsole({ ...options, approved }))
    await console.badgeSays('Connected')
    return { hookline, console }
  }

  /** The same by a question at hookline's terminal. The page comes first: it would connect unasked to a hookline that has checked in. */
  async openAndPair(options: OpenOptions = {}): Promise<{ hookline: PseudoTerminal; console: ConsolePage }> {
    const console = await this.openConsole(options)
    const hookline = await this.startHookline()
    await this.pair(console, hookline)
    return { hookline, console }
  }

  /** As on the first day, but for what is only ever added to: runs, fills, notices, the audit trail. */
  async clear(): Promise<void> {
    this.faults.length = 0
    this.expectedFaults.length = 0
    if (!this.#paired) return
    const { hookline } = this.#paired
    const steps = [
      'account reset paper --yes',
      ...(this.storedHooks().length > 0 ? ['hook revoke --all --yes'] : []),
      'echo as new',
    ]
    hookline.send(`${steps.join('; ')}\r`)
    await hookline.until((screen) => screen.lines().includes('as new') && isPrompt(screen.typed()))
    hookline.forget()
  }

  /** From a page that is not connected to one that has been let in. */
  async pair(console: ConsolePage, hookline: PseudoTerminal): Promise<void> {
    await console.follow('Connect')
    await isAsked(hookline, console)
    await answer(hookline, 'y')
    await console.badgeSays('Connected')
  }

  readJson<T>(name: string): T {
    return JSON.parse(readFileSync(join(this.directory, name), 'utf8'))
  }

  /** @returns undefined: there is no such file */
  readJsonIfAny<T>(name: string): T | undefined {
    return existsSync(join(this.directory, name)) ? this.readJson<T>(name) : undefined
  }

  /** @param directory another installation's */
  listenerId(directory = this.directory): string {
    return JSON.parse(readFileSync(join(directory, 'listener.json'), 'utf8')).listenerId
  }

  /** As people are shown its key. @param directory another installation's */
  keyTail(directory = this.directory): string {
    return keyTail(openListenerKey(directory).publicKey() ?? '')
  }

  storedHooks(): readonly StoredHook[] {
    return this.readJsonIfAny<{ hooks: StoredHook[] }>('hooks.json')?.hooks ?? []
  }

  /** @throws where there is none of this name */
  storedHook(name: string): StoredHook {
    const hook = this.storedHooks().find((each) => each.name === name)
    if (!hook) throw new Error(`there is no hook ${name}`)
    return hook
  }

  /** A POST from outside, with the hook's token. */
  fire(name: string): Promise<Answer> {
    const { id, secret } = this.storedHook(name)
    return post(`http://${LISTENER_ADDRESS}/hook/${id}`, secret)
  }

  /** As editors save: whole, or not at all. */
  writeJson(name: string, content: unknown): void {
    const path = join(this.directory, name)
    writeFileSync(`${path}.edited`, JSON.stringify(content, null, 2))
    renameSync(`${path}.edited`, path)
  }

  /** Sets these in config.json and leaves the rest. */
  setFlags(flags: Readonly<Record<string, unknown>>): void {
    const config = this.readJsonIfAny<{ listener?: object }>('config.json')
    this.writeJson('config.json', { ...config, listener: { ...config?.listener, ...flags } })
  }

  /** The web server is gone, where there was one. */
  async stopWeb(): Promise<void> {
    this.#isServed = true
    this.#web?.signal('SIGTERM')
    await this.#web?.ended()
  }

  /** `hookline web`, which goes on after hookline's end. @param binary of another build */
  async startWeb(binary?: string): Promise<void> {
    this.#isServed = true
    this.#web = new RunningHookline(this.directory, ['web'], { lifetime: this.#lifetime, ...defined({ binary }) })
    await this.#web.prints('console on')
  }
}

/** As it is stored, with what the page never learns. */
export interface StoredHook {
  readonly id: string
  readonly name: string
  readonly secret: string
}

/** The stage that tests of a file have one after another; a new one after a test that failed. */
class Desk {
  #stage: Stage | undefined
  #ends: (() => Promise<void>)[] = []

  async cleared(): Promise<Stage> {
    await this.#stage?.clear()
    this.#stage ??= await Stage.open((end) => this.#ends.push(end))
    return this.#stage
  }

  async end(): Promise<void> {
    this.#stage = undefined
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}

export const it = vitestIt.extend<{
  $test: {
    /** The test's own, from the first start on: nothing runs yet. */
    stage: Stage
    /** As `stage`, with a hookline and its server that tests before may have used: see {@link Stage.clear}. */
    desk: Stage
  }
  $file: { deskOfFile: Desk }
}>({
  stage: async ({ skip, deskOfFile }, use) => {
    const found = inject('chromium')
    if ('missing' in found) skip(found.missing)
    // It has the ports.
    await deskOfFile.end()
    const stage = await Stage.open()
    await use(stage)
    expect(stage.faults).toEqual([])
  },
  desk: async ({ skip, deskOfFile }, use) => {
    const found = inject('chromium')
    if ('missing' in found) skip(found.missing)
    onTestFailed(() => deskOfFile.end())
    const stage = await deskOfFile.cleared()
    await use(stage)
    expect(stage.faults).toEqual([])
  },
  deskOfFile: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture needs.
    async ({}, use) => {
      const desk = new Desk()
      await use(desk)
      await desk.end()
    },
    { scope: 'file' },
  ],
})
