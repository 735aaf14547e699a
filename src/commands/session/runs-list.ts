// `runs`: what ran, from whom, and how it ended; also before a restart, and in other processes.
import { defined } from '../../base/defined.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { parseMoment } from '../../language/time.ts'
import type { RunSummary } from '../../runs/run.ts'
import { showDuration, showTime } from '../../trading/figures.ts'
import type { CommandForm } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { readInteger, refuseMoreThan, takeFlag, takeOption } from '../kit/read-arguments.ts'

const DEFAULT_COUNT = 20
const MAX_COUNT = 1000

const COLUMNS = [
  { title: 'run' },
  { title: 'started (UTC)' },
  { title: 'took', align: 'right' },
  { title: 'state' },
  { title: 'from' },
  { title: 'account' },
  { title: 'command' },
] as const

export const list: CommandForm<'runArchive'> = {
  name: 'list',
  usage: '[count] [--since <time>] [--hook <name | id>] [--failed]',
  summary: 'running, waiting and past runs, newest first, of this process and all others',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'runs', says: `the last ${DEFAULT_COUNT}; what runs now comes first` },
    { line: 'runs 100 --since 2h', says: 'up to a hundred of the last two hours' },
    { line: 'runs --hook dip --failed', says: 'fires of one hook that failed or were interrupted' },
    { line: 'runs --since 2026-11-21T14:30', says: 'since a UTC time' },
  ],
  complete: ({ words, hooks }) =>
    words.at(-1) === '--hook' ? hooks.map(({ name }) => name) : ['--since', '--hook', '--failed'],
  async run(context, args) {
    const now = context.clock.now()
    const { rest: withoutSince, value: since } = takeOption(args, '--since', 'the time')
    const { rest: withoutHook, value: hook } = takeOption(withoutSince, '--hook', "the hook's name or id")
    const { rest, given: failed } = takeFlag(withoutHook, '--failed')
    refuseUnknownOption(rest)
    refuseMoreThan(1, rest)
    const limit = rest[0] === undefined ? DEFAULT_COUNT : readInteger(rest[0], 1, MAX_COUNT)
    const found = await context.ports.runArchive.find({
      limit: limit + 1,
      ...(since === undefined ? {} : { since: parseMoment(since, columnOf(args, since), now) }),
      ...defined({ hook }),
      ...(failed ? { failed } : {}),
    })
    // Who asks is under way too, and knows it.
    const rows = found.filter(({ runId }) => runId !== context.runId).slice(0, limit)
    const data = { type: 'runs', runs: rows.map(runData) } as const
    if (rows.length === 0) {
      const isNarrowed = since !== undefined || hook !== undefined || failed
      return context.out.info(isNarrowed ? 'no such runs' : 'no runs yet', data)
    }
    const cells = rows.map((run) => runCells(run, now))
    context.out.print(renderTable(COLUMNS, cells), data)
    for (const run of rows) {
      if (run.error !== undefined) context.out.warn(`${shortId(run)} ${whyEnded(run, run.error)}`)
    }
  },
}

function columnOf(args: Parameters<typeof refuseMoreThan>[1], text: string): number {
  const found = args.find((argument) => argument.kind !== 'group' && argument.text.endsWith(text))
  return found === undefined || found.kind === 'group' ? 1 : found.column + found.text.length - text.length
}

function refuseUnknownOption(args: Parameters<typeof refuseMoreThan>[1]): void {
  const option = args.find((argument) => argument.kind === 'word' && argument.text.startsWith('--'))
  if (option === undefined || option.kind === 'group') return
  throw new LanguageError(
    'unexpected-argument',
    `there is no option ${shown(option.text)}`,
    option.column,
    'use --since, --hook or --failed',
  )
}

function runCells(run: RunSummary, now: number): readonly string[] {
  const isTimed = run.state === 'running' || run.finishedAt !== undefined
  return [
    shortId(run),
    showTime(run.startedAt),
    isTimed ? showDuration(Math.max(0, (run.finishedAt ?? now) - run.startedAt)) : '',
    showState(run),
    showOrigin(run),
    printable(run.account ?? '', 30),
    printable(run.command, 60),
  ]
}

/** `hook:dip`. */
export function showOrigin({ source, origin }: RunSummary): string {
  return origin === undefined ? source : `${source}:${printable(origin, 30)}`
}

/** Of a fire that never began, what became of it instead. */
export function showState({ state, unbegun }: RunSummary): string {
  return unbegun ?? state
}

/** `failed: not enough funds`; what kept a fire from beginning says itself what it is, but for a refusal. */
export function whyEnded({ state, unbegun }: RunSummary, error: string): string {
  const saysSo = unbegun !== undefined && unbegun !== 'refused'
  return `${saysSo ? '' : `${unbegun ?? state}: `}${printable(error, 200)}`
}

function shortId({ runId }: RunSummary): string {
  return runId.slice(0, 8)
}

/** What the shape names, and nothing else that a row may hold. */
export function runData(run: RunSummary): RunSummary {
  const { runId, source, origin, hookId, command, values, account, startedAt, finishedAt, state, unbegun, error } = run
  return {
    runId,
    source,
    command,
    startedAt,
    state,
    ...defined({ origin, hookId, values, account, finishedAt, unbegun, error }),
  }
}
