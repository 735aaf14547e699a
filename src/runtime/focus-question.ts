// Before the first step of a typed chain: whether it takes the focus behind a step that names another symbol (behaviour 29). A fire is not asked: its
// line was checked when it was registered.
import { CommandError } from '../commands/kit/command-error.ts'
import type { Chain } from '../language/chain.ts'
import { correctionOf, type FocusQuestion, type FocusTaken, focusTakenIn } from '../language/focus-taken.ts'
import { LanguageError } from '../language/language-error.ts'
import { printable, shown } from '../language/printable.ts'
import type { LiveRun, RunEnvironment } from './run-context.ts'

export interface TypedChain {
  readonly chain: Chain
  readonly line: string
  readonly parse: (line: string) => Chain
}

/**
 * At the terminal it asks; where nobody can answer it refuses. A preview says it.
 * @returns undefined when there is nothing to wait for
 * @throws {LanguageError} `takes-focus` @throws {CommandError} `canceled`
 */
export function requireFocusMeant(
  { chain, line, parse }: TypedChain,
  run: LiveRun,
  { lookup, ports, isPreview }: RunEnvironment,
): Promise<void> | undefined {
  if (run.source === 'hook' && isPreview !== true) return undefined
  if (chain.stages.length === 0) return undefined
  const question = {
    table: lookup,
    focus: run.symbol,
    get aliases() {
      return ports.aliases.read()
    },
    get variables() {
      return ports.variables.read()
    },
  } satisfies FocusQuestion
  const found = focusTakenIn(chain, question)
  if (found === undefined) return undefined
  const message = describe(found, run.symbol)
  const hint = correctionOf(line, parse, question)
  const { terminal } = ports
  const isTyped = run.source === 'repl'
  if (isPreview === true && (isTyped || run.source === 'hook')) return void run.emit('warn', `${message} (${hint})`)
  if (!isTyped || terminal?.confirm === undefined) {
    throw new LanguageError('takes-focus', message, found.call.column, hint)
  }
  run.emit('warn', `${message} (${hint})`)
  const confirm = (text: string) => terminal.confirm?.(text) ?? Promise.resolve(false)
  return ask(confirm, `run \`${found.verb}\` on ${printable(run.symbol, 40)}? y or n >`, { run, hint })
}

async function ask(
  confirm: (question: string) => Promise<boolean>,
  question: string,
  { run, hint }: { readonly run: LiveRun; readonly hint: string },
): Promise<void> {
  if ((await confirm(question)) && !run.isAborted) return
  throw new CommandError('canceled', 'nothing was run', { hint })
}

function describe({ verb, named }: FocusTaken, focus: string): string {
  const where = printable(focus, 40)
  return `\`${verb}\` names no symbol and takes ${where}, which is in focus, while \`${named.verb}\` names ${shown(named.typed)}`
}
