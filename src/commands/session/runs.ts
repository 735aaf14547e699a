// What a run printed, as far as it was kept, with the time of each line.
import { defined } from '../../base/defined.ts'
import { filledLine } from '../../language/hook-chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { parseMoment } from '../../language/time.ts'
import { isOfOperator, type KeptLine, type KeptOutput, type KeptStep, type RunSummary } from '../../runs/run.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH, nameKey } from '../../stores/rows.ts'
import type { StopScope } from '../../stores/stops.ts'
import { showDuration, showMoment, showZonedTime } from '../../trading/figures.ts'
import type { CommandContext, CommandFamily, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { ORDER_COLUMNS, orderCells, renderTable, showSource } from '../kit/lines.ts'
import type { StoppedRuns } from '../kit/ports.ts'
import { readInteger, refuseMoreThan, requireText, takeFlag, takeOption } from '../kit/read-arguments.ts'

export function printOutput({ out }: Pick<CommandContext, 'out'>, { lines, leftOut }: KeptOutput): void {
  if (lines.length === 0 && leftOut === 0) return out.info('no output')
  out.print(lines.flatMap(outputLines).join('\n'))
  if (leftOut > 0) out.info(`${leftOut.toLocaleString('en-US')} more lines were not kept`)
}

/** `+0.3s  bought …`; the rest of a text of several lines is indented alike. */
function outputLines([afterMs, kind, text]: KeptLine): string[] {
  const time = `+${showDuration(afterMs)}`.padEnd(9)
  const mark = kind === 'error' || kind === 'warn' ? `${kind}: ` : ''
  return text.split('\n').map((line, index) => {
    const shownLine = printable(line, 300)
    return index === 0 ? `${time}${mark}${shownLine}` : `${' '.repeat(9)}${shownLine}`
  })
}

// `runs`: what ran, from whom, and how it ended; also before a restart, and in other processes.

const DEFAULT_COUNT = 20
const MAX_COUNT = 1000

const COLUMNS = [
  { title: 'run' },
  { title: 'started', rank: 3, isTime: true },
  { title: 'took', rank: 4, align: 'right' },
  { title: 'state' },
  { title: 'from', rank: 2, least: 8 },
  { title: 'account', rank: 5 },
  { title: 'command', least: 32 },
] as const

const list: CommandForm<'runArchive'> = {
  name: 'list',
  usage: '[count] [--since <time>] [--hook <name | id>] [--failed]',
  summary: 'running, waiting and past runs, newest first, of this process and all others',
  where: 'anywhere',
  rows: true,
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'runs', meaning: `the last ${DEFAULT_COUNT}; what runs now comes first` },
    { line: 'runs 100 --since 2h', meaning: 'up to a hundred of the last two hours' },
    { line: 'runs --hook dip --failed', meaning: 'fires of one hook that failed or were interrupted' },
    { line: 'runs --since 2026-11-21T14:30', meaning: 'since a UTC time' },
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
    context.out.print(renderTable(COLUMNS, cells, context.tableWidth), data)
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
    `unknown option ${shown(option.text)}`,
    option.column,
    'use --since, --hook or --failed',
  )
}

function runCells(run: RunSummary, now: number): readonly string[] {
  const isTimed = run.state === 'running' || run.finishedAt !== undefined
  return [
    shortId(run),
    showZonedTime(run.startedAt),
    isTimed ? showDuration(Math.max(0, (run.finishedAt ?? now) - run.startedAt)) : '',
    showState(run),
    showOrigin(run),
    printable(run.account ?? '', 30),
    printable(runLine(run), 60),
  ]
}

/** As it ran, with what an alert has filled in. */
export function runLine({ command, values }: RunSummary): string {
  return filledLine(command, values) ?? command
}

/** `hook:dip`. */
function showOrigin({ source, origin }: RunSummary): string {
  return showSource(origin === undefined ? source : `${source}:${printable(origin, 30)}`)
}

/** Of a fire that never began, what became of it instead. */
export function showState({ state, unbegun, warned, declined }: RunSummary): string {
  if (declined === true) return 'canceled'
  return warned === true ? 'warning' : (unbegun ?? state)
}

/** `failed: not enough funds`; what kept a fire from beginning says itself what it is, but for a refusal. */
export function whyEnded({ state, unbegun }: RunSummary, error: string): string {
  const isNamed = unbegun !== undefined && unbegun !== 'refused'
  return `${isNamed ? '' : `${unbegun ?? state}: `}${printable(error, 200)}`
}

function shortId({ runId }: RunSummary): string {
  return runId.slice(0, 8)
}

