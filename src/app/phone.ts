// The operator's phone (behaviour 147): a few words written to the Telegram bot look, and what takes risk away asks for one press of a button that
// works once. It never adds to a position, resumes, widens or unlocks: there is no word for that, and every line is made here.
import { randomBytes, randomUUID } from 'node:crypto'
import { type StartTimer, startUnheldTimer } from '../base/concurrency.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts, ProposalPort } from '../commands/kit/ports.ts'
import { describeProposal } from '../commands/listener/proposals.ts'
import { printText } from '../language/print.ts'
import { printable } from '../language/printable.ts'
import {
  type ChatEvent,
  MAX_AGE_MS,
  MAX_LENGTH,
  NUMBERED_ANEW_MS,
  type TelegramChat,
} from '../notices/telegram-chat.ts'
import { isOpen } from '../protocol/rows.ts'
import type { OutputKind, RunRequest, RunResult, RunSink } from '../runs/run.ts'
import type { ConfigStore } from '../stores/config.ts'
import { type ChannelSettings, type ChatUpdateStore, listensIn } from '../stores/notices.ts'
import { digestOf, type Proposal } from '../stores/proposals.ts'

/** How long a button works. */
export const BUTTON_MS = 60_000
const MAX_BUTTONS = 100
/** Lines that run at the same time: `panic` never waits behind a slow venue for more than its turn. */
const MAX_RUNNING = 4
/** Words and presses in a minute; more are of a loop. */
const MAX_A_MINUTE = 30
const MINUTE_MS = 60_000
const MAX_LINES = 60

export interface PhoneOptions {
  readonly chat: Pick<TelegramChat, 'send' | 'answerPress' | 'removeButtons'>
  readonly run: (request: RunRequest) => Promise<RunResult>
  /** @returns stops the sink */
  readonly addSink: (sink: RunSink) => () => void
  /** The account in focus. */
  readonly focus: () => string
  readonly isAccount: (name: string) => boolean
  /** Takes out what no chat may have. */
  readonly hide: (text: string) => string
  /** ms since the epoch. */
  readonly now: () => number
  /** Default: 128 bits in base64url. */
  readonly newButton?: () => string
  readonly startTimer?: StartTimer
  readonly marketsOf: CommandPorts['marketsOf']
  /** Lines that clients propose (behaviour 146). */
  readonly proposals: Pick<ProposalPort, 'follow' | 'list' | 'approve' | 'deny'>
  /** Never rejects. */
  readonly audit: (what: string, details: Readonly<Record<string, unknown>>) => Promise<void>
  /** An answer could not be sent. */
  readonly onProblem: (error: unknown) => void
}

/** A button, and what its press does. */
interface Choice {
  readonly label: string
  /** Shown at once to the person who pressed. */
  readonly answer: string
  readonly act: () => Promise<void>
}

/** A choice that waits for its press; the others of its message go with it. */
interface Offer extends Choice {
  readonly message: object
  readonly until: number
}

export type Asked =
  | { readonly type: 'help' }
  | { readonly type: 'proposals' }
  | { readonly type: 'look'; readonly line: string; readonly account?: string }
  | {
      readonly type: 'act'
      readonly line: string
      readonly account?: string
      /** On the button. */
      readonly label: string
      /** Of a stop, which is offered though nothing can be looked up. */
      readonly does?: string
    }
  | { readonly type: 'unclear'; readonly why: string }

const LOOKS: Readonly<Record<string, string>> = {
  status: 'status',
  positions: 'positions',
  orders: 'orders',
  pnl: 'pnl',
  balance: 'balance',
  runs: 'runs 10',
}

const HELP = [
  'status, positions, orders, balance, pnl, runs',
  'close BTCUSDT, close BTCUSDT 50%, close all',
  'cancel p17, cancel BTCUSDT, cancel all',
  'halt, panic',
  'proposals: shows again what waits for your yes or no',
  '`on swing` after it names an account. Commands that change something need the press of a button first.',
  'Buying, resuming and settings work only in the terminal.',
].join('\n')

