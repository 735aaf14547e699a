// A chain against the catalogue: stages in order, the steps of a stage together; a failed step ends its chain, and what did not run is named
// (behaviour 29). A single command that needs no waiting completes without touching the microtask queue.

import { defined } from '../base/defined.ts'
import { remembering } from '../base/remembering.ts'
import { unknownAccount } from '../commands/account/account-name.ts'
import { bindVariables, variableOf } from '../commands/flow/variables.ts'
import { type AnyForm, requireMayRun } from '../commands/kit/command.ts'
import { grantOfRun, requireGranted } from '../commands/kit/effects.ts'
import { CommandError, describeRefusal, isRefusal, type Refusal } from '../commands/kit/errors.ts'
import { printWould } from '../commands/kit/preview.ts'
import { type CommandLookup, findForm, isFamily, requireTimeUnits } from '../commands/kit/resolve.ts'
import { Simulated } from '../exchange/simulated.ts'
import type { Chain, CommandCall, Link, Stage, Step } from '../language/chain.ts'
import { callsIn, expandAlias } from '../language/expansion.ts'
import { correctionOf, type FocusQuestion, type FocusTaken, focusTakenIn, mayWorkOn } from '../language/focus-taken.ts'
import { bindSlots, parseHookChain } from '../language/hook-chain.ts'
import { LanguageError, pointAt } from '../language/language-error.ts'
import { parseChain } from '../language/parse.ts'
import { printCall, printStage } from '../language/print.ts'
import { printable, shown } from '../language/printable.ts'
import { refuseEatenDollar } from '../language/shell-dollar.ts'
import { isOfOperator, type RunRequest } from '../runs/run.ts'
import type { PanicStore } from '../stores/panic.ts'
import { inTimeZone } from '../trading/figures.ts'
import { SymbolError } from '../trading/trading-error.ts'
import type { DryStep } from './preview/preview-orders.ts'
import { interrupted, type LiveRun, RunContext, type RunEnvironment, type StepFailure } from './run-context.ts'
import { BeginsAgain, StepAttempt, type StepQuestions } from './step-questions.ts'

interface Scope {
  readonly run: LiveRun
  readonly environment: RunEnvironment
  /** The line as typed, for the caret under an error's column. */
  readonly line: string
  /** Of a line of several stages. */
  readonly place?: Place
  /** Inside a step with `||`: what failed in it and may yet be recovered from. */
  readonly failures?: StepFailure[]
  readonly bare: Bare
}

/** What steps have opened that a later step was to protect. */
interface Bare {
  readonly reports: (() => Promise<unknown>)[]
  hasFailed: boolean
}

/** Where a step is in its line. */
interface Place {
  readonly stages: readonly Stage[]
  readonly index: number
  /** Of the group or alias that it is inside. */
  readonly outer: Place | undefined
}

interface StepEnd {
  readonly succeeded: boolean
  /** What did not run because of a failure. */
  readonly skipped: readonly CommandCall[]
}

/** Of the line that names what did not run. */
const MAX_NAMED = 200

/** Parses and executes a line. @returns whether it succeeded; failures are told to the run as they happen */
export function executeLine(
  line: string,
  parse: (line: string) => Chain,
  { run, environment }: Pick<Scope, 'run' | 'environment'>,
): boolean | Promise<boolean> {
  const bare: Bare = { reports: [], hasFailed: false }
  const scope = { run, environment, line, bare }
  try {
    if (run.isAborted) throw interrupted()
    const pinned = run.request.account
    if (pinned !== undefined && !environment.ports.accounts.find(pinned)) throw unknownAccount(pinned)
    const chain = parse(line)
    if (run.request.isFromShell === true) refuseEatenDollar(chain, environment.lookup)
    // A line of a hook was checked when it was stored: an old one must not break off behind its order.
    if (run.request.source !== 'hook') for (const call of callsIn(chain)) requireTimeUnits(call, environment.lookup)
    const asked = requireFocusMeant({ chain, line, parse }, run, environment)
    const ending = asked === undefined ? executeChain(chain, scope) : executeOnceAsked(asked, chain, scope)
    return typeof ending === 'boolean' ? ending : thenReportBare(ending, scope)
  } catch (error) {
    return reportFailure(error, scope)
  }
}