/** What the shape names, and nothing else that a row may hold. */
export function runData(run: RunSummary): RunSummary {
  const { runId, source, origin, hookId, command, trigger, values, account, startedAt, finishedAt, state, warned } = run
  return {
    runId,
    source,
    command,
    startedAt,
    state,
    ...defined({
      origin,
      hookId,
      trigger,
      values,
      account,
      finishedAt,
      warned,
      unbegun: run.unbegun,
      error: run.error,
    }),
  }
}

// `runs show`: one run with what it printed and what it ordered.

const MIN_PREFIX = 4

const show: CommandForm<'runArchive'> = {
  name: 'show',
  usage: '<run | hook>',
  summary: 'one run: its command, its output, and its orders with their results',
  where: 'anywhere',
  rows: true,
  immediate: true,
  underPanic: true,
  examples: [
    { line: 'runs show 5a0e81c2', meaning: 'an id as `runs` shows it' },
    { line: 'runs show dip', meaning: 'the newest run of hook dip' },
  ],
  complete: ({ words, hooks }) => (words.length === 0 ? hooks.map(({ name }) => name) : []),
  async run(context, args) {
    const text = requireText(args, 0, "the run's id or the hook's name")
    refuseMoreThan(1, args)
    const run = await findRun(context, text)
    const [output, orders] = await Promise.all([
      context.ports.runArchive.output(run),
      context.ports.runArchive.orders(run),
    ])
    context.out.print(renderTable([{ title: '' }, { title: '' }], headOf(run, context.clock.now())), {
      type: 'run',
      ...runData(run),
      steps: output.steps.map(([afterMs, tookMs, success, text]) => ({ afterMs, tookMs, success, text })),
      output: output.lines.map(([afterMs, kind, text]) => ({ afterMs, kind, text })),
      leftOut: output.leftOut,
      orders,
    })
    if (output.steps.length > 0) context.out.print(renderTable(STEP_COLUMNS, output.steps.map(stepCells)))
    printOutput(context, output)
    if (orders.length > 0) context.out.print(renderTable(ORDER_COLUMNS, orders.map(orderCells)))
  },
}

/** A page and a hook see what pages and hooks did; what the operator's own terminal showed is the operator's. */
async function findRun(context: CommandContext<'runArchive'>, text: string): Promise<RunSummary> {
  const run = (await findById(context, text)) ?? (await findNewestOf(context, text))
  if (run === undefined) {
    const isShort = text.length < MIN_PREFIX
    throw new CommandError(
      isShort ? 'prefix-too-short' : 'unknown-run',
      `no run id begins with ${printable(text, 40)}, and no hook of that name has run`,
      {
        hint: isShort
          ? `give a hook, or at least ${MIN_PREFIX} characters of an id; \`runs\` lists them`
          : '`runs` lists them',
      },
    )
  }
  if (isOfOperator(run.source) && !isOfOperator(context.source)) {
    throw new CommandError('terminal-only', 'what was typed in a terminal is shown in a terminal only', {
      hint: 'run `runs show` there',
    })
  }
  return run
}

async function findById({ ports, runId }: CommandContext<'runArchive'>, id: string): Promise<RunSummary | undefined> {
  if (id.length < MIN_PREFIX) return undefined
  const [run, other] = (await ports.runArchive.find({ limit: 2, id })).filter((found) => found.runId !== runId)
  if (other === undefined) return run
  throw new CommandError('ambiguous', `several runs begin with ${printable(id, 40)}`, { hint: 'give more of the id' })
}

async function findNewestOf({ ports }: CommandContext<'runArchive'>, hook: string): Promise<RunSummary | undefined> {
  const [run] = await ports.runArchive.find({ limit: 1, hook })
  return run
}

function headOf(run: RunSummary, now: number): string[][] {
  const { finishedAt, startedAt, state } = run
  const took = finishedAt === undefined ? (state === 'running' ? now : undefined) : finishedAt
  return [
    ['run', run.runId],
    ['command', printable(runLine(run), 500)],
    ...(run.values === undefined
      ? []
      : [
          ['hook', printable(run.command, 500)],
          ['alert', showValues(run.values)],
        ]),
    ['from', showOrigin(run)],
    ...(run.trigger === undefined ? [] : [['fired by', printable(run.trigger, 300)]]),
    ...(run.account === undefined ? [] : [['account', printable(run.account, 40)]]),
    ['started', `${showMoment(startedAt)}`],
    ...(took === undefined ? [] : [['took', showDuration(Math.max(0, took - startedAt))]]),
    ['state', showState(run)],
    ...(run.error === undefined ? [] : [['error', printable(run.error, 300)]]),
  ]
}

/** `size=250 symbol=BTCUSDT` */
function showValues(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map((pair) => pair.join('='))
  return printable(pairs.join(' '), 300)
}

