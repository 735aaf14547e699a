// What a command is, and everything it may touch. A command never sees a socket, a terminal or a file: it gets ports.

import type { KnownMarkets } from '../../exchange/market.ts'
import type { Argument, Chain, Word } from '../../language/chain.ts'
import type { SymbolUse } from '../../language/focus-taken.ts'
import { printable } from '../../language/printable.ts'
import type { Size } from '../../language/size.ts'
import type { RunRequest, Source } from '../../runs/run.ts'
import { ROW_LIMITS } from '../../stores/rows.ts'
import type { Clock } from '../../trading/clock.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderEvent } from '../../trading/order-event.ts'
import type { OrderedBy } from '../../trading/order-plan.ts'
import type { CommandData } from './data.ts'
import { CommandError } from './errors.ts'
import type { CommandPorts, PortName } from './ports.ts'

/**
 * `by hand`: a person, at the terminal or in a page, and no hook. `trusted`: only a person at this machine's terminal (`repl`, `exec`); behaviour
 * 18 and 19. `repl`: only the interactive REPL.
 */
type Where = 'anywhere' | 'by hand' | 'trusted' | 'repl'

/**
 * Lines a command emits. Text may hold several lines; it never ends in a newline and holds no colour codes. `data` says the same to programs
 * (`--json`).
 */
export interface Output {
  print(text: string, data?: CommandData): void
  success(text: string, data?: CommandData): void
  warn(text: string, data?: CommandData): void
  error(text: string, data?: CommandData): void
  info(text: string, data?: CommandData): void
}

/** Beside the words of a question. */
export interface Question {
  /** What a yes holds for. Default: the question, word for word, with figures within 2%. */
  readonly holdsFor?: readonly string[]
  /** It is asked while the order is being sent: a limit of the account. */
  readonly isOfGuards?: boolean
}

/** What a step is about to do on a symbol. */
export interface Foretold {
  readonly symbol: string
  /** `the buy opens a long of 0.02 BTC`. Absent: the line says it. */
  readonly effect?: string
  /** By name: the position, the price, the amount. Figures that differ by less than 2% are the same. */
  readonly facts: Readonly<Record<string, string>>
}

/** A question with its detail in front of it, which alone is cut. */
export function questionOf(detail: string, ask: string): string {
  return `${printable(detail, MAX_DETAIL)}; ${ask} y or n >`
}

const MAX_DETAIL = 350

/** One command's surroundings within one run. */
export interface CommandContext<Need extends PortName = never> {
  /** What the form has declared. */
  readonly ports: Pick<CommandPorts, Need>
  readonly clock: Clock
  readonly source: Source
  /** Whose hook or session it comes from. */
  readonly by: Pick<RunRequest, 'origin' | 'hookId' | 'clientId' | 'onWait'>
  readonly runId: string
  readonly out: Output
  /** Aborts when the run is cut short (shutdown). Anything that waits must listen. */
  readonly signal: AbortSignal
  /** As `signal.aborted`, without making the signal. */
  readonly isAborted: boolean
  /** The account this run trades on: pinned, or the one focused at the REPL. @throws {CommandError} `unknown-account` */
  account(): Promise<TradingAccount>
  readonly accountName: string
  /** What is kept of the markets of an account: nothing is asked. */
  readonly marketsOf: (account: string) => KnownMarkets
  /** The symbol used where a command names none. */
  readonly symbol: string
  /** Runs a chain as part of this run (repeat, alias). Resolves false when a step failed. */
  runChain(chain: Chain): Promise<boolean>
  /**
   * Puts a deed of this run into the audit log, and resolves once it is there. Where it cannot be written that is said, and the deed stays
   * done: a revocation must not fail for a full disk.
   */
  audit(what: string, details: Readonly<Record<string, unknown>>): Promise<void>
  /** The account, where a line typed at the terminal goes to another: it is to be named there. */
  readonly elsewhere: (account: string) => string | undefined
  /** Asks the person at the terminal who typed this run; absent where no one did. */
  readonly confirm: ((question: string, about?: Question) => Promise<boolean>) | undefined
  /** The last question of the command was answered with no. */
  readonly isDeclined?: boolean
  /** Before a question: what its answer rests on beside its words, so that a yes holds for nothing else. */
  foretell?(foretold: Foretold): void
  /** Cells that a table may take; undefined: every column is shown, as in a pipe, to a page or a hook, or with `--wide`. */
  readonly tableWidth: number | undefined
  /** `--near` was typed, or a person has said yes: a stop of this step may be close to the price. After a no nobody is asked again. */
  readonly near: { isMeant: boolean; isDeclined?: boolean }
  /** `--far` was typed: a price of this step may be far from the market, or through it, and its risk large. */
  readonly far: { isMeant: boolean }
  /** `--dry` was typed, or the line is only looked at. */
  readonly isDry: boolean
  /**
   * A later step of the line may protect what this one opens on the market.
   * @param ifNot called once the line has ended, where a step of it has failed
   */
  isProtectedLater(symbol: string, ifNot: () => Promise<unknown>): boolean
  /** The line of this command as typed, with this size in the place of its own and its symbol named; undefined: it has no size. */
  retyped(size: Size, symbol: string): string | undefined
  /** For one order of this run; each call is another step, and so another order id. @throws {CommandError} the run was stopped */
  orderedBy(): OrderedBy
  /** Keeps what became of one of its orders, for the line that tells why the run was stopped. */
  noteOrder(event: OrderEvent): void
}

