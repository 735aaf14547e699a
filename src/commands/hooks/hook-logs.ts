// `hook logs`: the runs of one hook with what they printed, newest last, as the journals have them across restarts.
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import type { RunSummary } from '../../runs/run.ts'
import { showDuration, showMoment } from '../../trading/figures.ts'
import { type CommandContext, type CommandForm, type CompletionContext, requireMayRun } from '../kit/command.ts'
import type { HookLogData } from '../kit/data.ts'
import { readInteger, refuseMoreThan, requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'
import { pause } from '../kit/running.ts'
import { printOutput, runData, runLine, showState, whyEnded } from '../session/runs.ts'

type Need = 'hooks' | 'runArchive'

const DEFAULT_COUNT = 10
const MAX_COUNT = 200
/** With `--follow`: fires may come to another process, so that the journals are asked. */
const EVERY_MS = 1_000
/** The newest, each time. */
const FOLLOWED = 50

export function logsForm(complete: (context: CompletionContext) => readonly string[]): CommandForm<Need> {
  return {
    name: 'logs',
    usage: '<name | id | prefix> [--limit <runs>] [--follow]',
    summary: 'last runs of a hook with their output, newest last',
    where: 'anywhere',
    rows: true,
    immediate: true,
    underPanic: true,
    examples: [
      { line: 'hook logs dip', meaning: `the last ${DEFAULT_COUNT}, including runs from before a restart` },
      { line: 'hook logs dip --limit 1', meaning: 'only the newest run' },
      { line: 'hook logs dip --follow', meaning: 'and new runs, until Ctrl-C' },
    ],
    complete: (context) => (context.words.length === 0 ? complete(context) : ['--limit', '--follow']),
    async run(context, args) {
      const { hook, limit, follows } = readLogs(context, args)
      if (follows) requireMayRun('hook logs --follow', 'trusted', context.source)
      const name = printable(hook.name, 128)
      const since = context.clock.now()
      const runs = await context.ports.runArchive.find({ limit, hook: hook.id })
      if (runs.length === 0) context.out.info(`hook ${name} has not run yet`)
      const shown = new Set<string>()
      await showEnded(context, runs, shown, follows)
      if (follows) await follow(context, hook.id, since, shown)
    },
  }
}

function readLogs({ ports }: CommandContext<Need>, args: readonly Argument[]) {
  const { rest: unlimited, value } = takeOption(args, '--limit', 'the number of runs')
  const { rest, given } = takeFlag(unlimited, '--follow')
  const hook = ports.hooks.resolve(requireText(rest, 0, "the hook's name or id"))
  refuseMoreThan(1, rest)
  const column = args.find((argument) => argument.kind === 'word' && argument.text.startsWith('--limit'))?.column ?? 1
  const limit = value === undefined ? DEFAULT_COUNT : readInteger({ kind: 'word', text: value, column }, 1, MAX_COUNT)
  return { hook, limit, follows: given }
}

/** @throws {CommandError} `interrupted`: that is how it ends */
async function follow(context: CommandContext<Need>, hook: string, since: number, shown: Set<string>): Promise<void> {
  for (;;) {
    await pause(context, EVERY_MS)
    // A run that began before may end only now.
    const runs = await context.ports.runArchive.find({ limit: FOLLOWED, hook, since: since - 24 * 60 * 60_000 })
    await showEnded(
      context,
      runs.filter(({ finishedAt = 0 }) => finishedAt >= since),
      shown,
      true,
    )
  }
}

/** Oldest first. @param waits a run that goes on is shown when it has ended */
async function showEnded(
  context: CommandContext<Need>,
  newestFirst: readonly RunSummary[],
  shown: Set<string>,
  waits: boolean,
): Promise<void> {
  const oldestFirst = newestFirst.toSorted((a, b) => a.startedAt - b.startedAt)
  for (const run of oldestFirst) {
    const goesOn = run.state === 'running' || run.state === 'waiting'
    if (shown.has(run.runId) || run.runId === context.runId || (goesOn && waits)) continue
    shown.add(run.runId)
    await showRun(context, run)
  }
}

/** `2026-11-22 16:04:12 UTC  5a0e81c2  done in 84ms  buy $250`. */
async function showRun(context: CommandContext<Need>, run: RunSummary): Promise<void> {
  const output = await context.ports.runArchive.output(run)
  const { runId, startedAt, finishedAt, trigger, values, error } = run
  const took = finishedAt === undefined ? '' : ` in ${showDuration(Math.max(0, finishedAt - startedAt))}`
  const data: HookLogData = {
    type: 'hook-log',
    run: runData(run),
    output: output.lines.map(([afterMs, kind, text]) => ({ afterMs, kind, text })),
    leftOut: output.leftOut,
  }
  const head = [
    `${showMoment(startedAt)}`,
    runId.slice(0, 8),
    `${showState(run)}${took}`,
    ...(values === undefined ? [] : [printable(runLine(run), 200)]),
    ...(trigger === undefined ? [] : [printable(trigger, 200)]),
  ]
  context.out.print(head.filter((part) => part !== '').join('  '), data)
  printOutput(context, output)
  if (error !== undefined) context.out.warn(whyEnded(run, error))
}
