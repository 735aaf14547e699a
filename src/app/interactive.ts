// `hookline`: the REPL with its listener, on a terminal or fed by a pipe.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { defined } from '../base/defined.ts'
import { lookup } from '../commands/catalogue.ts'
import { guardWords } from '../commands/kit/lines.ts'
import type { BarePosition, Terminal } from '../commands/kit/ports.ts'
import type { VenueView } from '../exchange/exchange.ts'
import type { Market } from '../exchange/market.ts'
import { hideTokens } from '../language/printable.ts'
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import { ApprovalPrompt } from '../repl/approval-prompt.ts'
import { mayAsk } from '../repl/asking.ts'
import { EditPrompt } from '../repl/edit-prompt.ts'
import { ordersTwice, overQuestion, urgencyOf } from '../repl/immediate.ts'
import type { PromptState } from '../repl/prompt.ts'
import { type ReplPorts, startRepl } from '../repl/repl.ts'
import { pinnedAccounts } from './accounts.ts'
import { afterStart } from './after-start.ts'
import { App } from './app.ts'
import type { Notice } from './app-events.ts'
import { CONSOLE_IN_MS } from './console-server.ts'
import { completionNames } from './desk-sources.ts'
import { noticesTo, startNotices } from './notices.ts'
import { describeBare, describeBareAtStart, describePaperRests } from './paper-rests.ts'
import { EXIT_CODE, onStopSignal, VERSION } from './this-process.ts'

export interface InteractiveOptions {
  /** Fed by a pipe: stop at the first line that fails, and exit with 1 (behaviour 35). */
  readonly strict: boolean
  /** Print data instead of text. */
  readonly json: boolean
}

/** Most pipes have been read to their end by then. */
const PIPE_ENDS_MS = 500

export async function startInteractive({ strict, json }: InteractiveOptions): Promise<void> {
  const early: Notice[] = []
  let notify = (notice: Notice): void => void early.push(notice)
  let terminal: Terminal | undefined
  const notices = noticesTo((notice) => notify(notice))
  const app: App = new App({
    env: process.env,
    listen: 'attended',
    terminal: () => terminal,
    // A few commands from a pipe have nothing to do with the console.
    ...(process.stdin.isTTY ? { consoleInMs: CONSOLE_IN_MS } : {}),
    events: {
      ...notices,
      ...(process.stdin.isTTY ? { console: (notice: Notice) => notify(notice) } : {}),
      proposal: (notice) => notify(notice),
      listener: (event) => reportWhereRelevant(event, app, notices.listener),
      question: (question, waiting, ended) => approvalPrompt.show(question, waiting, ended),
      editQuestion: (question, waiting, ended) => editPrompt.show(question, waiting, ended),
    },
  })
  const approvalPrompt = new ApprovalPrompt({
    print: (kind, text) => notify({ kind, text }),
    answer: (decision, may) => app.answer(decision, may),
  })
  const editPrompt = new EditPrompt({
    print: (kind, text) => notify({ kind, text }),
    answer: (decision) => app.answerEdit(decision),
  })
  const identity = await app.start()
  const price = process.stdin.isTTY ? followPrice(app) : undefined
  const throughShell = process.stdin.isTTY ? {} : ({ isFromShell: true } as const)
  const repl = startRepl({
    input: process.stdin,
    output: process.stdout,
    env: process.env,
    json,
    historyFile: join(app.directory, 'history'),
    hideSecrets: (line) => hideTokens(line, app.ports.hooks.isSecret),
    addSink: (sink) => app.runner.addSink(sink),
    run: (command, onWait, account) => {
      const request = { runId: randomUUID(), source: 'repl', command, ...throughShell } as const
      return app.runner.run({ ...request, ...defined({ onWait, account }) })
    },
    answer: (line) => approvalPrompt.take(line) || editPrompt.take(line),
    ...lineQuestions(app),
    strict,
    interrupt: () => void app.runner.interrupt(({ source }) => source === 'repl'),
    completion: completionNames(app),
    promptState: () => promptState(app, price),
  })
  const shown = new Set<string>()
  const bare = async (): Promise<readonly BarePosition[]> => {
    const found = await describeBare(app, accountsInUse(app))
    for (const { line } of found) shown.add(line)
    return found
  }
  terminal = process.stdin.isTTY ? { ...repl.terminal, bare } : repl.terminal
  notify = ({ kind, text }) => repl.print(kind, text)
  for (const notice of [...greeting(), ...early, ...startNotices(app)]) notify(notice)
  const stopWaiting = afterStart(app, identity?.listenerId, notify)
  if (process.stdin.isTTY) {
    const names = [app.ports.focus.account(), ...pinnedAccounts(app.ports.hooks)]
    void describeBareAtStart(app, names).then((found) => {
      for (const { line } of found) notify({ kind: 'warn', text: line })
    })
  }
  let isStopped = false
  onStopSignal(() => {
    isStopped = true
    repl.stop()
  })
  // The terminal is gone. Later signals change nothing.
  process.on('SIGHUP', () => repl.stop())
  const { failedLines, reason } = await repl.closed
  price?.stop()
  stopWaiting()
  await warnOfRemaining(app, notify, shown)
  await app.stop(LISTENER_LIMITS.drainMs)
  // Runs that were given time have printed to their last line.
  await repl.finish()
  // `process.exit` sets the terminal back, and aborts where that has gone.
  if (process.stdin.isTTY && !isatty(0)) endByHangUp()
  // A supervisor that ends a pipe asks nothing about its lines.
  const isJudged = strict || (!process.stdin.isTTY && !isStopped)
  process.exit(reason === 'failed' || (isJudged && failedLines > 0) ? EXIT_CODE.failed : EXIT_CODE.ok)
}

function endByHangUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/** What the terminal asks about a line before it runs, or when it has failed. */
function lineQuestions(app: App): Pick<ReplPorts, 'urgencyOf' | 'overQuestion' | 'ordersTwice' | 'asks'> {
  const known = { lookup, aliases: () => app.ports.aliases.read() }
  return {
    urgencyOf: (line) => urgencyOf(line, known),
    overQuestion: (line) => overQuestion(line, known),
    ordersTwice: (line) => ordersTwice(line, known),
    asks: (line) => mayAsk(line, known),
  }
}

function greeting(): readonly Notice[] {
  if (!process.stdin.isTTY) return []
  return [
    { kind: 'info', text: `hookline ${VERSION}; type help for commands, exit to quit` },
    { kind: 'info', text: 'try `buy $1000 stop -2% --dry`; `help console` has the address of the console' },
  ]
}

function promptState({ ports }: App, price: LivePrice | undefined): PromptState {
  const { focus } = ports
  const words = guardWords(ports, focus.account())
  const last = price?.last()
  const isStale = price?.isStale() ?? false
  return {
    account: focus.account(),
    symbol: focus.symbol(),
    words,
    isStale,
    ...defined({ last, market: price?.market() }),
  }
}

/** @param shown lines of positions that `exit` has shown */
async function warnOfRemaining(app: App, notify: (notice: Notice) => void, shown: ReadonlySet<string>): Promise<void> {
  const { running } = app.runner.counts()
  if (running > 0) {
    notify({
      kind: 'info',
      text: `waiting up to ${LISTENER_LIMITS.drainMs / 1_000} s for ${running === 1 ? '1 run' : `${running} runs`} to end`,
    })
  }
  if (app.engine.isRunning()) {
    notify({ kind: 'warn', text: 'the cross-trade engine ends with this process: nothing more is copied' })
  }
  // Only accounts that the pipe has used are connected.
  if (!process.stdin.isTTY) {
    for (const { line } of await describeBare(app, app.connected())) process.stderr.write(`${line}\n`)
    return
  }
  const rests = await describePaperRests(app, app.ports.focus.account())
  if (rests !== undefined) notify({ kind: 'info', text: rests })
  for (const { line } of await describeBare(app, accountsInUse(app))) {
    if (!shown.has(line)) notify({ kind: 'warn', text: line })
  }
}

