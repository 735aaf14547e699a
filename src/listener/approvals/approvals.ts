// Clients that wait for the operator (behaviour 33): one question at a time, in the order of arrival, at most eight waiting.
// A client that leaves takes its question with it; one that comes back soon keeps its place. The question shown changes only when it
// has ended.
import { defined } from '../../base/defined.ts'
import type { AskedGrant, GrantLevel } from '../../protocol/rows.ts'
import type { FormerTrust } from '../../stores/trusted-clients.ts'
import type { Hello } from '../sessions/session-state.ts'

// What a question about a client is known by, and what it says of the client's past.

/** What the operator is asked. Texts are as the client sent them. */
export interface Question {
  readonly clientId: string
  readonly label: string
  readonly origin: string
  /** The public key that the client has proved to hold; without one it cannot prove itself. */
  readonly key?: string
  /** The grant that it asks for. */
  readonly asks?: AskedGrant
  /** What it was approved as before, as of when it was shown. */
  readonly formerTrust?: FormerTrust
}

type ClientIdentity = Pick<Question, 'clientId' | 'origin' | 'key'>

/** With its key: another one under the same name must not take the place of the one that the operator reads about. */
function keyOf({ clientId, origin, key = '' }: ClientIdentity): string {
  return `${origin} ${key} ${clientId}`
}

function withFormerTrust(question: Question, formerTrust: FormerTrust | undefined): Question {
  return formerTrust === undefined ? question : { ...question, formerTrust }
}

export const APPROVAL_LIMITS = {
  /** Clients that wait at once. */
  pending: 8,
  /** Connections of one client that wait for the answer to its question: tabs of a browser are one client. */
  connections: 8,
  /** An unanswered question ends as a denial that is not remembered. */
  answerMs: 300_000,
  /** After a denial, unknown clients of that origin are turned away without asking. */
  quietMs: 30_000,
  /** How long the place of a client that left is kept. */
  keepPlaceMs: 10_000,
  /** An answer sooner than this after the question appeared is not taken: the operator was reading another one. */
  readMs: 250,
  /**
   * Before the next question when the client shown has left: pages that come and go must not fill the terminal. Each time that one of an
   * origin leaves so, it doubles for that client, up to `quietMs`; others of that origin wait `keepPlaceMs` at least.
   */
  pauseMs: 1_000,
} as const

/** One that asks to be let in. */
export interface Applicant {
  readonly hello: Hello
  readonly origin: string
  decide(decision: 'approved' | 'denied'): void
  /** No room, or quiet time: hang up without asking. */
  turnAway(): void
}

/** How a question shown came to its end: the operator's answer, five minutes without one, or the client's leaving. */
export type QuestionEnd = 'approved' | 'denied' | 'unanswered' | 'left'

/** What the operator is told of questions. */
export interface QuestionEvents {
  /** The question shown has changed, undefined: there is none; `ended` says what became of the one shown before. */
  question(question: Question | undefined, waiting: number, ended?: QuestionEnd): void
  /** Present where no operator can answer: unknown clients are denied at once, with the quiet time of any denial. */
  readonly unattended?: ((question: Question) => void) | undefined
}

export interface ApprovalsOptions {
  /** ms of a monotonic clock. */
  readonly now: () => number
  /** Writes the approved client down, with the grant that the answer names; rejects when the store refuses. */
  readonly trust: (question: Question, may: GrantLevel | undefined) => Promise<void>
  /** What the client was approved as before. */
  readonly formerTrustOf: (question: Question) => FormerTrust | undefined
  readonly events: QuestionEvents
  /** Whether the operator is being asked something else; `showNext` is called when that has ended. */
  readonly isBusy?: () => boolean
}

export type Answer =
  | { readonly outcome: 'approved' | 'denied'; readonly question: Question }
  /** The question changed too shortly before: it is asked again. */
  | { readonly outcome: 'too-soon'; readonly question: Question }
  | { readonly outcome: 'no-question' }

interface Entry {
  question: Question
  /** Its connections, the oldest first; none while the client is away and its place is kept. */
  readonly applicants: Set<Applicant>
  /** Of its unanswered question, or of its kept place. */
  timer: NodeJS.Timeout
}

