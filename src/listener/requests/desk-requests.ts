// Questions of pages: each is answered once, by its own frame or by an `error` with its id. Those of one session are worked on one after
// another, so that none can have more of the machine than its turn.
import { defined } from '../../base/defined.ts'
import { faultOf, offersAt } from '../../commands/complete-line.ts'
import type { CompletionNames } from '../../commands/kit/command.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { Clients } from '../../commands/kit/ports.ts'
import { printable } from '../../language/printable.ts'
import { type Answerers, type AnswerTo, QUESTIONS, type QuestionFrame } from '../../protocol/desk-frames.ts'
import { type Frame, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { Focus } from '../../stores/focus.ts'
import type { TextMapStore } from '../../stores/rows.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionsOptions } from '../sessions/sessions-options.ts'
import {
  AccountHistories,
  accountQuestions,
  clientQuestions,
  copyQuestions,
  type EndingAsker,
  historyQuestions,
  proposalQuestions,
  replayQuestion,
  runQuestions,
} from './questions.ts'
import { MarketWatches, PortfolioWatches } from './watches.ts'

/** What a page asks besides topics, commands, previews and edits. */
type DeskFrame = QuestionFrame | Frame<'market:watch' | 'market:unwatch' | 'portfolio:watch' | 'portfolio:unwatch'>

/** Who asks. */
type Asker = Pick<Session, 'id' | 'send' | 'isWelcomed' | 'isBehind' | 'isServed' | 'underWay' | 'caller' | 'label'>

interface DeskRequestPorts {
  readonly config: Pick<ConfigStore, 'readOncePerTurn' | 'watch'>
  readonly focus: Pick<Focus, 'account' | 'symbol'>
  readonly markets: MarketWatches
  readonly portfolios: PortfolioWatches
  readonly answerers: Answerers<EndingAsker>
  readonly onBug: (error: unknown) => void
}

const HIDDEN = 'accountSync disabled'

export class DeskRequests {
  readonly #ports: DeskRequestPorts
  /** By session and kind: the last one that is worked on. */
  readonly #turns = new Map<string, Promise<void>>()
  readonly #stops: (() => void)[]
  /** By session: ends what works for it. */
  readonly #ends = new Map<string, AbortController>()

  constructor(ports: DeskRequestPorts) {
    this.#ports = ports
    const hide = () => {
      if (!this.#isOff()) return
      ports.markets.endAll(HIDDEN)
      ports.portfolios.endAll(HIDDEN)
      for (const session of [...this.#ends.keys()]) this.#end(session)
    }
    this.#stops = [ports.config.watch(hide)]
  }

  take(session: Asker, frame: DeskFrame): void {
    switch (frame.t) {
      case 'market:watch':
      case 'portfolio:watch':
        return this.#watch(session, frame)
      case 'market:unwatch':
        return this.#ports.markets.end(session, frame.id)
      case 'portfolio:unwatch':
        return this.#ports.portfolios.end(session, frame.id)
      default:
        return this.#ask(session, frame)
    }
  }

  /** The session is gone. */
  forget(session: Asker): void {
    this.#ports.markets.forget(session)
    this.#ports.portfolios.forget(session)
    this.#end(session.id)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
    for (const session of [...this.#ends.keys()]) this.#end(session)
    this.#ports.markets.stop()
    this.#ports.portfolios.stop()
  }

  #watch(session: Asker, frame: Frame<'market:watch'> | Frame<'portfolio:watch'>): void {
    const { id, account = this.#ports.focus.account(), symbol = this.#ports.focus.symbol() } = frame
    const place = { account, symbol: symbol.toUpperCase() }
    const refusal = this.#isOff()
      ? HIDDEN
      : frame.t === 'market:watch'
        ? this.#ports.markets.begin(session, id, { ...place, interval: frame.interval ?? '1m' }, frame.tape === true)
        : this.#ports.portfolios.begin(session, id, place)
    if (refusal !== undefined) session.send({ t: 'error', id, error: refusal })
  }

  #isOff(): boolean {
    return !this.#ports.config.readOncePerTurn().listener.accountSync
  }

  #ask(session: Asker, frame: QuestionFrame): void {
    const { id } = frame
    const { turn } = QUESTIONS[frame.t]
    // Who types does not wait for what else was asked.
    if (turn === 'at-once') return void this.#answer(session, frame)
    if (this.#isHidden(frame)) return session.send({ t: 'error', id, error: HIDDEN })
    const refusal = session.underWay.beginRequest()
    if (refusal !== undefined) return session.send({ t: 'error', id, error: refusal })
    // What waits for a venue keeps no journal from being read.
    const lane = `${session.id}/${turn}`
    const answered = (this.#turns.get(lane) ?? Promise.resolve())
      .then(() => this.#answer(session, frame))
      .finally(() => {
        session.underWay.endRequest()
        if (this.#turns.get(lane) === answered) this.#turns.delete(lane)
      })
    this.#turns.set(lane, answered)
  }

  async #answer(session: Asker, frame: QuestionFrame): Promise<void> {
    if (!session.isWelcomed) return
    const { id } = frame
    try {
      const { caller, label, isServed } = session
      const asking = { ...caller, label, isServed, signal: this.#signalOf(session.id) }
      const pending = answerBy(this.#ports.answerers, frame, asking)
      const answer = pending instanceof Promise ? await pending : pending
      // It may have been switched off meanwhile.
      if (this.#isHidden(frame)) session.send({ t: 'error', id, error: HIDDEN })
      else session.send(answer)
    } catch (error) {
      const { turn } = QUESTIONS[frame.t]
      const code = (turn === 'proposals' || turn === 'clients') && isRefusal(error) ? error.code : undefined
      session.send({ t: 'error', id, error: this.#describe(error), ...defined({ code }) })
    }
  }

  #isHidden({ t }: QuestionFrame): boolean {
    const { turn } = QUESTIONS[t]
    return (turn === 'accounts' || turn === 'replays') && this.#isOff()
  }

  #signalOf(session: string): AbortSignal {
    const end = this.#ends.get(session) ?? new AbortController()
    this.#ends.set(session, end)
    return end.signal
  }

  #end(session: string): void {
    this.#ends.get(session)?.abort()
    this.#ends.delete(session)
  }

  #describe(error: unknown): string {
    if (isRefusal(error)) return describeRefusal(error)
    this.#ports.onBug(error)
    return 'internal error'
  }
}

function answerBy(
  answerers: Answerers<EndingAsker>,
  frame: QuestionFrame,
  by: EndingAsker,
): AnswerTo | Promise<AnswerTo> {
  // The union of the answerers takes no frame; the one of this name takes this frame.
  const answerer = answerers[frame.t] as (question: QuestionFrame, by: EndingAsker) => AnswerTo | Promise<AnswerTo>
  return answerer(frame, by)
}

/** Every question with who answers it. */
export function createDeskRequests(
  {
    desk,
    stores,
    focus,
    connect,
    events,
    hookCounts,
    runner,
    proposals,
    guardBook,
    now,
    clock,
    replayHook,
  }: SessionsOptions,
  connected: Clients['connected'],
): DeskRequests {
  const { config, accounts, crossTrade, hooks, aliases, trustedClients } = stores
  const { runPages, runArchive, orderHistory, equity, copies, notes } = desk
  const histories = new AccountHistories({ connect, orderHistory, now: () => performance.now() })
  const past = { accounts, focus, connect, histories, equity, orderHistory, notes, clock, onBug: events.bug }
  // As long as the process: no one asks any more once it stops.
  desk.fills.watch(({ account }) => histories.forget(account))
  const showsAccounts = () => config.read().listener.accountSync
  return new DeskRequests({
    config,
    focus,
    onBug: events.bug,
    markets: new MarketWatches({ connect, clock, onBug: events.bug }),
    portfolios: new PortfolioWatches({ config, connect, onBug: events.bug }),
    answerers: {
      ...runQuestions({ runPages, runArchive, showsAccounts, hooks, hookCounts, runner }),
      ...accountQuestions(past),
      ...historyQuestions(past),
      ...copyQuestions({ accounts, crossTrade, copies }),
      ...proposalQuestions({
        proposals,
        trustedClients,
        showsAccounts,
        onDecision: ({ op, proposal: { id, account, line }, runId }, { clientId, origin, label }) =>
          events.activity(
            { type: 'proposal', op, label, proposal: id, account, line, ...defined({ runId }) },
            { clientId, origin },
          ),
        onBug: events.bug,
      }),
      ...clientQuestions({
        trustedClients,
        guardBook,
        connected,
        now,
        onChange: ({ op, client, to }, { clientId, origin, label }) =>
          events.activity({ type: 'client', op, label, client, ...defined({ to }) }, { clientId, origin }),
        onBug: events.bug,
      }),
      ...replayQuestion(replayHook),
      complete: (frame) => completionOf(frame, { aliases, focus, names: desk.names, showsAccounts }),
    },
  })
}

interface CompletionPorts {
  readonly aliases: Pick<TextMapStore, 'read'>
  readonly focus: Pick<Focus, 'account'>
  readonly names: (account: string) => CompletionNames
  /** Whether pages see accounts. */
  readonly showsAccounts: () => boolean
}

const MAX_DETAIL = 120
const MAX_MESSAGE = 300

/** What the prompt would offer at the cursor, and what it would say of the line. Nothing runs, and nothing is waited for. */
function completionOf(
  { id, line, cursor, account, hook = false }: Frame<'complete'>,
  { aliases, focus, names, showsAccounts }: CompletionPorts,
): Frame<'complete:ok'> {
  const at = Math.min(cursor, line.length)
  const live = names(account ?? focus.account())
  const offers = offersAt(line.slice(0, at), showsAccounts() ? live : { ...live, accounts: [] })
  const sent = offers.texts.slice(0, WIRE_LIMITS.completions)
  const more = offers.texts.length - sent.length
  const space = line[at] === ' ' ? '' : ' '
  const fault =
    line.trim() === '' ? undefined : faultOf({ line, source: 'web', isHookBody: hook, aliases: aliases.read() })
  return {
    t: 'complete:ok',
    id,
    from: at - offers.fragment.length,
    items: sent.map((text) => {
      const detail = offers.detailOf(text)
      return { text: `${text}${space}`, label: text, ...(detail && { detail: printable(detail, MAX_DETAIL) }) }
    }),
    ...(more > 0 ? { more } : {}),
    ...(fault && {
      error: {
        message: printable(fault.message, MAX_MESSAGE),
        ...defined({ column: fault.column }),
        ...(fault.hint === undefined ? {} : { hint: printable(fault.hint, MAX_MESSAGE) }),
      },
    }),
  }
}
