// The operator's decision about a page's edit of an account in use (behaviour 17). Like the question about a client it is not a mode.
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import { readYesOrNo } from './yes-or-no.ts'

/** What a page wants to do to an account. Texts are as it sent them. */
interface PendingEdit {
  readonly clientId: string
  readonly label: string
  readonly origin: string
  readonly op: 'add' | 'change' | 'delete'
  readonly name: string
  readonly exchange: string
  /** Names of fields. */
  readonly fields: readonly string[]
  readonly uses: readonly string[]
}

interface EditPromptPorts {
  print(kind: OutputKind, text: string): void
  /** @returns what became of it; `too-soon`: the question shown changed a moment ago */
  answer(decision: 'allowed' | 'denied'): { readonly outcome: 'allowed' | 'denied' | 'too-soon' | 'no-question' }
}

export class EditPrompt {
  readonly #ports: EditPromptPorts
  #shown: PendingEdit | undefined
  #waiting = 0

  constructor(ports: EditPromptPorts) {
    this.#ports = ports
  }

  /** The question shown has changed; undefined: there is none. `ended`: what became of the one before. */
  show(edit: PendingEdit | undefined, waiting: number, ended?: string): void {
    const before = this.#shown
    if (ended === 'left') this.#ports.print('info', 'the page that asked has gone; nothing was changed')
    if (ended === 'unanswered' && before) {
      this.#ports.print('info', `no one answered, so account ${nameOf(before)} is as it was`)
    }
    this.#shown = edit
    this.#waiting = waiting
    if (edit) this.#ask(edit)
  }

  /** Offers a typed line. @returns whether it was the answer */
  take(line: string): boolean {
    const isYes = readYesOrNo(line)
    const edit = this.#shown
    if (isYes === undefined || edit === undefined) return false
    const { outcome } = this.#ports.answer(isYes ? 'allowed' : 'denied')
    if (outcome === 'too-soon') {
      this.#ports.print('warn', 'the question changed just before you answered; please read it again')
      this.#ask(edit)
    } else if (outcome === 'denied') {
      this.#ports.print('info', `denied; account ${nameOf(edit)} is as it was`)
    }
    return true
  }

  #ask(edit: PendingEdit): void {
    const more = this.#waiting > 1 ? `; ${this.#waiting - 1} more wait` : ''
    this.#ports.print(
      'warn',
      [
        `a web page asks to ${describe(edit)}:`,
        `  label   ${printable(edit.label, 60) || '(none)'}`,
        `  origin  ${printable(edit.origin, 100)}`,
        `  client  ${printable(edit.clientId.slice(0, 8), 8)}`,
        `  used    ${printable(edit.uses.join(', '), 200)}`,
        `allow it? y or n${more}`,
      ].join('\n'),
    )
  }
}

function nameOf({ name }: PendingEdit): string {
  return printable(name, 40)
}

function describe(edit: PendingEdit): string {
  const [account, exchange] = [`account ${nameOf(edit)}`, printable(edit.exchange, 32)]
  if (edit.op === 'delete') return `delete ${account} on ${exchange}`
  const fields = printable(edit.fields.join('; '), 200)
  if (edit.op === 'add') return `add ${account} on ${exchange}${fields === '' ? '' : `, with ${fields}`}`
  return `change ${account} on ${exchange}: ${fields}`
}