/** An origin whose clients leave while their question is shown. */
interface LeavingOrigin {
  /** The last one that left. */
  readonly key: string
  readonly leftAt: number
  /** In a row, each within twice `quietMs` of the one before. */
  readonly times: number
}

export class Approvals {
  readonly #options: ApprovalsOptions
  /** In the order of arrival. */
  readonly #entries = new Map<string, Entry>()
  readonly #quietUntil = new Map<string, number>()
  /** By origin, which are those of the list. */
  readonly #leaving = new Map<string, LeavingOrigin>()
  #shown: Entry | undefined
  #shownAt = 0
  #pause: NodeJS.Timeout | undefined

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  /** Whether a question is shown. */
  get isAsking(): boolean {
    return this.#shown !== undefined
  }

  /** The operator can be asked again. */
  showNext(): void {
    this.#show()
  }

  /** Questions whose client is there, first the one shown, then in the order of arrival. */
  pending(): readonly Question[] {
    const entries = new Set(this.#shown ? [this.#shown] : [])
    for (const entry of this.#present()) entries.add(entry)
    return [...entries].map(({ question }) => question)
  }

  apply(applicant: Applicant): void {
    const { hello, origin } = applicant
    const { clientId, label = '' } = hello
    const question: Question = { clientId, label, origin, ...defined({ key: hello.key, asks: hello.grant }) }
    if (this.#options.events.unattended) return this.#denyUnattended(applicant, question)
    const key = keyOf(question)
    const known = this.#entries.get(key)
    if (known) return this.#join(known, applicant)
    if (this.#isQuiet(origin) || !this.#makeRoom()) return applicant.turnAway()
    this.#entries.set(key, { question, applicants: new Set([applicant]), timer: this.#expire(key) })
    this.#show()
  }

  /** The client hung up before it was decided. */
  withdraw(applicant: Applicant): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.applicants.delete(applicant) || entry.applicants.size > 0) continue
      clearTimeout(entry.timer)
      entry.timer = after(APPROVAL_LIMITS.keepPlaceMs, () => this.#entries.delete(key))
      if (entry === this.#shown) this.#endShown('left')
    }
  }

  /** The operator answers the question shown. @param may what the answer names; absent: what the client asks for, at most `look` */
  async answer(decision: 'approved' | 'denied', may?: GrantLevel): Promise<Answer> {
    const entry = this.#shown
    if (!entry) return { outcome: 'no-question' }
    if (this.#options.now() - this.#shownAt < APPROVAL_LIMITS.readMs)
      return { outcome: 'too-soon', question: entry.question }
    await this.#decide(entry, decision, may)
    return { outcome: decision, question: entry.question }
  }

  /** The operator names the client, so it does not matter which question is shown. */
  async decide(clientId: string, decision: 'approved' | 'denied', may?: GrantLevel): Promise<Answer> {
    const entry = [...this.#present()].find(({ question }) => question.clientId === clientId)
    if (!entry) return { outcome: 'no-question' }
    await this.#decide(entry, decision, may)
    return { outcome: decision, question: entry.question }
  }

  /** Trusted in another way by now: a client that waits under this identity is let in. */
  admit(question: ClientIdentity): void {
    const entry = this.#entries.get(keyOf(question))
    if (entry) this.#settle(entry, 'approved')
  }

  #denyUnattended(applicant: Applicant, question: Question): void {
    if (this.#isQuiet(question.origin)) return applicant.turnAway()
    this.#startQuiet(question.origin)
    this.#options.events.unattended?.(question)
    applicant.decide('denied')
  }

  /** The question stays when the approval cannot be written down. */
  async #decide(entry: Entry, decision: 'approved' | 'denied', may: GrantLevel | undefined): Promise<void> {
    if (decision === 'approved') await this.#options.trust(entry.question, may)
    else this.#startQuiet(entry.question.origin)
    this.#settle(entry, decision)
  }

  #settle(entry: Entry, end: 'approved' | 'denied' | 'unanswered'): void {
    const key = keyOf(entry.question)
    // The store also reports its own writes, and the five minutes may have ended by now.
    if (this.#entries.get(key) !== entry) return
    clearTimeout(entry.timer)
    this.#entries.delete(key)
    if (entry === this.#shown) this.#endShown(end)
    for (const applicant of entry.applicants) applicant.decide(end === 'approved' ? 'approved' : 'denied')
  }

  /** The same client on one more connection: one answer decides all of them. Its time begins anew only where it was away. */
  #join(entry: Entry, applicant: Applicant): void {
    if (entry.applicants.size === 0) {
      clearTimeout(entry.timer)
      entry.timer = this.#expire(keyOf(entry.question))
    }
    entry.applicants.add(applicant)
    const [oldest] = entry.applicants
    if (entry.applicants.size > APPROVAL_LIMITS.connections && oldest !== undefined) {
      entry.applicants.delete(oldest)
      oldest.turnAway()
    }
    this.#show()
  }

  #expire(key: string): NodeJS.Timeout {
    return after(APPROVAL_LIMITS.answerMs, () => {
      const entry = this.#entries.get(key)
      if (entry) this.#settle(entry, 'unanswered')
    })
  }

  #startQuiet(origin: string): void {
    this.#quietUntil.set(origin, this.#options.now() + APPROVAL_LIMITS.quietMs)
  }

  #isQuiet(origin: string): boolean {
    const until = this.#quietUntil.get(origin) ?? 0
    if (until > this.#options.now()) return true
    this.#quietUntil.delete(origin)
    return false
  }

  /** Kept places go first. */
  #makeRoom(): boolean {
    if (this.#entries.size < APPROVAL_LIMITS.pending) return true
    for (const [key, entry] of this.#entries) {
      if (entry.applicants.size > 0) continue
      clearTimeout(entry.timer)
      this.#entries.delete(key)
      return true
    }
    return false
  }

  *#present(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (entry.applicants.size > 0) yield entry
  }

  #endShown(end: QuestionEnd): void {
    const entry = this.#shown
    this.#shown = undefined
    if (entry && end === 'left') {
      this.#noteLeaving(entry.question)
      this.#pauseFor(APPROVAL_LIMITS.pauseMs)
    } else if (entry) this.#leaving.delete(entry.question.origin)
    this.#show(end)
  }

