// A chain against the catalogue: stages in order, the commands of a stage together, a failed step reported and passed over
// (behaviour 29). A single command that needs no waiting completes without touching the microtask queue.

import { unknownAccount } from '../commands/account/account.ts'
import { bindVariables } from '../commands/flow/variables.ts'
import { describeRefusal, isRefusal } from '../commands/kit/refusal.ts'
import { requireMayRun } from '../commands/kit/where.ts'
import type { Chain, CommandCall, Stage } from '../language/chain.ts'
import { pointAt } from '../language/column-pointer.ts'
import { expandAlias } from '../language/expand-alias.ts'
import { LanguageError } from '../language/language-error.ts'
import { interrupted, type LiveRun, RunContext, type RunEnvironment, type StepFailure } from './run-context.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

interface Scope {
  readonly run: LiveRun
  readonly environment: RunEnvironment
  /** The line as typed, for the caret under an error's column. */
  readonly line: string
}

/** Parses and executes a line. @returns whether every step succeeded; failures are told to the run as they happen */
export function executeLine(
  line: string,
  parse: (line: string) => Chain,
  { run, environment }: Omit<Scope, 'line'>,
): boolean | Promise<boolean> {
  const scope = { run, environment, line }
  try {
    if (run.isAborted) throw interrupted()
    const pinned = run.request.account
    if (pinned !== undefined && !environment.ports.accounts.find(pinned)) throw unknownAccount(pinned)
    return executeChain(parse(line), scope)
  } catch (error) {
    return reportFailure(error, scope)
  }
}

function executeChain(chain: Chain, scope: Scope): boolean | Promise<boolean> {
  const [stage] = chain.stages
  const [only] = stage?.commands ?? []
  if (!only) return true
  if (chain.stages.length === 1 && stage?.commands.length === 1) return executeCall(only, scope)
  return executeStages(chain.stages, scope)
}

async function executeStages(stages: readonly Stage[], scope: Scope): Promise<boolean> {
  let succeeded = true
  for (const stage of stages) {
    const outcomes = await Promise.all(stage.commands.map((call) => executeCall(call, scope)))
    succeeded &&= outcomes.every(Boolean)
  }
  return succeeded
}

function executeCall(call: CommandCall, scope: Scope): boolean | Promise<boolean> {
  try {
    const pending = start(call, scope)
    if (pending === undefined) return true
    return pending.catch((error: unknown) => reportFailure(error, scope, call))
  } catch (error) {
    return reportFailure(error, scope, call)
  }
}

/** @returns undefined when the command has already succeeded */
function start(call: CommandCall, scope: Scope): Promise<boolean> | undefined {
  const { run, environment } = scope
  run.beginStep()
  const { lookup, ports } = environment
  // An alias never shadows a command, so the file of aliases is looked at only for names the catalogue does not know.
  const alias = lookup.find(call.name) ? undefined : expandAlias(call, ports.aliases.read())
  if (alias) return Promise.resolve(executeChain(alias, scope))
  const { path, form, args } = lookup.resolve(call)
  requireMayRun(path, form.where, run.source)
  const values = bindVariables(form, args, (name) => ports.variables.read()[name])
  const context = new RunContext(run, environment, (inner) => {
    const pause = yieldToEventLoop()
    // A line of `repeat` costs no more microtasks than it must.
    return pause ? pause.then(() => executeChain(inner, scope)) : Promise.resolve(executeChain(inner, scope))
  })
  return form.run(context, values)?.then(() => true)
}

function reportFailure(error: unknown, scope: Scope, call?: CommandCall): false {
  scope.run.failStep(describeFailure(error, scope, call))
  return false
}

/** What people read when a step fails. Anything that is not a refusal is a bug: people get one line, the log gets the stack. */
function describeFailure(error: unknown, scope: Scope, call: CommandCall | undefined): StepFailure {
  if (!isRefusal(error)) {
    scope.run.reportBug(error)
    const message = error instanceof Error ? error.message : String(error)
    const summary = `internal error: ${message}; see hookline.log`
    return { summary, text: summary, error }
  }
  const summary = describeRefusal(error)
  if (!(error instanceof LanguageError)) return { summary, text: summary, error }
  // Without arguments the column is the command's own.
  const column = call?.args.length === 0 ? call.column : error.column
  return { summary, text: `${summary}\n${pointAt(scope.line, column)}`, error }
}