/** Also where a step behind `||` has taken the place of the one that failed. */
async function thenReportBare(ending: Promise<boolean>, { bare, environment }: Scope): Promise<boolean> {
  const succeeded = await ending
  if (bare.hasFailed && environment.isPreview !== true) for (const report of bare.reports) await report()
  return succeeded
}

async function executeOnceAsked(asked: Promise<void>, chain: Chain, scope: Scope): Promise<boolean> {
  try {
    await asked
  } catch (error) {
    return reportFailure(error, scope)
  }
  return executeChain(chain, scope)
}

function executeChain(chain: Chain, scope: Scope): boolean | Promise<boolean> {
  const [stage] = chain.stages
  const [only] = stage?.commands ?? []
  if (!only) return true
  if (chain.stages.length === 1 && stage?.commands.length === 1 && !only.links) return executeCall(only, scope)
  return executeStages(chain.stages, scope)
}

async function executeStages(stages: readonly Stage[], outer: Scope): Promise<boolean> {
  for (const [index, { commands }] of stages.entries()) {
    const place = { stages, index, outer: outer.place }
    const scope = { ...outer, place }
    outer.run.placesStopAhead = (symbol) => isProtectedLater(symbol, place, outer)
    const ends = await Promise.all(commands.map((step) => executeStep(step, scope)))
    if (ends.every(({ succeeded }) => succeeded)) continue
    const skipped = ends.flatMap((end) => end.skipped)
    nameSkipped([...skipped.map(printCall), ...stages.slice(index + 1).map(printStage)], scope)
    return false
  }
  outer.run.placesStopAhead = outer.place && ((symbol) => isProtectedLater(symbol, outer.place, outer))
  return true
}

async function executeStep(step: Step, scope: Scope): Promise<StepEnd> {
  if (step.links) return executeLinked(step, step.links, scope)
  const succeeded = await executeNoted(step, scope)
  return { succeeded: succeeded === true, skipped: succeeded === undefined ? [step] : [] }
}

/** `a && b || c`, from the left. A run that was cut short tries nothing else. */
async function executeLinked(first: CommandCall, links: readonly Link[], outer: Scope): Promise<StepEnd> {
  const { run } = outer
  const failures: StepFailure[] = []
  const scope = { ...outer, failures }
  let skipped: CommandCall[] = []
  const ends = async (call: CommandCall): Promise<boolean> => {
    const ended = await executeNoted(call, scope)
    if (ended === undefined) skipped.push(call)
    return ended === true
  }
  let succeeded = await ends(first)
  for (const { operator, call } of links) {
    if (succeeded !== (operator === '&&') || (!succeeded && run.isAborted)) {
      if (!succeeded) skipped.push(call)
      continue
    }
    const isRecovery = !succeeded
    succeeded = await ends(call)
    if (!isRecovery || !succeeded) continue
    for (const failure of failures.splice(0)) run.recover(failure)
    skipped = []
  }
  outer.failures?.push(...failures)
  return { succeeded, skipped: succeeded ? [] : skipped }
}

/** Nothing is undone: what ran stays as it is, and people read what is missing. */
function nameSkipped(steps: readonly string[], { run }: Scope): void {
  if (steps.length > 0) run.emit('warn', printable(`not run: ${steps.join('; ')}`, MAX_NAMED))
}

/**
 * One of several steps: when it ran, and whether it succeeded, is kept with the run.
 * @returns undefined where the run was stopped before it: whether that came before or after the end of the step in front is chance
 */
async function executeNoted(call: CommandCall, scope: Scope): Promise<boolean | undefined> {
  const { run, environment } = scope
  const startedAt = environment.clock.now()
  try {
    run.beginStep()
  } catch (error) {
    reportFailure(error, scope, call)
    return run.isAborted && environment.isPreview !== true ? undefined : false
  }
  const succeeded = await executeCall(call, scope, true)
  run.noteStep({ call, startedAt, endedAt: environment.clock.now(), succeeded })
  return succeeded
}

function executeCall(call: CommandCall, scope: Scope, hasBegun = false): boolean | Promise<boolean> {
  try {
    if (!hasBegun) scope.run.beginStep()
    const pending = start(call, scope)
    if (pending === undefined) return true
    return pending.catch((error: unknown) => endStep(error, scope, call))
  } catch (error) {
    return endStep(error, scope, call)
  }
}