const STEP_COLUMNS = [
  { title: 'step' },
  { title: 'began', align: 'right' },
  { title: 'took', align: 'right' },
  { title: 'result' },
] as const

function stepCells([afterMs, tookMs, succeeded, text]: KeptStep): readonly string[] {
  return [printable(text, 80), `+${showDuration(afterMs)}`, showDuration(tookMs), succeeded ? 'done' : 'failed']
}

// `runs stop`: ends runs, in whichever process they are. It may come from anywhere: stopping is the safe direction (behaviour 19).

type Ports = 'runs' | 'stops' | 'hooks'

const runsStop: CommandForm<Ports> = {
  name: 'stop',
  neverGuessed: true,
  usage: '<run | hook | --all>',
  summary: 'end runs and waiting fires: one, those of a hook, or all',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'runs stop 3f9c2a71', meaning: 'one run, as `runs` shows it; its orders stay open' },
    { line: 'runs stop dip', meaning: 'what hook dip runs, and what waits to run' },
    { line: 'runs stop --all', meaning: 'every run of every hookline that shares these files' },
  ],
  complete: ({ words, runs, hooks }) =>
    words.length === 0 ? ['--all', ...hooks.map(({ name }) => name), ...runs] : [],
  async run(context, args) {
    const what = requireText(args, 0, 'a run, a hook or --all')
    refuseMoreThan(1, args)
    const scope = scopeOf(context, what)
    const stopped = await context.ports.stops.stopScope(scope, context.runId)
    context.out.success(`${stoppedHere(stopped)}; other hooklines that share these files stop theirs within a second`)
  },
}

export function stoppedHere(stopped: StoppedRuns): string {
  const isNone = stopped.running + stopped.waiting === 0
  return isNone ? 'no runs to stop here' : `stopped ${countStopped(stopped)} here`
}

/** `3 running and 12 waiting runs`, `1 run`, `2 waiting runs`, `no runs`. */
export function countStopped({ running, waiting }: StoppedRuns): string {
  const noun = running + waiting === 1 ? 'run' : 'runs'
  if (waiting === 0) return `${running === 0 ? 'no' : running} ${noun}`
  return `${running === 0 ? '' : `${running} running and `}${waiting} waiting ${noun}`
}

/**
 * What is both a hook's name and the beginning of an id finds neither: pages name hooks, and such a name must not keep a run from being stopped
 * unnoticed. A whole id always finds its own. A run of another process is stopped by its id, or by the beginning of one.
 * @throws {CommandError} `prefix-too-short`, `not-found` @throws {StoreError} `ambiguous`
 */
function scopeOf({ ports }: CommandContext<Ports>, what: string): StopScope {
  if (what === '--all') return 'runs'
  const underWay = ports.runs().filter(({ state }) => state === 'running' || state === 'waiting')
  const stoppable = [
    ...hooksByName([...underWay.flatMap(hookOf), ...ports.hooks.list()]),
    ...underWay.map(({ runId }) => ({ id: runId, name: '', scope: `run:${runId}` as const })),
  ]
  if (
    what.length < MIN_PREFIX_LENGTH &&
    !stoppable.some(({ name }) => name !== '' && nameKey(name) === nameKey(what))
  ) {
    throw new CommandError('prefix-too-short', `${shown(what)} is neither a hook nor the id of a run`, {
      hint: `give the name of a hook, or at least ${MIN_PREFIX_LENGTH} characters of an id that \`runs\` shows`,
    })
  }
  const isHere = stoppable.some(({ id, name }) => id.startsWith(what.toLowerCase()) || nameKey(name) === nameKey(what))
  if (!isHere && RUN_ID.test(what)) return `run:${what.toLowerCase()}`
  const noun = 'running or waiting run'
  return findByIdPrefix(stoppable, { prefix: what, idOf: ({ id }) => id, nameOf: ({ name }) => name, noun }).scope
}

/** Of a UUID, from its beginning. */
const RUN_ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i

/** The row of a hook may be gone while its fires are not. */
function hookOf({ hookId, origin = '' }: RunSummary): readonly { readonly id: string; readonly name: string }[] {
  return hookId === undefined ? [] : [{ id: hookId, name: origin }]
}

/** One for each name: a hook that was made again has that of the one before, whose runs ended with it. */
function hooksByName(hooks: readonly { readonly id: string; readonly name: string }[]) {
  const byName = new Map(hooks.map((hook) => [nameKey(hook.name), hook]))
  return [...byName.values()].map(({ id, name }) => ({ id, name, scope: `runs:${id}` as const }))
}

// `runs`: what ran and what runs.

export const runs: CommandFamily = {
  name: 'runs',
  group: 'session',
  summary: 'past and present runs: list, show, stop',
  bare: 'list',
  otherwise: 'list',
  forms: [list, show, runsStop],
}
