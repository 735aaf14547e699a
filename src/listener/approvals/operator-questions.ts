// All that the operator is asked, so that there is one question at a time: about clients, and about their edits.
import type { SessionEvents } from '../sessions/session-events.ts'
import { Approvals, type ApprovalsOptions } from './approvals.ts'
import { EditQuestions } from './edit-questions.ts'

export interface OperatorQuestionsOptions extends Pick<ApprovalsOptions, 'now' | 'trust' | 'formerTrustOf'> {
  readonly events: Pick<SessionEvents, 'question' | 'unattended' | 'editQuestion'>
}

export interface OperatorQuestions {
  readonly approvals: Approvals
  readonly edits: EditQuestions
}

export function createOperatorQuestions({
  now,
  trust,
  formerTrustOf,
  events,
}: OperatorQuestionsOptions): OperatorQuestions {
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
    tell: (question, waiting, ended) => events.editQuestion(question, waiting, ended),
    isUnattended: events.unattended !== undefined,
    isBusy: () => approvals.isAsking,
    onFree: () => approvals.showNext(),
  })
  return { approvals, edits }
}