/** @returns undefined when the command has already succeeded */
function start(call: CommandCall, scope: Scope): Promise<boolean> | undefined {
  const { run, environment } = scope
  const { lookup, ports } = environment
  // An alias never shadows a command, so the file of aliases is looked at only for names the catalogue does not know.
  const alias = lookup.find(call.name) ? undefined : expandAlias(call, ports.aliases.read())
  if (alias) return Promise.resolve(executeChain(alias, scope))
  const typed = lookup.resolve(call)
  const { path, form, args } = typed
  requireMayRun(path, form.where, run.source)
  if (form.showsAccounts === true && hidesAccounts(run, environment)) return undefined
  const speaker = { source: run.source, by: run.request }
  const values = bindVariables(form, args, (name) => variableOf(ports.variables, speaker, name))
  holdToGrant(run, environment, { path, args: values, isDry: typed.isDry })
  const inner = (chain: Chain) => Promise.resolve(executeChain(chain, scope))
  const runChain = (chain: Chain) => {
    const pause = yieldToEventLoop()
    // A line of `repeat` costs no more microtasks than it must.
    return pause ? pause.then(() => inner(chain)) : inner(chain)
  }
  if (typed.isDry && environment.isPreview !== true)
    return dryStep({ form, args: values, isNear: typed.isNear, isFar: typed.isFar, run, environment, runChain })
  const isLater = (symbol: string, ifNot: () => Promise<unknown>) => {
    const protects = isProtectedLater(symbol, scope.place, scope)
    if (protects) scope.bare.reports.push(ifNot)
    return protects
  }
  const inputs = values === args ? typed : { ...typed, args: values }
  // Of the terminal alone: what hooks and pages are answered has UTC.
  const zone = run.source === 'repl' ? ports.terminal?.times?.zone : undefined
  const attempt = (asking?: StepAttempt): Promise<void> | undefined => {
    const context = new RunContext(run, environment, runChain, inputs, isLater, asking)
    const pending = zone === undefined ? form.run(context, values) : inTimeZone(zone, () => form.run(context, values))
    return pending?.catch((error: unknown) => {
      throw context.isDeclined && isRefusal(error) ? new Declined(error) : error
    })
  }
  const confirm = form.sends === true && run.source === 'repl' ? ports.terminal?.confirm : undefined
  const pending =
    confirm === undefined
      ? attempt()
      : answering({ line: printable(printCall(call), 120), confirm, emit: run.emit.bind(run) }, attempt)
  return pending?.then(() => true)
}

/** The step as often as a question of it is answered with yes. */
async function answering(
  { line, confirm, emit }: Pick<StepQuestions, 'line' | 'confirm'> & Pick<LiveRun, 'emit'>,
  run: (asking: StepAttempt) => Promise<void> | undefined,
): Promise<void> {
  const step: StepQuestions = { line, confirm, yes: [], sent: 0 }
  for (;;) {
    const attempt = new StepAttempt(step, emit)
    try {
      return await run(attempt)
    } catch (error) {
      if (!(error instanceof BeginsAgain)) throw error
    } finally {
      attempt.end()
    }
  }
}

/** Whether a command of its stage, or of a later one, places a stop on this market. */
function isProtectedLater(
  symbol: string,
  place: Place | undefined,
  scope: Pick<Scope, 'run' | 'environment'>,
): boolean {
  if (place === undefined) return false
  const calls = callsIn({ stages: place.stages.slice(place.index) })
  return (
    calls.some(placesStopOn(symbol, scope.environment, scope.run.symbol)) ||
    isProtectedLater(symbol, place.outer, scope)
  )
}

/** Whether a command of the line places a stop on this market; no, where it does not parse. */
export function lineProtects(
  line: string,
  symbol: string,
  environment: Pick<RunEnvironment, 'lookup' | 'ports'>,
): boolean {
  try {
    return callsIn(parseHookChain(line)).some(placesStopOn(symbol, environment))
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return false
  }
}

