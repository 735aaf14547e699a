// The operator's decision about a client that wants in (behaviour 33). The question is not a mode: `y` and `n` answer it, any other line
// is a command as usual and the question stays.

import type { PendingClient } from '../commands/kit/ports.ts'
import { describeAsked } from '../commands/listener/clients.ts'
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import { GRANT_LEVELS, type GrantLevel } from '../stores/client-grants.ts'
import { readYesOrNo } from './yes-or-no.ts'

export type Decision = 'approved' | 'denied'

export interface ApprovalPromptPorts {
  print(kind: OutputKind, text: string): void
  /** @returns what became of it; `too-soon`: the question shown changed a moment ago. @throws the approval could not be saved */
  answer(
    decision: Decision,
    may?: GrantLevel,
  ): Promise<{ readonly outcome: Decision | 'too-soon' | 'no-question'; readonly question?: PendingClient }>
}

const MAX_LABEL = 60
const MAX_ORIGIN = 100
const SHOWN_ID = 8

export class ApprovalPrompt {
  readonly #ports: ApprovalPromptPorts
  #shown: PendingClient | undefined
  #waiting = 0
  #isDeciding = false

  constructor(ports: ApprovalPromptPorts) {
    this.#ports = ports
  }

  /** The question shown has changed; undefined: there is none. `ended`: what became of the one before. */
  show(question: PendingClient | undefined, waiting: number, ended?: Decision | 'unanswered' | 'left'): void {
    if (ended === 'left') this.#ports.print('info', 'the page that asked has gone; nothing to answer')
    if (ended === 'unanswered' && this.#shown) {
      this.#ports.print('info', `no one answered, so ${describe(this.#shown)} was denied; it may ask again`)
    }
    this.#shown = question
    this.#waiting = waiting
    if (question) this.#ask(question)
  }

  /** Offers a typed line. @returns whether it was the answer; one that comes while the last is being written down counts for nothing */
  take(line: string): boolean {
    const { isYes, may } = readAnswer(line)
    if (isYes === undefined || !this.#shown) return false
    if (!this.#isDeciding) void this.#decide(isYes ? 'approved' : 'denied', may)
    return true
  }

  async #decide(decision: Decision, may: GrantLevel | undefined): Promise<void> {
    this.#isDeciding = true
    try {
      const { outcome, question } = await this.#ports.answer(decision, may)
      if (outcome === 'no-question' || !question) return
      if (outcome === 'too-soon') {
        this.#ports.print('warn', 'the question changed just before you answered; please read it again')
        this.#ask(question)
      } else {
        const granted = may ?? (question.asks && 'look')
        const grant = outcome === 'approved' && granted !== undefined ? `: it may ${granted}` : ''
        this.#ports.print(outcome === 'approved' ? 'success' : 'info', `${outcome} ${describe(question)}${grant}`)
      }
    } catch (error) {
      this.#ports.print(
        'error',
        `the approval could not be saved: ${(error as Error).message}; the client is still waiting`,
      )
    } finally {
      this.#isDeciding = false
    }
  }

  #ask(question: PendingClient): void {
    const more = this.#waiting > 1 ? `; ${this.#waiting - 1} more wait` : ''
    this.#ports.print(
      'warn',
      [
        // A page has no grant, an agent asks for one; neither can prove which of the two it is.
        question.asks === undefined ? 'a web page asks to run commands here:' : 'a client asks for a grant here:',
        `  label   ${printable(question.label, MAX_LABEL) || '(none)'}`,
        `  origin  ${printable(question.origin, MAX_ORIGIN)}`,
        `  client  ${printable(question.clientId.slice(0, SHOWN_ID), SHOWN_ID)}`,
        `  proof   ${describeProof(question)}`,
        ...(question.asks === undefined ? [] : [`  asks    ${describeAsked(question.asks)}`]),
        `approve it? ${answersTo(question)}${more}`,
      ].join('\n'),
    )
  }
}

/** The clientId is a name that anyone may have learnt; the key is what tells clients apart (behaviour 48). */
function describeProof({ key, formerTrust }: PendingClient): string {
  if (key === undefined) return 'cannot prove itself'
  if (formerTrust === 'with-other-key')
    return 'has another key than the client you approved under this id: answer n unless you know why'
  if (formerTrust === 'without-key') return 'proves itself with a key; until now it could not'
  return 'proves itself with a key'
}

/** `y`, `n`, or `y propose`: what the answer gives. */
function readAnswer(line: string): { readonly isYes: boolean | undefined; readonly may?: GrantLevel } {
  const [, yes = line, level] = /^\s*(\S+)\s+(\S+)\s*$/.exec(line) ?? []
  const isYes = readYesOrNo(yes)
  if (level === undefined || isYes === undefined) return { isYes }
  const may = GRANT_LEVELS.find((each) => each === level.toLowerCase())
  return isYes && may !== undefined ? { isYes, may } : { isYes: undefined }
}

function answersTo({ asks }: PendingClient): string {
  if (asks === undefined) return 'y or n'
  return asks.may === 'look' ? 'y to let it look, or n' : `y to let it look, \`y ${asks.may}\` for what it asks, or n`
}

function describe({ label, clientId, origin }: PendingClient): string {
  const name = printable(label, MAX_LABEL) || printable(clientId.slice(0, SHOWN_ID), SHOWN_ID)
  return `${name} (${printable(origin, MAX_ORIGIN)})`
}
