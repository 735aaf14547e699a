// `runs show`: one run with what it printed and what it ordered.
import { printable } from '../../language/printable.ts'
import type { KeptStep, RunSummary } from '../../runs/run.ts'
import { showDuration, showTime } from '../../trading/figures.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'
import { ORDER_COLUMNS, orderCells } from './order-table.ts'
import { printOutput } from './run-output.ts'
import { runData, showOrigin, showState } from './runs-list.ts'

const MIN_PREFIX = 4

export const show: CommandForm<'runArchive'> = {
  name: 'show',
  usage: '<run | hook>',
  summary: 'one run: its command, what it printed, what it ordered and what came of that',
  where: 'anywhere',
  rows: true,
  immediate: true,
  underPanic: true,
  examples: [
    { line: 'runs show 5a0e81c2', says: 'an id as `runs` shows it' },
    { line: 'runs show dip', says: 'the newest run of hook dip' },
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
      `no run begins with ${printable(text, 40)}, and no hook of that name has run`,
      {
        hint: isShort
          ? `give a hook, or at least ${MIN_PREFIX} characters of an id; \`runs\` lists them`
          : '`runs` lists them',
      },
    )
  }
  const isOthers = run.source === 'repl' || run.source === 'exec'
  if (isOthers && (context.source === 'web' || context.source === 'hook')) {
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
    ['command', printable(run.command, 500)],
    ...(run.values === undefined ? [] : [['alert', showValues(run.values)]]),
    ['from', showOrigin(run)],
    ...(run.account === undefined ? [] : [['account', printable(run.account, 40)]]),
    ['started', `${showTime(startedAt)} UTC`],
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