  #noteLeaving(question: Question): void {
    const leftAt = this.#options.now()
    const before = this.#leaving.get(question.origin)
    const isAgain = before !== undefined && leftAt - before.leftAt < 2 * APPROVAL_LIMITS.quietMs
    this.#leaving.set(question.origin, { key: keyOf(question), leftAt, times: isAgain ? before.times + 1 : 1 })
  }

  /** When this question may be shown; 0: at any time. */
  #readyAt({ question }: Entry): number {
    const leaving = this.#leaving.get(question.origin)
    if (!leaving) return 0
    const { pauseMs, quietMs, keepPlaceMs } = APPROVAL_LIMITS
    const again = Math.min(pauseMs * 2 ** (leaving.times - 1), quietMs)
    return leaving.leftAt + (leaving.key === keyOf(question) ? again : Math.max(again, keepPlaceMs))
  }

  #pauseFor(ms: number): void {
    clearTimeout(this.#pause)
    this.#pause = after(ms, () => {
      this.#pause = undefined
      this.#show()
    })
  }

  /** Shows the next question unless one is shown; `ended`: tell also that there is none. */
  #show(ended?: QuestionEnd): void {
    if (this.#shown) return
    const [...present] = this.#present()
    const now = this.#options.now()
    const mayShow = !this.#pause && !this.#options.isBusy?.()
    const next = mayShow ? present.find((entry) => this.#readyAt(entry) <= now) : undefined
    if (!next && mayShow && present.length > 0)
      this.#pauseFor(Math.min(...present.map((entry) => this.#readyAt(entry))) - now)
    if (!next && !ended) return
    if (next) next.question = withFormerTrust(next.question, this.#options.formerTrustOf(next.question))
    this.#shown = next
    this.#shownAt = this.#options.now()
    this.#options.events.question(next?.question, present.length, ended)
  }
}

function after(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, ms).unref()
}
