// `tasks`: what goes on by itself, and what became of what did.
import { printable } from '../../language/printable.ts'
import { scrubTask, type Task } from '../../stores/tasks.ts'
import { showAmount, showAverageAlone, showPrice } from '../../trading/figures.ts'
import type { CommandForm } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, takeFlag } from '../kit/read-arguments.ts'
import { ageOf, isUnderWay, progressBar, shortTaskId, stateOf } from './task-words.ts'

const COLUMNS = [
  { title: 'task' },
  { title: 'kind' },
  { title: 'account' },
  { title: 'symbol' },
  { title: 'state' },
  { title: 'progress' },
  { title: 'filled', align: 'right' },
  { title: 'average', align: 'right' },
  { title: 'price', align: 'right' },
  { title: 'age' },
  { title: 'doing' },
] as const
const MAX_ROWS = 100

export const list: CommandForm<'tasks'> = {
  name: 'list',
  usage: '[--all]',
  summary: 'tasks that run or were interrupted; with --all those that are over too',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [
    { line: 'tasks', says: 'what runs now, what it does, and what filled' },
    { line: 'tasks --all', says: 'the last hundred, with why each ended' },
  ],
  complete: () => ['--all'],
  run(context, args) {
    const { rest, given: all } = takeFlag(args, '--all')
    refuseMoreThan(0, rest)
    const tasks = context.ports.tasks.list().filter((task) => all || isUnderWay(task))
    const shown = tasks.slice(0, MAX_ROWS)
    const data = { type: 'tasks', tasks: shown.map(scrubTask) } as const
    if (shown.length === 0)
      return context.out.info(all ? 'no tasks yet' : 'no task runs; `tasks --all` lists past ones', data)
    const now = context.clock.now()
    context.out.print(
      renderTable(
        COLUMNS,
        shown.map((task) => cellsOf(task, now)),
      ),
      data,
    )
    if (tasks.length > shown.length) context.out.info(`${tasks.length - shown.length} more are not shown`)
  },
}

function cellsOf(task: Task, now: number): readonly string[] {
  const { kind, account, symbol, filled, amount, average, price, doing, reason } = task
  const whole = amount === undefined ? '' : `/${showAmount(amount)}`
  return [
    shortTaskId(task),
    printable(kind, 20),
    printable(account, 30),
    printable(symbol, 20),
    stateOf(task),
    progressBar(task),
    filled === undefined && amount === undefined ? '' : `${showAmount(filled ?? 0)}${whole}`,
    average === undefined ? '' : showAverageAlone(average),
    price === undefined ? '' : showPrice(price),
    ageOf(task, now),
    printable((isUnderWay(task) && task.paused !== true ? (doing ?? reason) : (reason ?? doing)) ?? '', 60),
  ]
}