export interface CommandExample {
  readonly line: string
  readonly meaning: string
}

/** One thing that can be typed: the row from which dispatch, help, completion and where it may run all come. */
export interface CommandForm<Need extends PortName = never> {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Without the name: `<size> [SYMBOL] [at <price>]`. Several ways on several lines; empty when there are no arguments. */
  readonly usage: string
  /** One line, a fact, no full stop. */
  readonly summary: string
  readonly where: Where
  readonly examples: readonly CommandExample[]
  /** What `help` shows below them: a table, and what its words mean. */
  readonly details?: readonly string[]
  /** Typed while another line runs, it runs at once instead of waiting its turn: it stops, or looks, and needs no earlier result. */
  readonly immediate?: true
  /** Typed while lines wait for their turn, it asks before it goes past them: what they place comes after it. Of an `immediate` one. */
  readonly asksToOvertake?: true
  /** It protects what is held: it goes past a line that has been running for a while. */
  readonly isProtective?: true
  /** It places a stop for what is held: a step before it says nothing of a position without one. */
  readonly placesStop?: true
  /** While panic is on, it may be typed at the terminal: it stops, reduces or looks. Default: only what is `immediate` may. */
  readonly underPanic?: true
  /** It sends something: with `--dry` it works that out, checks and tells it, and sends nothing (behaviour 40). */
  readonly sends?: true
  /** `--near` says that its stop is meant to be as close to the price as it is. */
  readonly takesNear?: true
  /** `--far` says that a price is meant, however far from the market or through it, and a size by risk, however large. */
  readonly takesFar?: true
  /** A narrow terminal shows fewer columns of its table, and `--wide` all. */
  readonly takesWide?: true
  /** `#breakout` tags what it opens: any word that begins with `#`. */
  readonly takesTags?: true
  /** It lifts a stop, or begins or ends what trades: the hint at a misspelt word never names it, as it never names what sends. */
  readonly neverGuessed?: true
  /** It shows what accounts hold or made: while accountSync is off, not to pages, be it through the output of a hook (behaviour 136). */
  readonly showsAccounts?: true
  /**
   * It answers with data: with `--json` it prints them, and nothing for people. `bare`: only where nothing else is typed; `own`: it reads `--json`
   * itself.
   */
  readonly rows?: true | 'bare' | 'own'
  /** Its arguments are text of the person's own: `--json` is text, too. */
  readonly takesText?: true
  /** It asks for secrets: from a pipe, lines after one that failed may be answers, and are not run. */
  readonly asks?: true
  /** Words that are names of variables, not values: `set @x 5` must not read `@x`. Default: every `@x` is replaced. */
  readonly keepsVariablesIn?: 'first' | 'all'
  /** Reads the arguments without running anything, as a hook's body is checked when it is registered. @throws {LanguageError} */
  check?(args: readonly Argument[]): unknown
  /** A number alone is a size: money without its `$`, where a shell has eaten that. */
  readonly takesSize?: true
  /** The arguments that are durations, without what is in front of them in their words. */
  durations?(args: readonly Argument[]): readonly Word[]
  /** Which symbols it would work on; absent: it needs none. @param args without variables @throws {LanguageError} */
  symbolUse?(args: readonly Argument[]): SymbolUse
  /** Candidates for the argument after `context.words`; the caller filters them by prefix. */
  complete?(context: CompletionContext): readonly string[]
  /**
   * Runs it. Words in `args` have variables replaced. Returning means success; throwing `CommandError`, `LanguageError`
   * or `ExchangeError` fails this step only. Returning no promise keeps cheap commands off the microtask queue.
   */
  run(context: CommandContext<Need>, args: readonly Argument[]): void | Promise<void>
}