/** Reads what was written to the bot. The text itself is never run. */
export function readAsked(text: string): Asked {
  const words = text.trim().replace(/^\//, '').split(/\s+/)
  const verb = (words.shift() ?? '').toLowerCase().replace(/@.*$/, '')
  const on = words.findIndex((word) => word.toLowerCase() === 'on')
  const [named, ...rest] = on === -1 ? [] : words.splice(on).slice(1)
  if (on !== -1 && (named === undefined || rest.length > 0)) return unclear('`on` takes the name of one account')
  const account = named === undefined ? {} : { account: named }
  const look = Object.hasOwn(LOOKS, verb) ? LOOKS[verb] : undefined
  if (look !== undefined) return readLook(look, words, account)
  if (verb === 'close') return readClose(words, account)
  if (verb === 'cancel') return readCancel(words, account)
  if (verb === 'halt' || verb === 'panic') return readStop(verb, words, named)
  if (verb === 'proposals' && words.length === 0 && named === undefined) return { type: 'proposals' }
  if (['help', 'start', '?', ''].includes(verb)) return { type: 'help' }
  return unclear(`\`${printable(verb, 40)}\` is not available on the phone`)
}

function readLook(line: string, words: readonly string[], account: { readonly account?: string }): Asked {
  const [only, ...others] = words
  const isWide = only !== undefined && /^(?:--)?wide$/i.test(only)
  if (others.length > 0 || (only !== undefined && !isWide)) {
    return unclear(`\`${line}\` takes only \`--wide\`, and \`on\` with an account`)
  }
  return { type: 'look', line: isWide ? `${line} --wide` : line, ...account }
}

function readClose(words: readonly string[], account: { readonly account?: string }): Asked {
  const [what, size, more] = words
  if (what === undefined) return unclear('name what to close: `close BTCUSDT`, or `close all`')
  const target = targetOf(what)
  if (more !== undefined || target === undefined || (size !== undefined && !isPart(size))) {
    return unclear('type `close BTCUSDT`, `close BTCUSDT 50%` or `close all`')
  }
  const line = size === undefined ? `close ${target}` : `close ${target} ${size}`
  return { type: 'act', line, label: `Close ${what.toUpperCase()}${size === undefined ? '' : ` ${size}`}`, ...account }
}

function readCancel(words: readonly string[], account: { readonly account?: string }): Asked {
  const [what, more] = words
  const target = what === undefined ? undefined : targetOf(what)
  if (what === undefined || target === undefined || more !== undefined) {
    return unclear('type `cancel p17` with the id of an order, `cancel BTCUSDT` or `cancel all`')
  }
  return { type: 'act', line: `cancel ${target}`, label: `Cancel ${what}`, ...account }
}

function readStop(verb: 'halt' | 'panic', words: readonly string[], account: string | undefined): Asked {
  if (words.length > 0 || (verb === 'panic' && account !== undefined)) {
    return unclear(verb === 'halt' ? 'type `halt`, or `halt on swing`' : 'type only `panic`')
  }
  if (verb === 'panic') {
    return {
      type: 'act',
      line: 'panic',
      label: 'Panic',
      does: 'panic stops hooks, pages and tasks that add, on every account',
    }
  }
  const named = account === undefined ? undefined : printText(account)
  if (account !== undefined && named === undefined) return unclear('that is not the name of an account')
  const who = account === undefined ? 'every account' : `account ${printable(account, 40)}`
  return {
    type: 'act',
    line: named === undefined ? 'halt' : `halt ${named}`,
    label: 'Halt',
    does: `only cancels, closes and reduce-only orders of ${who} are sent from then on`,
    ...(account === undefined ? {} : { account }),
  }
}

/** `all`, a symbol or an id, as one plain argument. */
function targetOf(text: string): string | undefined {
  if (text.toLowerCase() === 'all') return 'all'
  return /^[A-Za-z0-9][A-Za-z0-9/:_.-]{0,63}$/.test(text) ? printText(text) : undefined
}

/** `50%`: more than all, or nothing, is none. */
function isPart(size: string): boolean {
  if (!/^\d{1,3}(?:\.\d{1,4})?%$/.test(size)) return false
  const percent = Number(size.slice(0, -1))
  return percent > 0 && percent <= 100
}

function unclear(why: string): Asked {
  return { type: 'unclear', why }
}

export class Phone {
  readonly #options: PhoneOptions
  readonly #offers = new Map<string, Offer>()
  readonly #newButton: () => string
  readonly #startTimer: StartTimer
  #running = 0
  #isEnded = false
  #taken: number[] = []
  readonly #timers = new Set<() => void>()
  /** By id: how it was shown last, and what takes its buttons away. */
  readonly #shown = new Map<string, { readonly digest: string; readonly close: () => void }>()
  readonly #stopProposals: () => void

  constructor(options: PhoneOptions) {
    this.#options = options
    this.#newButton = options.newButton ?? (() => randomBytes(16).toString('base64url'))
    this.#startTimer = options.startTimer ?? startUnheldTimer
    this.#stopProposals = options.proposals.follow(({ proposals }) => this.#showProposals(proposals))
  }

  /** Never throws, never rejects. */
  take(event: ChatEvent): void {
    if (this.#isEnded || !this.#admits()) return
    const work =
      event.type === 'press'
        ? this.#press(event)
        : event.type === 'late'
          ? this.#late(event.ageMs)
          : this.#words(event.text)
    work.catch((error: unknown) => this.#options.onProblem(error))
  }

  /** What still waits for a press never runs. */
  end(): void {
    this.#isEnded = true
    this.#stopProposals()
    this.#offers.clear()
    for (const stop of this.#timers) stop()
  }

  #admits(): boolean {
    const now = this.#options.now()
    this.#taken = this.#taken.filter((at) => at > now - MINUTE_MS && at <= now)
    if (this.#taken.length >= MAX_A_MINUTE) return false
    this.#taken.push(now)
    return true
  }

  async #late(ageMs: number): Promise<void> {
    const age = `${Math.round(Math.abs(ageMs) / 1_000)} s ${ageMs < 0 ? 'ahead of the clock of hookline' : 'old'}`
    await this.#reply(
      `nothing was done: the message is ${age}, and ${MAX_AGE_MS / 1_000} s is the limit. Send it again.`,
    )
  }

  async #words(text: string): Promise<void> {
    const asked = readAsked(text)
    if (asked.type === 'help') return this.#reply(HELP)
    if (asked.type === 'proposals') return this.#showAgain()
    if (asked.type === 'unclear') return this.#reply(`${asked.why}. \`help\` lists the commands.`)
    const { focus, isAccount } = this.#options
    const { account = focus() } = asked
    if (!isAccount(account))
      return this.#reply(`no account ${printable(account, 40)} found. \`status\` names the one in use.`)
    if (this.#running >= MAX_RUNNING && !(asked.type === 'act' && asked.does !== undefined)) {
      return this.#reply('earlier lines still run: nothing was done. Send it again in a moment.')
    }
    if (asked.type === 'look') {
      const { text: output } = await this.#execute(asked.line, account)
      return this.#reply(`account ${account}\n${output}`, true)
    }
    await this.#offer(asked, account)
  }

  async #offer({ line, label, does }: Extract<Asked, { type: 'act' }>, account: string): Promise<void> {
    let shows = does
    if (shows === undefined) {
      const dry = await this.#execute(`${line} --dry`, account, (kind) => kind !== 'print')
      if (!dry.success) return this.#reply(`\`${line}\` on account ${account} would fail:\n${dry.text}`)
      if (!dry.wouldAct) return this.#reply(`\`${line}\` on account ${account} would change nothing:\n${dry.text}`)
      shows = dry.text
    }
    const act = async () => {
      const { success, text } = await this.#execute(line, account)
      await this.#reply(`${success ? '' : 'failed: '}\`${line}\` on account ${account}\n${text}`)
    }
    const text = `\`${line}\` on account ${account}\n${shows}\nThe button works once, for ${BUTTON_MS / 1_000} s.`
    this.#present(text, [{ label, answer: `${line}: sent to hookline`, act }], this.#options.now() + BUTTON_MS)
  }

  /** @param until ms since the epoch @returns takes the buttons away */
  #present(text: string, choices: readonly Choice[], until: number, isTable = false): () => void {
    const { chat, now, onProblem } = this.#options
    if (this.#isEnded) return () => {}
    const message = {}
    const buttons = choices.map((choice) => {
      const data = this.#newButton()
      this.#offers.set(data, { ...choice, message, until })
      return { text: choice.label, data }
    })
    for (const oldest of this.#offers.keys()) {
      if (this.#offers.size <= MAX_BUTTONS) break
      this.#offers.delete(oldest)
    }
    const sent = chat.send(this.#options.hide(text), { buttons, isTable })
    sent.catch(onProblem)
    const close = (): void => {
      this.#timers.delete(stopTimer)
      stopTimer()
      if (!this.#takeBack(message)) return
      sent.then((id) => chat.removeButtons(id)).catch(onProblem)
    }
    const stopTimer = this.#startTimer(Math.max(0, until - now()), close)
    this.#timers.add(stopTimer)
    return close
  }

  /** @returns whether a button of it still worked */
  #takeBack(message: object): boolean {
    let did = false
    for (const [data, offer] of this.#offers) {
      if (offer.message === message) did = this.#offers.delete(data) || did
    }
    return did
  }

  async #press({ data, callback, message }: Extract<ChatEvent, { type: 'press' }>): Promise<void> {
    const { chat, now, onProblem } = this.#options
    const offer = this.#offers.get(data)
    // Before anything is awaited: a second press finds nothing.
    if (offer !== undefined) this.#takeBack(offer.message)
    if (offer === undefined || now() >= offer.until) {
      await chat.answerPress(callback, 'This button has been used, or is too old. Nothing was done.')
      return
    }
    // A chat that does not answer holds up nothing.
    chat.answerPress(callback, offer.answer).catch(onProblem)
    chat.removeButtons(message).catch(onProblem)
    await offer.act()
  }

  async #showAgain(): Promise<void> {
    for (const { close } of this.#shown.values()) close()
    this.#shown.clear()
    const all = await this.#options.proposals.list()
    if (!all.some(isOpen)) return this.#reply('no proposal is open')
    this.#showProposals(all)
  }

  /** Each open one once for each form that it has; the buttons of one that is not open any more go. */
  #showProposals(all: readonly Proposal[]): void {
    for (const proposal of all) {
      const { id } = proposal
      const shown = this.#shown.get(id)
      const digest = isOpen(proposal) ? digestOf(proposal) : undefined
      if (shown?.digest === digest) continue
      shown?.close()
      this.#shown.delete(id)
      if (digest !== undefined) this.#shown.set(id, { digest, close: this.#showProposal(proposal) })
    }
  }

  #showProposal(proposal: Proposal): () => void {
    const { id, label, until } = proposal
    const described = describeProposal(proposal, this.#options.marketsOf)
    const text = `${printable(label, 40)} proposes a line\n${described}`
    const deny: Choice = { label: 'Deny', answer: `${id}: denied`, act: () => this.#deny(proposal) }
    if (text.length > MAX_LENGTH) {
      const why = '… and more than a message holds: `approve` it in the terminal'
      return this.#present(`${text.slice(0, MAX_LENGTH - why.length - 1)}\n${why}`, [deny], until, true)
    }
    const approve: Choice = { label: 'Approve', answer: `${id}: shown again`, act: () => this.#approve(proposal) }
    return this.#present(text, [approve, deny], until, true)
  }

  async #approve(shown: Proposal): Promise<void> {
    const { id, clientId, origin, account, line } = shown
    const { proposals, audit } = this.#options
    let begun: Awaited<ReturnType<ProposalPort['approve']>>
    try {
      begun = await proposals.approve(shown)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // One that has changed is shown again as it is now, with buttons of its own.
      return this.#reply(`nothing was sent: ${describeRefusal(error)}`)
    }
    const { runId, ended } = begun
    await audit('proposal approve', { id, clientId, origin, account, line, runId })
    const { success, error } = await ended
    const why = error === undefined ? '' : `: ${error}`
    await this.#reply(`proposal ${id}, run ${runId.slice(0, 8)}: ${success ? 'done' : `failed${why}`}`)
  }

  async #deny({ id, clientId, line }: Proposal): Promise<void> {
    try {
      await this.#options.proposals.deny(id)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return this.#reply(describeRefusal(error))
    }
    await this.#options.audit('proposal deny', { id, clientId, line })
  }

  /** @param isShown default: every kind @returns what it printed, and whether it named something that it would send */
  async #execute(
    line: string,
    account: string,
    isShown: (kind: OutputKind) => boolean = () => true,
  ): Promise<{ readonly success: boolean; readonly text: string; readonly wouldAct: boolean }> {
    const { run, addSink, hide } = this.#options
    const runId = randomUUID()
    const lines: string[] = []
    let leftOut = 0
    let wouldAct = false
    const stop = addSink({
      output: (of, kind, text, data) => {
        if (of.runId !== runId) return
        if (data?.type === 'would') wouldAct = true
        if (!isShown(kind)) return
        const marked = kind === 'error' || kind === 'warn' ? `${kind === 'warn' ? 'warning' : kind}: ${text}` : text
        if (lines.length < MAX_LINES) lines.push(marked)
        else leftOut += 1
      },
    })
    this.#running += 1
    try {
      const { success, error } = await run({ runId, source: 'phone', origin: 'telegram', command: line, account })
      if (lines.length === 0 && error !== undefined) lines.push(`error: ${error}`)
      if (leftOut > 0) lines.push(`… ${leftOut} more lines: \`runs show ${runId.slice(0, 8)}\` in the terminal`)
      return { success, text: hide(lines.join('\n')), wouldAct }
    } finally {
      this.#running -= 1
      stop()
    }
  }

  async #reply(text: string, isTable = false): Promise<void> {
    if (!this.#isEnded) await this.#options.chat.send(text, { isTable })
  }
}