function accountsInUse(app: App): readonly string[] {
  return [app.ports.focus.account(), ...app.connected()]
}

/**
 * A few commands from a pipe have nothing to do with the port, so that another process holds it is told to a pipe only while it stays open:
 * then hooks may be expected to arrive here.
 */
function reportWhereRelevant(event: ListenerEvent, app: App, report: (event: ListenerEvent) => void): void {
  if (process.stdin.isTTY || event.type !== 'port-taken') return report(event)
  const reportLater = () => {
    if (!process.stdin.readableEnded && app.ports.listenerStatus().state === 'port-taken') report(event)
  }
  setTimeout(reportLater, PIPE_ENDS_MS).unref()
}

// The focused symbol's last price for the prompt, and whether it is current: heard from the venue, never waited for.

/** How often the focus is looked at, and a venue that failed is tried again. */
const LOOK_MS = 1_000

export interface LivePrice {
  /** undefined until one is known. */
  last(): string | undefined
  /** As `last`. */
  market(): Market | undefined
  /** Whether the account in focus has heard nothing of its venue for too long. */
  isStale(): boolean
  stop(): void
}

interface Followed {
  readonly key: string
  readonly venue: Pick<VenueView, 'stream'>
  readonly market: Market | undefined
  last: string | undefined
  readonly end: () => void
}

type FollowedVenue = Pick<VenueView, 'stream' | 'subscribe' | 'watchTicker' | 'loadMarkets'>

export function followPrice(app: {
  readonly ports: { readonly focus: Pick<App['ports']['focus'], 'account' | 'symbol'> }
  connect(account: string): Promise<{ readonly venue: FollowedVenue }>
}): LivePrice {
  let followed: Followed | undefined
  let isLooking = false
  let isStopped = false
  const focus = () => {
    const [account, symbol] = [app.ports.focus.account(), app.ports.focus.symbol()]
    return { account, symbol, key: `${account}/${symbol}` }
  }
  const leave = () => {
    followed?.end()
    followed = undefined
  }
  const look = async () => {
    if (isLooking) return
    isLooking = true
    const { account, symbol, key } = focus()
    try {
      const { venue } = await app.connect(account)
      if (followed?.venue !== venue || followed.key !== key) {
        leave()
        const market = (await venue.loadMarkets()).find((each) => each.symbol === symbol)
        if (!isStopped) followed = follow(venue, { symbol, key, market })
      }
    } catch {
      // The prompt goes without a price; commands that need one say why there is none.
      leave()
    }
    isLooking = false
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  void look()
  const inFocus = () => (followed?.key === focus().key ? followed : undefined)
  return {
    last: () => inFocus()?.last,
    market: () => inFocus()?.market,
    isStale: () => inFocus()?.venue.stream === 'stale',
    stop() {
      isStopped = true
      clearInterval(timer)
      leave()
    },
  }
}

/** @throws {ExchangeError} `bad-symbol` */
function follow(
  venue: FollowedVenue,
  { symbol, key, market }: Pick<Followed, 'key' | 'market'> & { readonly symbol: string },
): Followed {
  const unsubscribe = venue.subscribe((event) => {
    if (event.type === 'ticker' && event.ticker.symbol === symbol) followed.last = event.ticker.last
  })
  const followed: Followed = { key, venue, market, last: undefined, end: unsubscribe }
  try {
    const unwatch = venue.watchTicker(symbol)
    return Object.assign(followed, {
      end() {
        unwatch()
        unsubscribe()
      },
    })
  } catch (error) {
    unsubscribe()
    throw error
  }
}
