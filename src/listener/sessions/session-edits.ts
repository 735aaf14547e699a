// The edits of all sessions: who may make one, who is asked, how it is answered, and what the operator is told.
import { describeHoldings, holdingsOf } from '../../commands/account/confirmation.ts'
import { notGranted } from '../../commands/kit/effects.ts'
import { CommandError, describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import { printable } from '../../language/printable.ts'
import type { Focus } from '../../stores/focus.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { EDIT_LIMITS, type EditEnd, type EditQuestions } from '../approvals/edit-questions.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { type AccountChange, type MutateFrame, type MutationPorts, mutate } from './mutations.ts'
import type { Session } from './session.ts'
import type { DeskSources, SessionEvents } from './sessions-options.ts'

interface SessionEditsOptions extends Pick<MutationPorts, 'disconnect' | 'now'> {
  readonly stores: Pick<
    MutationPorts,
    'config' | 'hooks' | 'tasks' | 'accounts' | 'aliases' | 'crossTrade' | 'guards'
  > & {
    readonly trustedClients: Pick<TrustedClientStore, 'grantOf'>
  }
  readonly connect: (accountName: string) => Promise<Pick<TradingAccount, 'venue'>>
  readonly desk: Pick<DeskSources, 'orderHistory'>
  readonly focus: Focus
  readonly events: Pick<SessionEvents, 'activity' | 'bug'>
  readonly questions: EditQuestions
  /** Whether the client is trusted by what the files say now. */
  readonly isTrusted: (session: Session) => boolean
}

const HOLDINGS_MS = 5_000

export class SessionEdits {
  readonly #options: SessionEditsOptions
  readonly #budget = new EditBudget(() => performance.now())

  constructor(options: SessionEditsOptions) {
    this.#options = options
  }

  /** Answers the frame by `mutate:ack` or `mutate:err`, at once or once the operator has been asked. */
  async edit(session: Session, frame: MutateFrame): Promise<void> {
    const { id } = frame
    const refusal = this.#budget.take(session.hello.clientId) ?? session.underWay.beginEdit()
    if (refusal !== undefined) return session.send({ t: 'mutate:err', id, error: refusal })
    try {
      this.#requireUngranted(session, frame)
      session.send({ t: 'mutate:ack', id, data: await mutate(frame, this.#portsOf(session)) })
    } catch (error) {
      if (!isRefusal(error)) this.#options.events.bug(error)
      session.send({ t: 'mutate:err', id, error: isRefusal(error) ? describeRefusal(error) : 'internal error' })
    } finally {
      session.underWay.endEdit()
    }
  }

  /** A hook, an account or a row outlives the grant, and acts beside it (behaviour 145). @throws {CommandError} `not-granted` */
  #requireUngranted({ hello, origin }: Session, { t }: MutateFrame): void {
    const grant = this.#options.stores.trustedClients.grantOf(hello.clientId, origin)
    if (grant !== undefined) throw notGranted(t, grant)
  }

  #portsOf(session: Session): MutationPorts {
    const { stores, focus, disconnect, now, events } = this.#options
    const { label, origin } = session
    const by = { clientId: session.hello.clientId, origin }
    return {
      ...stores,
      focus,
      disconnect,
      now,
      holdingsOf: (name) => this.#holdingsOf(name),
      confirm: (change) => this.#confirm(session, change),
      onHook: (op, { id, name }) => events.activity({ type: 'hook', op, label, hookId: id, name }, by),
      onAccount: ({ op, name, exchange, fields }) =>
        events.activity({ type: 'account', op, label, name, exchange, fields }, by),
      onCrossTrade: (op, { id, masterAccount }, waits) =>
        events.activity({ type: 'cross-trade', op, label, id, masterAccount, waits }, by),
    }
  }

  /** A venue is asked only about an account that was traded on from here. */
  async #holdingsOf(name: string): Promise<string | undefined> {
    const { stores, connect, desk } = this.#options
    const isPaper = stores.accounts.find(name)?.exchange === 'paper'
    try {
      if (!isPaper && (await desk.orderHistory(name)).orders.length === 0) return undefined
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new CommandError('unanswered', 'its exchange did not answer')), HOLDINGS_MS).unref()
      })
      const holdings = await Promise.race([connect(name).then(({ venue }) => holdingsOf(venue)), late])
      return holdings.positions + holdings.orders === 0 ? undefined : describeHoldings(holdings)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return 'its holdings are unknown'
    }
  }

  async #confirm(session: Session, change: AccountChange): Promise<void> {
    const { hello, label, origin } = session
    const end = await this.#options.questions.ask(session, { ...change, clientId: hello.clientId, label, origin })
    // Its trust may have gone while the operator read, and the watchers not told yet.
    if (end === 'allowed' && session.isWelcomed && this.#options.isTrusted(session)) return
    throw notAllowed(end, change)
  }
}

function notAllowed(end: EditEnd, { name, uses }: AccountChange): CommandError {
  const account = `account ${printable(name, 40)}`
  switch (end) {
    case 'unattended':
      return new CommandError(
        'not-attended',
        `${account} is in use (${printable(uses.join(', '), 120)}), and no one is at hookline's terminal to allow the change`,
        { hint: 'run hookline in a terminal, or change the account where hookline runs' },
      )
    case 'busy':
      return new CommandError('busy', 'earlier changes still await an answer in the terminal', {
        hint: 'answer there first',
      })
    case 'unanswered':
      return new CommandError(
        'not-answered',
        `no one answered in ${EDIT_LIMITS.answerMs / 60_000} min; ${account} is as it was`,
      )
    case 'denied':
    case 'left':
    case 'allowed':
      return new CommandError('denied', `the operator did not allow it; ${account} is as it was`)
  }
}

// How many edits a client may make in a minute (behaviour 141): each writes a whole file, which fires read too.

const MINUTE_MS = 60_000

export class EditBudget {
  /** ms of a monotonic clock. */
  readonly #now: () => number
  #minute = Number.NEGATIVE_INFINITY
  /** By client, in this minute. */
  readonly #edits = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns why the client may not edit now */
  take(clientId: string): string | undefined {
    const minute = Math.floor(this.#now() / MINUTE_MS)
    if (minute !== this.#minute) this.#edits.clear()
    this.#minute = minute
    const edits = this.#edits.get(clientId) ?? 0
    if (edits >= LISTENER_LIMITS.editsPerMinute) {
      return `more than ${LISTENER_LIMITS.editsPerMinute} edits of this client in a minute (wait a minute)`
    }
    this.#edits.set(clientId, edits + 1)
    return undefined
  }
}
