// `tasks show`: one task with what it did, what it ordered, and why it ended.
import { printable } from '../../language/printable.ts'
import { scrubTask, type Task } from '../../stores/tasks.ts'
import type { TaskLine } from '../../tasks/task-port.ts'
import { showDuration, showPrice, showTime } from '../../trading/figures.ts'
import type { CommandForm } from '../kit/command.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'
import { ORDER_COLUMNS, orderCells } from '../session/order-table.ts'
import { findTask } from './find-tasks.ts'
import { filledOf, progressBar, restsOf, stateOf } from './task-words.ts'

const SHOWN_ORDERS = 50

export const show: CommandForm<'tasks' | 'runArchive'> = {
  name: 'show',
  usage: '<id>',
  summary: 'one task: what was asked, what it said, what it ordered, and why it ended',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [{ line: 'tasks show 3f9c2a71', says: 'an id as `tasks` shows it' }],
  complete: ({ words, tasks }) => (words.length === 0 ? tasks : []),
  async run(context, args) {
    const text = requireText(args, 0, "the task's id")
    refuseMoreThan(1, args)
    const { tasks, runArchive } = context.ports
    const task = findTask(tasks.list(), text)
    const { id, startedAt } = task
    const [history, orders] = await Promise.all([tasks.history(id), runArchive.orders({ runId: id, startedAt })])
    context.out.print(renderTable([{ title: '' }, { title: '' }], headOf(task, context.clock.now())), {
      type: 'task',
      task: scrubTask(task),
      history: history.map(({ at, level, text }) => ({ at, level, text })),
      orders,
    })
    if (history.length > 0) context.out.print(history.map(historyLine).join('\n'))
    const shown = orders.slice(-SHOWN_ORDERS)
    if (shown.length > 0) context.out.print(renderTable(ORDER_COLUMNS, shown.map(orderCells)))
    if (orders.length > shown.length) context.out.info(`${orders.length - shown.length} earlier orders are not shown`)
  },
}

function headOf(task: Task, now: number): string[][] {
  const { id, kind, account, symbol, command, startedAt, reason, doing, price, endsAt, protective } = task
  return [
    ['task', `${printable(kind, 20)} ${printable(id, 64)}`],
    ['command', printable(command, 500)],
    ['account', printable(account, 40)],
    ['symbol', printable(symbol, 20)],
    ['state', `${stateOf(task)}${reason === undefined ? '' : `: ${printable(reason, 300)}`}`],
    ...(doing === undefined ? [] : [['doing', printable(doing, 200)]]),
    ['progress', `${progressBar(task)}; ${filledOf(task)}`],
    ['rests', `${restsOf(task)}${price === undefined ? '' : ` at ${showPrice(price)}`}`],
    ['started', `${showTime(startedAt)} UTC`],
    ...(endsAt === undefined ? [] : [['ends', endLine(endsAt, now)]]),
    ...(protective === true ? [['restart', 'it lowers risk, and goes on by itself']] : []),
  ]
}

function endLine(endsAt: number, now: number): string {
  return `${showTime(endsAt)} UTC${endsAt > now ? `, in ${showDuration(endsAt - now)}` : ''}`
}

function historyLine({ at, level, text }: TaskLine): string {
  return `${showTime(at)}  ${level === 'warn' ? 'warn: ' : ''}${printable(text, 300)}`
}