/** @param focus of the run; absent: not known */
function placesStopOn(
  symbol: string,
  { lookup, ports }: Pick<RunEnvironment, 'lookup' | 'ports'>,
  focus?: string,
): (call: CommandCall) => boolean {
  const question = {
    table: lookup,
    ...defined({ focus }),
    get variables() {
      return ports.variables.read()
    },
  }
  const aliasOf = (call: CommandCall): Chain | undefined => {
    try {
      return expandAlias(call, ports.aliases.read())
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error
      return undefined
    }
  }
  const protects = (call: CommandCall): boolean => {
    const command = lookup.find(call.name)
    if (command !== undefined)
      return !isFamily(command) && command.placesStop === true && mayWorkOn(symbol, call, question)
    // One that does not expand fails as its turn comes.
    return callsIn(aliasOf(call) ?? { stages: [] }).some(protects)
  }
  return protects
}

/** A refusal after a person answered the command's question with no. */
class Declined extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** As the grant is now: each step asks anew. What is only worked out is a look. @throws {CommandError} `not-granted` */
function holdToGrant(
  { request, accountName: account }: LiveRun,
  { ports, isPreview }: RunEnvironment,
  call: Omit<Parameters<typeof requireGranted>[1], 'account'>,
): void {
  if (request.source !== 'web' || isPreview === true) return
  const grant = grantOfRun(request, ports.trustedClients)
  if (grant !== undefined) requireGranted(grant, { ...call, account })
}

/** A hook goes on: what it would have shown must not keep its next step from running. @throws {CommandError} `disabled` */
function hidesAccounts(run: LiveRun, { ports }: RunEnvironment): boolean {
  if (isOfOperator(run.source) || ports.config.readOncePerTurn().listener.accountSync) return false
  if (run.source === 'web') {
    throw new CommandError('disabled', 'accountSync disabled', {
      hint: 'type it in the terminal, or `switch on accountSync` there',
    })
  }
  run.emit('info', 'accountSync is off: not shown')
  return true
}

async function dryStep(step: DryStep): Promise<boolean> {
  const { runDry } = await import('./preview/preview-orders.ts')
  await runDry(step)
  return true
}

/** A step that was only simulated has succeeded with that (behaviour 40). */
function endStep(error: unknown, scope: Scope, call: CommandCall): boolean {
  if (!(error instanceof Simulated)) return reportFailure(error, scope, call)
  const { run, environment } = scope
  printWould(error.would, (text, data) => run.emit('info', text, data), environment.ports.marketsOf(run.accountName))
  return true
}

function reportFailure(error: unknown, scope: Scope, call?: CommandCall): false {
  const failure: StepFailure =
    error instanceof Declined
      ? { ...describeFailure(error.refusal, scope, call), isDeclined: true }
      : describeFailure(error, scope, call)
  scope.run.failStep(failure)
  scope.failures?.push(failure)
  scope.bare.hasFailed = true
  return false
}

/** What people read when a step fails. Anything that is not a refusal is a bug: people get one line, the log gets the stack. */
function describeFailure(thrown: unknown, scope: Scope, call: CommandCall | undefined): StepFailure {
  const error = withUsage(thrown, scope, call)
  if (!isRefusal(error)) {
    scope.run.reportBug(error)
    const message = error instanceof Error ? error.message : String(error)
    const summary = `internal error: ${message}; see hookline.log`
    return { summary, text: summary, error }
  }
  const summary = describeRefusal(error)
  const column = columnOf(error, call)
  const text = column === undefined ? summary : `${summary}\n${pointAt(scope.line, column)}`
  return { summary, text, error }
}

/** In the line; undefined: it is of no one word. */
function columnOf(error: Refusal, call: CommandCall | undefined): number | undefined {
  // Without arguments the column is the command's own.
  if (error instanceof LanguageError) return call?.args.length === 0 ? call.column : error.column
  if (!(error instanceof SymbolError)) return undefined
  const symbol = error.symbol.toUpperCase()
  for (const argument of call?.args ?? []) {
    if (argument.kind === 'group') continue
    const words = [...argument.text.toUpperCase().matchAll(/[^\s,]+/g)]
    const found = words.find(([word]) => word === symbol)
    if (found !== undefined) return argument.column + found.index + (argument.kind === 'string' ? 1 : 0)
  }
  return undefined
}