export type CommandGroup =
  | 'trading'
  | 'market'
  | 'account'
  | 'history'
  | 'flow'
  | 'hooks'
  | 'tasks'
  | 'cross-trade'
  | 'listener'
  | 'session'

/** A command of one form: `buy`, `echo`. */
export interface SingleCommand<Need extends PortName = never> extends CommandForm<Need> {
  /** Its heading in `help`. */
  readonly group: CommandGroup
}

/** A command whose first argument names a form: `hook create`, `account use`. */
export interface CommandFamily<Need extends PortName = PortName> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly group: CommandGroup
  readonly summary: string
  /** The form that the bare name runs. */
  readonly bare: string
  /** The form that gets all arguments when the first is not a word: `runs 100` is `runs list 100`. */
  readonly otherwise?: string
  readonly forms: readonly CommandForm<Need>[]
}

/** Any row of the table: the executor has every port. */
export type AnyForm = CommandForm<PortName>
export type Command = SingleCommand<PortName> | CommandFamily

/** Names that exist at this moment, for completion. */
export interface CompletionNames {
  readonly symbols: readonly string[]
  readonly accounts: readonly string[]
  readonly hooks: readonly { readonly id: string; readonly name: string }[]
  /** Ids of cross-trade rows. */
  readonly crossTradeRows?: readonly string[]
  /** Ids of the runs under way. */
  readonly runs: readonly string[]
  /** Ids of the tasks that run, or were interrupted. */
  readonly tasks: readonly string[]
  readonly variables: readonly string[]
  readonly aliases: readonly string[]
  readonly commands: readonly string[]
}

export interface CompletionContext extends CompletionNames {
  /** Arguments before the one being completed. */
  readonly words: readonly string[]
}

// Where a command may run: a hook or a web page never reaches what only a person at this machine may do (behaviours 18, 19).

const SOURCES: Record<Where, readonly Source[]> = {
  anywhere: ['repl', 'exec', 'hook', 'web', 'phone'],
  'by hand': ['repl', 'exec', 'web', 'phone'],
  trusted: ['repl', 'exec'],
  repl: ['repl'],
}

const PLACES: Record<Where, string> = {
  anywhere: 'anywhere',
  'by hand': 'only by hand, not from hooks',
  trusted: 'only in the terminal, not from hooks or web pages',
  repl: "only at hookline's own prompt",
}

export function mayRun(where: Where, source: Source): boolean {
  return SOURCES[where].includes(source)
}

/** For `help`: `runs only at hookline's own prompt`. */
export function describeWhere(where: Where): string {
  return `runs ${PLACES[where]}`
}

/** Refuses a command outside its place. @throws {CommandError} `not-allowed-here` */
export function requireMayRun(path: string, where: Where, source: Source): void {
  if (mayRun(where, source)) return
  throw new CommandError('not-allowed-here', `\`${path}\` runs ${PLACES[where]}`, {
    hint: 'type it there',
  })
}

/** How many rows there may be for a run of this source to add one; people add as many as they like (behaviour 141). */
export function maxRowsOf(rows: 'hooks' | 'variables', source: Source): number | undefined {
  return mayRun('trusted', source) ? undefined : ROW_LIMITS[rows]
}

/** Secrets leave the process only through a terminal's own run (behaviour 18). */
export function mayShowSecrets(source: Source): boolean {
  return mayRun('trusted', source)
}
