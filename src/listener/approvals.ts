// Clients that wait for the operator (design decision 33): one question at a time, in the order of arrival, at most eight waiting.
// A client that leaves takes its question with it; one that comes back soon keeps its place.
import type { Hello } from './session-state.ts'

export const APPROVAL_LIMITS = {
  /** Clients that wait at once. */
  pending: 8,
  /** An unanswered question ends as a denial that is not remembered. */
  answerMs: 300_000,
  /** After a denial, unknown clients of that origin are not asked about. */
  quietMs: 30_000,
  /** How long the place of a client that left is kept. */
  placeMs: 10_000,
  /** An answer sooner than this after the question appeared is not taken: the operator was reading another one. */
  readMs: 250,
} as const

/** One that asks to be let in. */
export interface Applicant {
  readonly hello: Hello
  readonly origin: string
  decide(decision: 'approved' | 'denied'): void
  /** No room, or quiet time: hang up without asking. */
  turnAway(): void
}

/** What the operator is asked. Texts are as the client sent them. */
export interface Question {
  readonly clientId: string
  readonly label: string
  readonly origin: string
}

export interface ApprovalsOptions {
  readonly now: () => number
  /** Writes the approved client down; rejects when the store refuses. */
  readonly trust: (question: Question) => Promise<void>
  /** The question shown has changed; undefined: none is pending. */
  readonly onQuestion: (question: Question | undefined, waiting: number) => void
  /** Nobody is there to answer: unknown clients are denied at once (headless). */
  readonly onUnattended?: (question: Question) => void
}

export type Answer =
  | { readonly outcome: 'approved' | 'denied'; readonly question: Question }
  /** The question changed too shortly before: it is asked again. */
  | { readonly outcome: 'too-soon'; readonly question: Question }
  | { readonly outcome: 'nobody' }

interface Entry {
  readonly question: Question
  /** undefined while the client is away and its place is kept. */
  applicant: Applicant | undefined
  /** Of its unanswered question, or of its kept place. */
  timer: NodeJS.Timeout
}

export class Approvals {
  readonly #options: ApprovalsOptions
  /** In the order of arrival. */
  readonly #entries = new Map<string, Entry>()
  readonly #quietUntil = new Map<string, number>()
  #shown: Entry | undefined
  #shownAt = 0

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  /** Questions whose client is there, first the one shown. */
  pending(): readonly Question[] {
    return [...this.#present()].map(({ question }) => question)
  }

  apply(applicant: Applicant): void {
    const { hello, origin } = applicant
    const question: Question = { clientId: hello.clientId, label: hello.label ?? '', origin }
    if (this.#options.onUnattended) {
      this.#options.onUnattended(question)
      return applicant.decide('denied')
    }
    const key = keyOf(question)
    const known = this.#entries.get(key)
    if (known) return this.#resume(known, applicant)
    if (this.#isQuiet(origin) || !this.#makeRoom()) return applicant.turnAway()
    this.#entries.set(key, { question, applicant, timer: this.#expire(key) })
    this.#show()
  }

  /** The client hung up before it was decided. */
  withdraw(applicant: Applicant): void {
    for (const [key, entry] of this.#entries) {
      if (entry.applicant !== applicant) continue
      entry.applicant = undefined
      clearTimeout(entry.timer)
      entry.timer = after(APPROVAL_LIMITS.placeMs, () => this.#entries.delete(key))
    }
    this.#show()
  }

  /** The operator answers the question shown. */
  async answer(decision: 'approved' | 'denied'): Promise<Answer> {
    const entry = this.#shown
    if (!entry) return { outcome: 'nobody' }
    if (this.#options.now() - this.#shownAt < APPROVAL_LIMITS.readMs)
      return { outcome: 'too-soon', question: entry.question }
    await this.#decide(entry, decision)
    return { outcome: decision, question: entry.question }
  }

  /** The operator names the client, so it does not matter which question is shown. */
  async decide(clientId: string, decision: 'approved' | 'denied'): Promise<Answer> {
    const entry = [...this.#present()].find(({ question }) => question.clientId === clientId)
    if (!entry) return { outcome: 'nobody' }
    await this.#decide(entry, decision)
    return { outcome: decision, question: entry.question }
  }

  /** Trusted meanwhile by other means: whoever waits under this identity is let in. */
  admit(question: Pick<Question, 'clientId' | 'origin'>): void {
    const entry = this.#entries.get(keyOf(question))
    if (entry) this.#settle(entry, 'approved')
  }

  async #decide(entry: Entry, decision: 'approved' | 'denied'): Promise<void> {
    if (decision === 'approved') await this.#options.trust(entry.question)
    else this.#quietUntil.set(entry.question.origin, this.#options.now() + APPROVAL_LIMITS.quietMs)
    this.#settle(entry, decision)
  }

  #settle(entry: Entry, decision: 'approved' | 'denied'): void {
    clearTimeout(entry.timer)
    this.#entries.delete(keyOf(entry.question))
    const { applicant } = entry
    this.#show()
    applicant?.decide(decision)
  }

  /** The same client on a new connection: the old one has lost its place to it. */
  #resume(entry: Entry, applicant: Applicant): void {
    const former = entry.applicant
    entry.applicant = applicant
    clearTimeout(entry.timer)
    entry.timer = this.#expire(keyOf(entry.question))
    former?.turnAway()
    this.#show()
  }

  #expire(key: string): NodeJS.Timeout {
    return after(APPROVAL_LIMITS.answerMs, () => {
      const entry = this.#entries.get(key)
      if (entry) this.#settle(entry, 'denied')
    })
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
      if (entry.applicant) continue
      clearTimeout(entry.timer)
      this.#entries.delete(key)
      return true
    }
    return false
  }

  *#present(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (entry.applicant) yield entry
  }

  #show(): void {
    const [first] = this.#present()
    if (first === this.#shown) return
    this.#shown = first
    this.#shownAt = this.#options.now()
    this.#options.onQuestion(first?.question, [...this.#present()].length)
  }
}

function keyOf({ clientId, origin }: Pick<Question, 'clientId' | 'origin'>): string {
  return `${origin} ${clientId}`
}

function after(ms: number, action: () => void): NodeJS.Timeout {
  const timer = setTimeout(action, ms)
  timer.unref()
  return timer
}
