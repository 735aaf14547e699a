// A question waits for as long as its person does, and the account and the market go on meanwhile. Behind each yes the step therefore begins again,
// as long as nothing of it was sent: a question with the same figures takes the yes, and any other is asked. A step that asks no longer does
// something else than was asked about: that is asked too.
import { Decimal } from 'decimal.js'
import { type Foretold, type Question, questionOf } from '../commands/kit/command.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { OutputKind, RunData } from '../runs/run.ts'
import type { OrderedBy } from '../trading/order-plan.ts'

/** Goes through the command: a person has said yes, and the step begins again. No refusal. */
export class BeginsAgain extends Error {}

type Emit = (kind: OutputKind, text: string, data?: RunData) => void

interface Yes {
  /** Figures that differ by less than 2% are the same. */
  readonly holdsFor: readonly string[]
  readonly foretold: readonly Foretold[]
  readonly isOfGuards: boolean
}

/** What a person has said yes to, in one step of a line. */
export interface StepQuestions {
  /** As typed. */
  readonly line: string
  readonly confirm: (question: string) => Promise<boolean>
  /** The latest last. */
  yes: readonly Yes[]
  /** Orders, changes and tasks that were sent, or are on their way. */
  sent: number
}

/** One time that the step is worked out, from its beginning. */
export class StepAttempt {
  readonly #step: StepQuestions
  readonly #emit: Emit
  /** What was said yes to, and has not been asked yet. */
  #left: readonly Yes[]
  /** What is said before a question that was answered, said then. Undefined: none is to come. */
  #held: (() => void)[] | undefined
  readonly #foretold = new Map<string, Foretold>()
  #isOver = false
  #asking: Promise<void> | undefined
  isDeclined = false

  constructor(step: StepQuestions, emit: Emit) {
    this.#step = step
    this.#emit = emit
    this.#left = step.yes
    if (step.yes.length > 0) this.#held = []
  }

  emit(...line: Parameters<Emit>): void {
    if (this.#step.sent > 0) this.#release()
    if (this.#held === undefined) this.#emit(...line)
    else this.#held.push(() => this.#emit(...line))
  }

  foretell(foretold: Foretold): void {
    this.#foretold.set(foretold.symbol, foretold)
  }

  /** @throws {BeginsAgain} */
  async ask(question: string, { holdsFor = [question], isOfGuards = false }: Question = {}): Promise<boolean> {
    this.#requireCurrent()
    const asked: Yes = { holdsFor, isOfGuards, foretold: [...this.#foretold.values()] }
    const found = this.#step.sent > 0 ? undefined : this.#left.find((yes) => isSame(yes, asked))
    if (found !== undefined) {
      this.#left = this.#left.filter((yes) => yes !== found)
      this.#held = found === this.#step.yes.at(-1) ? undefined : []
      return true
    }
    const latest = this.#step.yes.at(-1)
    if (this.#held !== undefined && latest !== undefined) {
      this.#emit('warn', describeChange(latest, asked))
      this.#release()
    }
    const isYes = await this.#step.confirm(question)
    this.#requireCurrent()
    this.isDeclined = !isYes
    if (!isYes || this.#step.sent > 0) return isYes
    this.#step.yes = [...this.#step.yes, asked]
    this.#isOver = true
    throw new BeginsAgain()
  }

  /** Of one order. */
  sending(): NonNullable<OrderedBy['asking']> {
    let sent = 0
    return {
      begin: async () => {
        await this.#requireAsked()
        this.#step.sent += 1
        sent += 1
      },
      refused: () => {
        if (sent === 0) return
        this.#step.sent -= 1
        sent -= 1
      },
    }
  }

  /** @throws {BeginsAgain} @throws {CommandError} `cancelled` */
  async #requireAsked(): Promise<void> {
    this.#requireCurrent()
    if (this.#step.sent > 0 || !this.#isElse()) return
    // Of orders that are sent together, one asks.
    this.#asking ??= this.#askForEffect()
    await this.#asking
  }

  end(): void {
    if (!this.#isOver) this.#release()
  }

  /** Whether the step does something else than was asked about last. The guards ask only after this, so of theirs the facts decide. */
  #isElse(): boolean {
    const latest = this.#step.yes.at(-1)
    if (latest === undefined || !this.#left.includes(latest)) return false
    return !latest.isOfGuards || !isSame(latest, { ...latest, foretold: [...this.#foretold.values()] })
  }

  async #askForEffect(): Promise<void> {
    const effects = [...this.#foretold.values()].flatMap(({ symbol, effect }) =>
      effect === undefined ? [] : [`${symbol}: ${effect}`],
    )
    const question =
      effects.length === 0 ? `run \`${this.#step.line}\` anyway? y or n >` : questionOf(effects.join('; '), 'send it?')
    if (!(await this.ask(question))) throw new CommandError('cancelled', 'canceled: nothing was sent')
  }

  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const write of held) write()
  }

  #requireCurrent(): void {
    if (this.#isOver) throw new BeginsAgain()
  }
}

/** Two figures, of what was asked and of what would be asked now, are the same within this. */
const SAME_SHARE = '0.02'
/** So are percentages this many points apart: what a lot rounds off is a small share that the price moves much. */
const SAME_POINTS = '0.1'

/** A figure by itself: the digits of a name belong to it. Before it, the spaces that align it in a table. */
const FIGURE = / *(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?:%|(?!\w))/g

function isSame(asked: Yes, now: Yes): boolean {
  return isNearly(restOf(asked), restOf(now))
}

/** All that the answer rests on. */
function restOf({ holdsFor, foretold }: Yes): string {
  const facts = foretold.flatMap(({ symbol, facts }) => [symbol, ...Object.values(facts)])
  return [...holdsFor, ...facts].join('\n')
}

/** `BTCUSDT has changed since that question: position short 0.01, now flat`. */
function describeChange(asked: Yes, now: Yes): string {
  for (const { symbol, facts } of now.foretold) {
    const before = asked.foretold.find((each) => each.symbol === symbol)?.facts ?? {}
    const changed = Object.entries(facts).flatMap(([name, is]) => {
      const was = before[name] ?? is
      return isNearly(was, is) ? [] : [`${name} ${was}, now ${is}`]
    })
    if (changed.length > 0) return `${symbol} has changed since that question: ${changed.join('; ')}`
  }
  return 'the figures have changed since that question'
}

function isNearly(before: string, after: string): boolean {
  if (before === after) return true
  if (wordsOf(before) !== wordsOf(after)) return false
  const is = figuresOf(after)
  return figuresOf(before).every((figure, index) => isNear(figure, is[index] ?? figure))
}

function wordsOf(text: string): string {
  return text.replace(FIGURE, (figure) => (figure.endsWith('%') ? '#%' : '#')).replaceAll(/ +/g, ' ')
}

interface Figure {
  readonly value: Decimal
  readonly isPercent: boolean
}

function figuresOf(text: string): readonly Figure[] {
  return [...text.matchAll(FIGURE)].map(([figure]) => ({
    value: new Decimal(figure.replaceAll(/[ ,%]/g, '')),
    isPercent: figure.endsWith('%'),
  }))
}

function isNear(a: Figure, b: Figure): boolean {
  const apart = a.value.minus(b.value).abs()
  if (a.isPercent && apart.lte(SAME_POINTS)) return true
  return apart.lte(Decimal.max(a.value, b.value).times(SAME_SHARE))
}