interface PhoneWorkOptions extends Omit<PhoneOptions, 'chat' | 'onProblem'> {
  readonly config: Pick<ConfigStore, 'readOncePerTurn' | 'watch'>
  readonly updates: ChatUpdateStore
  /** Of several processes on these files, one reads what is written to the bot. */
  readonly isMain: () => boolean
  readonly openChat: (channel: ChannelSettings, events: ChatEvents) => TelegramChat
  readonly warn: (text: string) => void
  readonly log: (error: unknown) => void
}

type ChatEvents = Pick<ConstructorParameters<typeof TelegramChat>[0], 'seen' | 'onEvent' | 'onChange'>

const LOOK_MS = 2_000

/** Reads the chat while config.json has one that was proven, and this process is the one that listens. @returns stops it */
export function followPhone(options: PhoneWorkOptions): () => void {
  const { config, updates, isMain, openChat, warn, log, startTimer = startUnheldTimer, ...own } = options
  let open: { readonly settings: string; readonly end: () => void } | undefined

  function look(): void {
    const channel = config.readOncePerTurn().notices.channels.find(listensIn)
    const settings = channel === undefined || !isMain() ? undefined : JSON.stringify(channel)
    if (open?.settings === settings) return
    open?.end()
    open = undefined
    if (channel !== undefined && settings !== undefined) open = { settings, end: begin(channel) }
  }

  function begin(channel: ChannelSettings): () => void {
    const ending = new AbortController()
    const chat = openChat(channel, {
      seen: {
        last() {
          const known = updates.read()
          return known === undefined || own.now() - known.at > NUMBERED_ANEW_MS ? undefined : known.last
        },
        keep: (id) => updates.keep(id, own.now()),
      },
      onEvent: (event) => phone.take(event),
      onChange(error) {
        if (error === undefined) return warn('phone: the chat of the bot is read again')
        const hint = 'hint' in error && typeof error.hint === 'string' ? ` (${error.hint})` : ''
        warn(`phone: the chat of the bot cannot be read: ${error.message}${hint}`)
      },
    })
    const phone = new Phone({ ...own, chat, startTimer, onProblem: log })
    void chat.follow(ending.signal)
    return () => {
      ending.abort()
      phone.end()
    }
  }

  let stopTimer = (): void => {}
  const again = () => {
    look()
    stopTimer = startTimer(LOOK_MS, again)
  }
  again()
  const stopWatch = config.watch(look)
  return () => {
    stopWatch()
    stopTimer()
    open?.end()
    open = undefined
  }
}
