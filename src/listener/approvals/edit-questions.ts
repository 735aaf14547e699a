// Edits by pages that the operator must allow (behaviour 17): one question at a time, never beside one about a client (behaviour 33). A page
// that leaves takes its question with it; nothing is changed without an answer.
import type { AccountChange } from '../sessions/mutations.ts'
import { Approvals, type ApprovalsOptions, type QuestionEvents } from './approvals.ts'

export const EDIT_LIMITS = {
  /** Edits that wait at once, one of each client. */
  pending: 8,
  /** An unanswered question ends as a refusal. */
  answerMs: 300_000,
  /** An answer sooner than this after the question appeared is not taken: the operator was reading another one. */
  readMs: 250,
} as const

/** What the operator is asked. Texts are as the client sent them. */
export interface EditQuestion extends AccountChange {
  readonly clientId: string
  readonly label: string
  readonly origin: string
}

export type EditDecision = 'allowed' | 'denied'
/** How a question came to its end; `unattended` and `busy`: no one was asked. */
export type EditEnd = EditDecision | 'unanswered' | 'left' | 'unattended' | 'busy'

/** What the operator is shown of edits. */
export interface EditQuestionEvents {
  /** The edit that the operator is asked about has changed, undefined: there is none; `ended` says what became of the one shown before. */
  editQuestion(question: EditQuestion | undefined, waiting: number, ended?: EditEnd): void
}

interface EditQuestionsOptions {
  /** ms of a monotonic clock. */
  readonly now: () => number
  readonly events: EditQuestionEvents
  /** No operator can answer. */
  readonly isUnattended: boolean
  /** Whether the operator is being asked something else; `showNext` is called when that has ended. */
  readonly isBusy: () => boolean
  /** No question is shown any more. */
  readonly onFree: () => void
}

export type EditAnswer =
  | { readonly outcome: EditDecision; readonly question: EditQuestion }
  | { readonly outcome: 'too-soon'; readonly question: EditQuestion }
  | { readonly outcome: 'no-question' }

interface Entry {
  /** Whose connection it came by. */
  readonly asker: object
  readonly question: EditQuestion
  readonly timer: NodeJS.Timeout
  readonly end: (end: EditEnd) => void
}

export class EditQuestions {
  readonly #options: EditQuestionsOptions
  /** In the order of arrival. */
  readonly #entries = new Set<Entry>()
  #shown: Entry | undefined
  #shownAt = 0

  constructor(options: EditQuestionsOptions) {
    this.#options = options
  }

  get isAsking(): boolean {
    return this.#shown !== undefined
  }

  /** @param asker what `withdraw` will name @returns how it ended */
  ask(asker: object, question: EditQuestion): Promise<EditEnd> {
    if (this.#options.isUnattended) return Promise.resolve('unattended')
    const isOneMore = [...this.#entries].some((entry) => entry.question.clientId === question.clientId)
    if (isOneMore || this.#entries.size >= EDIT_LIMITS.pending) return Promise.resolve('busy')
    return new Promise((end) => {
      const timer = setTimeout(() => this.#end(entry, 'unanswered'), EDIT_LIMITS.answerMs)
      timer.unref()
      const entry: Entry = { asker, question, timer, end }
      this.#entries.add(entry)
      this.showNext()
    })
  }

  /** The client has gone. */
  withdraw(asker: object): void {
    for (const entry of this.#entries) if (entry.asker === asker) this.#end(entry, 'left')
  }

  /** The operator answers the question shown. */
  answer(decision: EditDecision): EditAnswer {
    const entry = this.#shown
    if (entry === undefined) return { outcome: 'no-question' }
    const { question } = entry
    if (this.#options.now() - this.#shownAt < EDIT_LIMITS.readMs) return { outcome: 'too-soon', question }
    this.#end(entry, decision)
    return { outcome: decision, question }
  }

  /** Shows the next question, unless one is shown or the operator is being asked something else. */
  showNext(): void {
    if (this.#shown !== undefined || this.#options.isBusy()) return
    const [next] = this.#entries
    if (next !== undefined) this.#show(next)
  }

  #show(entry: Entry | undefined, ended?: EditEnd): void {
    this.#shown = entry
    this.#shownAt = this.#options.now()
    this.#options.events.editQuestion(entry?.question, this.#entries.size, ended)
  }

  #end(entry: Entry, end: EditEnd): void {
    if (!this.#entries.delete(entry)) return
    clearTimeout(entry.timer)
    if (entry === this.#shown) {
      this.#show(undefined, end)
      // Clients first: an edit waits for one question at most.
      this.#options.onFree()
      this.showNext()
    }
    entry.end(end)
  }
}

/** What the operator is asked about clients and about their edits: one question at a time. */
export function createOperatorQuestions({
  now,
  trust,
  formerTrustOf,
  events,
}: Pick<ApprovalsOptions, 'now' | 'trust' | 'formerTrustOf'> & {
  readonly events: QuestionEvents & EditQuestionEvents
}): { readonly approvals: Approvals; readonly edits: EditQuestions } {
  const approvals: Approvals = new Approvals({
    now,
    trust,
    formerTrustOf,
    events: {
      question(question, waiting, ended) {
        events.question(question, waiting, ended)
        if (question === undefined) edits.showNext()
      },
      unattended: events.unattended,
    },
    isBusy: () => edits.isAsking,
  })
  const edits: EditQuestions = new EditQuestions({
    now,
    events,
    isUnattended: events.unattended !== undefined,
    isBusy: () => approvals.isAsking,
    onFree: () => approvals.showNext(),
  })
  return { approvals, edits }
}