/** Where an argument is missing, and the command has no example of its own, its help has one. */
function withUsage(error: unknown, { environment }: Scope, call: CommandCall | undefined): unknown {
  const isBare = error instanceof LanguageError && error.code === 'missing-argument' && error.hint === undefined
  const command = isBare && call !== undefined ? environment.lookup.find(call.name) : undefined
  if (!isBare || command === undefined) return error
  const [first] = call?.args ?? []
  const form = isFamily(command) && first?.kind === 'word' ? findForm(command, first.text) : undefined
  const path = form === undefined ? command.name : `${command.name} ${form.name}`
  return new LanguageError(error.code, error.message, error.column, `\`help ${path}\` shows its arguments`)
}

// Before the first step of a typed chain: whether it takes the focus behind a step that names another symbol (behaviour 29). A fire is not asked: its
// line was checked when it was registered.

interface TypedChain {
  readonly chain: Chain
  readonly line: string
  readonly parse: (line: string) => Chain
}

/**
 * At the terminal it asks; where no one can answer it refuses. A preview says it.
 * @returns undefined when there is nothing to wait for
 * @throws {LanguageError} `takes-focus` @throws {CommandError} `canceled`
 */
function requireFocusMeant(
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
  if (lookup.resolve(found.call).isDry) return undefined
  const confirm = (text: string) => terminal.confirm?.(text) ?? Promise.resolve(false)
  return ask(confirm, `run \`${found.verb}\` on ${printable(run.symbol, 40)}? y or n >`, { run, hint })
}

async function ask(
  confirm: (question: string) => Promise<boolean>,
  question: string,
  { run, hint }: { readonly run: LiveRun; readonly hint: string },
): Promise<void> {
  if ((await confirm(question)) && !run.isAborted) return
  throw new Declined(new CommandError('cancelled', 'canceled: nothing was run', { hint }))
}

function describe({ verb, named }: FocusTaken, focus: string): string {
  const where = printable(focus, 40)
  return `\`${verb}\` names no symbol and takes ${where}, which is in focus, while \`${named.verb}\` names ${shown(named.typed)}`
}

/** Runs that need no waiting hold the event loop for no longer. */
export const MAX_HOLD_MS = 10

let lastYield = 0
/** Of all runs that wait for the next turn: with one for each, every one of them could hold that turn for as long. */
let turn: Promise<void> | undefined

/**
 * Lets the event loop turn when runs have held it for too long, all of them together: a chain of commands that need no waiting, repeated a
 * thousand times, must not keep kill switches, other clients and the operator out.
 */
function yieldToEventLoop(): Promise<void> | undefined {
  if (turn !== undefined) return turn
  if (performance.now() - lastYield < MAX_HOLD_MS) return undefined
  turn = new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      lastYield = performance.now()
      resolve()
    })
  })
  return turn
}

type Parse = (line: string) => Chain

const MAX_LINES = 1_000

/** How the line of a run is read; with the values of its alert, where it has some. @throws {LanguageError} when it reads */
export function createLineReader(): (request: Pick<RunRequest, 'values'>) => Parse {
  // A hook's line is the same at every fire.
  const parse = remembering(parseChain, MAX_LINES)
  const parseBody = remembering(parseHookChain, MAX_LINES)
  return ({ values }) => (values === undefined ? parse : (line) => bindSlots(parseBody(line), values))
}

// While panic is on, only what stops, reduces or looks may be typed (behaviour 30). What sends an order may be typed too: in front of the venue
// the guard lets through only what reduces or protects.

/** The table as runs use it: `resolve` throws {CommandError} `panic` for all that must wait for `resume`. */
export function lookupUnderPanic(lookup: CommandLookup, panic: Pick<PanicStore, 'readOncePerTurn'>): CommandLookup {
  return {
    ...lookup,
    resolve(call) {
      const resolved = lookup.resolve(call)
      if (panic.readOncePerTurn() !== undefined && !mayRunUnderPanic(resolved.form)) {
        throw new CommandError('panic', `panic is on, so \`${resolved.path}\` does not run`, {
          hint: 'type `resume` in the terminal first',
        })
      }
      return resolved
    },
  }
}

export function mayRunUnderPanic({
  immediate,
  underPanic,
  sends,
}: Pick<AnyForm, 'immediate' | 'underPanic' | 'sends'>): boolean {
  return immediate === true || underPanic === true || sends === true
}
