// The operator's word on a client that wants in (design decision 33). The question is no mode: `y` and `n` answer it, any other line
// is a command as usual and the question stays.
import type { OutputKind, PendingClient } from '../commands/command.ts'
import { printable } from '../language/printable.ts'

export type Decision = 'approved' | 'denied'

export interface ApprovalPromptPorts {
  print(kind: OutputKind, text: string): void
  /** @returns what became of it; `too-soon`: the question shown changed a moment ago. @throws the approval could not be written down */
  answer(
    decision: Decision,
  ): Promise<{ readonly outcome: Decision | 'too-soon' | 'nobody'; readonly question?: PendingClient }>
}

const MAX_LABEL = 60
const MAX_ORIGIN = 100
const SHOWN_ID = 8
const ANSWERS: Readonly<Record<string, Decision>> = { y: 'approved', yes: 'approved', n: 'denied', no: 'denied' }

export class ApprovalPrompt {
  readonly #ports: ApprovalPromptPorts
  #shown: PendingClient | undefined
  #waiting = 0

  constructor(ports: ApprovalPromptPorts) {
    this.#ports = ports
  }

  /** The client at the head of the line has changed; undefined: nobody waits any more. */
  show(question: PendingClient | undefined, waiting: number): void {
    if (!question && this.#shown) this.#ports.print('info', 'the page that asked has gone; nothing to answer')
    this.#shown = question
    this.#waiting = waiting
    if (question) this.#ask(question)
  }

  /** Offers a typed line. @returns whether it was the answer */
  take(line: string): boolean {
    const decision = ANSWERS[line.trim().toLowerCase()]
    if (!decision || !this.#shown) return false
    const asked = this.#shown
    // Whoever decided, the end of this question is no client's leaving.
    this.#shown = undefined
    void this.#decide(decision, asked)
    return true
  }

  async #decide(decision: Decision, asked: PendingClient): Promise<void> {
    const { outcome, question = asked } = await this.#ports.answer(decision).catch((error: Error) => {
      this.#ports.print('error', `the approval could not be written down: ${error.message}`)
      return { outcome: 'nobody' as const, question: asked }
    })
    if (outcome === 'too-soon') {
      this.#shown = question
      this.#ports.print('warn', 'the question changed just before you answered; please read it again')
      this.#ask(question)
    } else if (outcome !== 'nobody') {
      this.#ports.print(outcome === 'approved' ? 'success' : 'info', `${outcome} ${describe(question)}`)
    }
  }

  #ask(question: PendingClient): void {
    const more = this.#waiting > 1 ? `; ${this.#waiting - 1} more wait` : ''
    this.#ports.print(
      'warn',
      [
        'a web page asks to run commands here:',
        `  label   ${printable(question.label, MAX_LABEL) || '(none)'}`,
        `  origin  ${printable(question.origin, MAX_ORIGIN)}`,
        `  client  ${printable(question.clientId.slice(0, SHOWN_ID), SHOWN_ID)}`,
        `approve it? y or n${more}`,
      ].join('\n'),
    )
  }
}

function describe({ label, clientId, origin }: PendingClient): string {
  const name = printable(label, MAX_LABEL) || printable(clientId.slice(0, SHOWN_ID), SHOWN_ID)
  return `${name} (${printable(origin, MAX_ORIGIN)})`
}
