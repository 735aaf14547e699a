// Which tasks are meant.

import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { findByIdPrefix } from '../../stores/rows.ts'
import { StoreError } from '../../stores/store-error.ts'
import { scrubTask, type Task } from '../../stores/tasks.ts'
import type { TaskLine, TaskRequest, TasksUnderWay } from '../../tasks/task-port.ts'
import { showAmount, showAverageAlone, showDuration, showMoment, showPrice } from '../../trading/figures.ts'
import { takeYes } from '../account/confirmation.ts'
import {
  type CommandContext,
  type CommandFamily,
  type CommandForm,
  type CompletionContext,
  mayRun,
  type SingleCommand,
} from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { ORDER_COLUMNS, orderCells, renderTable } from '../kit/lines.ts'
import { readText, refuseMoreThan, requireText, takeFlag } from '../kit/read-arguments.ts'
import { forEachItem } from '../kit/running.ts'
import { warnOfBareOn } from '../trading/protective-stop.ts'
import { askedBy } from './begin-task.ts'
import {
  ageOf,
  filledOf,
  isAlert,
  isUnderWay,
  NOT_DRIVEN,
  progressBar,
  restsOf,
  shortTaskId,
  stateOf,
  taskName,
  tradedOf,
} from './task-words.ts'

/** @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
function findTask(tasks: readonly Task[], prefix: string): Task {
  return findByIdPrefix(tasks, { prefix, idOf: ({ id }) => id, noun: 'task' })
}

/** `dca`, where one runs. @returns undefined where none of that kind does @throws {StoreError} `ambiguous` */
function onlyOfKind(tasks: readonly Task[], kind: string): Task | undefined {
  const [only, ...others] = tasks.filter((task) => task.kind === kind.toLowerCase() && isUnderWay(task))
  if (only === undefined || others.length === 0) return only
  const ids = [only, ...others].slice(0, MAX_ASKED).map(shortTaskId)
  throw new StoreError('ambiguous', `${others.length + 1} tasks have the kind ${shown(kind)}`, {
    hint: `name one: ${ids.join(', ')}`,
  })
}

/**
 * Ids, one after the other or with commas between them, or all that are under way. A hook has a say on the account it runs on alone.
 * @returns with why there may be others, where all are meant
 * @throws {StoreError} as `findTask` @throws {CommandError} `not-allowed-here`
 */
async function tasksMeant(context: CommandContext<'tasks'>, args: readonly Argument[]): Promise<TasksUnderWay> {
  const { source, accountName, ports } = context
  const mayTouch = ({ account }: Task) => source !== 'hook' || account === accountName
  const { tasks: underWay, doubt } = await ports.tasks.underWay()
  const [typed] = args
  if (typed === undefined)
    throw new LanguageError('missing-argument', 'the id of the task is missing', 1, 'give a task id or --all')
  const first = readText(typed)
  if (args.length === 1 && (first === '--all' || first === 'all')) {
    const tasks = underWay.filter(mayTouch)
    return doubt === undefined ? { tasks } : { tasks, doubt }
  }
  const listed = ports.tasks.list()
  const known = new Set(listed.map(({ id }) => id))
  const tasks = [...listed, ...underWay.filter(({ id }) => !known.has(id))]
  const prefixes = args.flatMap((argument) => readText(argument).split(',')).filter((text) => text !== '')
  const own = tasks.filter(mayTouch)
  const meant = [...new Set(prefixes.map((text) => onlyOfKind(own, text) ?? findTask(tasks, text)))]
  const stranger = meant.find((task) => !mayTouch(task))
  if (stranger === undefined) return { tasks: meant }
  throw new CommandError('not-allowed-here', `${taskName(stranger)} is on another account than this hook`, {
    hint: 'type it in the terminal, or pin the hook to that account',
  })
}

// `tasks`: what goes on by itself, and what became of what did.

const COLUMNS = [
  { title: 'task' },
  { title: 'kind' },
  { title: 'account', rank: 9 },
  { title: 'symbol' },
  { title: 'state' },
  { title: 'progress', rank: 5 },
  { title: 'filled', rank: 4, align: 'right' },
  { title: 'average', rank: 8, align: 'point' },
  { title: 'price', rank: 6, align: 'point' },
  { title: 'age', rank: 7 },
  { title: 'doing', least: 24 },
] as const
const MAX_ROWS = 100

const list: CommandForm<'tasks'> = {
  name: 'list',
  usage: '[--all]',
  summary: 'running and interrupted tasks; --all: finished ones too',
  where: 'anywhere',
  rows: true,
  takesWide: true,
  immediate: true,
  examples: [
    { line: 'tasks', meaning: 'running tasks, their work and their fills' },
    { line: 'tasks --all', meaning: 'the last hundred, with why each ended' },
  ],
  complete: () => ['--all'],
  run(context, args) {
    const { rest, given: all } = takeFlag(args, '--all')
    refuseMoreThan(0, rest)
    const tasks = context.ports.tasks.list().filter((task) => all || isUnderWay(task))
    const shown = tasks.slice(0, MAX_ROWS)
    const driver = context.ports.tasks.driver()
    const data = { type: 'tasks', tasks: shown.map(scrubTask), ...defined({ driver }) } as const
    if (shown.length === 0)
      return context.out.info(all ? 'no tasks yet' : 'no tasks are running; `tasks --all` lists past ones', data)
    const now = context.clock.now()
    const isDriven = driver !== undefined
    const cells = shown.map((task) => cellsOf(task, now, isDriven))
    const used = COLUMNS.map((_, index) => index).filter((index) => cells.some((row) => row[index] !== ''))
    const [columns, rows] = [
      used.flatMap((index) => COLUMNS[index] ?? []),
      cells.map((row) => used.map((index) => row[index] ?? '')),
    ]
    context.out.print(renderTable(columns, rows, context.tableWidth), data)
    if (tasks.length > shown.length) context.out.info(`${tasks.length - shown.length} more are not shown`)
    if (!isDriven && shown.some(({ status }) => status === 'running')) {
      context.out.warn(`tasks are ${NOT_DRIVEN}`)
    }
  },
}

/** What its process wrote last of a task is not so any more where that process is gone. */
function cellsOf(task: Task, now: number, isDriven: boolean): readonly string[] {
  const isLeft = !isDriven && task.status === 'running'
  const { kind, account, symbol, filled, amount, average, price, doing, reason } = task
  const whole = amount === undefined ? '' : `/${showAmount(amount)}`
  return [
    shortTaskId(task),
    printable(kind, 20),
    printable(account, 30),
    printable(symbol, 20),
    isLeft ? 'not driven' : stateOf(task),
    progressBar(task),
    filled === undefined && amount === undefined ? '' : `${showAmount(filled ?? 0)}${whole}`,
    average === undefined ? '' : showAverageAlone(average),
    price === undefined ? '' : showPrice(price),
    ageOf(task, now),
    isLeft
      ? ''
      : printable(
          (task.status === 'running' && task.paused !== true ? (doing ?? reason) : (reason ?? doing)) ?? '',
          60,
        ),
  ]
}

// `tasks show`: one task with what it did, what it ordered, and why it ended.

const SHOWN_ORDERS = 50

const show: CommandForm<'tasks' | 'runArchive'> = {
  name: 'show',
  usage: '<id | kind>',
  summary: 'one task: its request, messages, orders and end',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [{ line: 'tasks show 3f9c2a71', meaning: 'an id as `tasks` shows it' }],
  complete: ({ words, tasks }) => (words.length === 0 ? tasks : []),
  async run(context, args) {
    const text = requireText(args, 0, "the task's id")
    refuseMoreThan(1, args)
    const { tasks, runArchive } = context.ports
    const task = onlyOfKind(tasks.list(), text) ?? findTask(tasks.list(), text)
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
    ...(doing === undefined || task.status !== 'running' ? [] : [['doing', printable(doing, 200)]]),
    ...(isAlert(task)
      ? []
      : [
          ['progress', [progressBar(task), filledOf(task)].filter(Boolean).join('; ')],
          ['rests', `${restsOf(task)}${price === undefined ? '' : ` at ${showPrice(price)}`}`],
        ]),
    ['started', `${showMoment(startedAt)}`],
    ...(endsAt === undefined ? [] : [['ends', endLine(endsAt, now)]]),
    ...(protective === true && isUnderWay(task)
      ? [['restart', isAlert(task) ? 'it continues by itself' : 'it reduces risk and continues by itself']]
      : []),
  ]
}

function endLine(endsAt: number, now: number): string {
  return `${showMoment(endsAt)}${endsAt > now ? `, in ${showDuration(endsAt - now)}` : ''}`
}

function historyLine({ at, level, text }: TaskLine): string {
  return `${showMoment(at)}  ${level === 'warn' ? 'warn: ' : ''}${printable(text, 300)}`
}

// `tasks cancel`, `pause` and `resume`, and `kill`: asked of whichever process drives the task. What was paused or interrupted goes on only by
// the terminal; the rest is for anybody.

const complete = ({ words, tasks }: CompletionContext) => (words.length === 0 ? ['--all', ...tasks] : tasks)

const cancelTasks: CommandForm<'tasks' | 'connect'> = {
  name: 'cancel',
  neverGuessed: true,
  usage: '<id… | kind | --all> [--yes]',
  summary: 'end tasks and cancel their orders; fills stay',
  where: 'anywhere',
  immediate: true,
  examples: [
    { line: 'tasks cancel 3f9c2a71', meaning: 'one task, as `tasks` shows it' },
    { line: 'tasks cancel --all', meaning: 'every task, on every account' },
  ],
  complete,
  run: cancelAll,
}

const pauseTasks: CommandForm<'tasks'> = {
  name: 'pause',
  usage: '<id… | kind | --all>',
  summary: 'cancel the orders of tasks, and place none until they are resumed; a protective stop stays',
  where: 'anywhere',
  immediate: true,
  examples: [
    {
      line: 'tasks pause 3f9c2a71',
      meaning: '`tasks resume 3f9c2a71` continues it; `tasks pause dca` means the only dca',
    },
  ],
  complete,
  run: async (context, args) => askAll(context, await tasksMeant(context, args), 'pause'),
}

const resumeTasks: CommandForm<'tasks'> = {
  name: 'resume',
  neverGuessed: true,
  usage: '<id… | kind | --all>',
  summary: 'continue paused or interrupted tasks',
  where: 'trusted',
  examples: [{ line: 'tasks resume 3f9c2a71', meaning: 'fills are not repeated' }],
  complete,
  run: async (context, args) => askAll(context, await tasksMeant(context, args), 'resume'),
}

export const kill: SingleCommand<'tasks' | 'connect'> = {
  ...cancelTasks,
  name: 'kill',
  group: 'tasks',
  usage: '<id… | all> [--yes]',
  summary: 'end tasks, as `tasks cancel` does',
  examples: [{ line: 'kill all', meaning: 'every task, on every account' }],
  complete: ({ words, tasks }) => (words.length === 0 ? ['all', ...tasks] : tasks),
}

/** All of them at once asks at a terminal: what protects a position may be among them. What an adding task has filled stays, and is named where no stop ends it. */
async function cancelAll(context: CommandContext<'tasks' | 'connect'>, typed: readonly Argument[]): Promise<void> {
  const { rest: args, isSure } = takeYes(typed)
  const meant = await tasksMeant(context, args)
  if (!isSure && args.some((each) => each.kind === 'word' && /^(--)?all$/.test(each.text)))
    await requireYes(context, meant.tasks)
  try {
    await askAll(context, meant, 'cancel')
  } finally {
    await warnOfLeft(context, meant.tasks)
  }
}

/** A hook or a page sees no other account than its own. */
async function warnOfLeft(context: CommandContext<'tasks' | 'connect'>, meant: readonly Task[]): Promise<void> {
  const { ports, source, accountName } = context
  const ids = new Set(meant.filter((task) => !protects(task) && !isAlert(task)).map(({ id }) => id))
  const left = ports.tasks.list().filter(({ id, filled = '0' }) => ids.has(id) && Number(filled) > 0)
  for (const name of new Set(left.map(({ account }) => account))) {
    if (name !== accountName && !mayRun('trusted', source)) continue
    const symbols = left.filter(({ account }) => account === name).map(({ symbol }) => symbol)
    try {
      await warnOfBareOn(context, await ports.connect(name), symbols)
    } catch (error) {
      if (!isRefusal(error)) throw error
      context.out.warn(`the holdings of account ${printable(name, 40)} are unknown: ${describeRefusal(error)}`)
    }
  }
}

/** @throws {CommandError} `cancelled` */
async function requireYes({ confirm, isAborted }: CommandContext, meant: readonly Task[]): Promise<void> {
  if (confirm === undefined || meant.length === 0) return
  const names = meant.map((task) => {
    return `${taskName(task)} on ${printable(task.symbol, 20)}${protects(task) ? ' with its stop' : ''}`
  })
  const count = meant.length === 1 ? '' : `${meant.length} tasks: `
  if ((await confirm(`end ${printable(`${count}${listed(names)}`, 350)}? y or n >`)) && !isAborted) return
  throw new CommandError(
    'cancelled',
    `nothing canceled; ${meant.length === 1 ? 'the task continues' : 'every task continues'}`,
  )
}

/** Most that a question names. */
const MAX_ASKED = 5

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_ASKED).join(', ')
  return names.length > MAX_ASKED ? `${shown} and ${names.length - MAX_ASKED} more` : shown
}

function protects(task: Task): boolean {
  return task.protective === true && !isAlert(task)
}

async function askAll(
  context: CommandContext<'tasks'>,
  { tasks: meant, doubt }: TasksUnderWay,
  what: TaskRequest,
): Promise<void> {
  if (meant.length === 0 && doubt === undefined) {
    return context.out.info('no tasks are running', { type: 'tasks', tasks: [] })
  }
  const by = await askedBy(context)
  // All at the same time: none waits for one that is slow.
  const asked = new Map(meant.map((task) => [taskName(task), context.ports.tasks.ask(task.id, what, by, true)]))
  for (const answer of asked.values()) answer.catch(() => {})
  await forEachItem(context, [...asked.keys()], async (name) => {
    const task = await asked.get(name)
    if (task !== undefined) printOutcome(context, task, what)
  })
  if (doubt !== undefined) throw notAllKnown(doubt)
}

function notAllKnown(doubt: string): CommandError {
  return new CommandError('tasks-not-known', `there may be other tasks: ${printable(doubt, 200)}`, {
    hint: 'fix the file, then repeat the command',
  })
}

function printOutcome({ out }: CommandContext, task: Task, what: TaskRequest): void {
  const data = { type: 'tasks', tasks: [scrubTask(task)] } as const
  const state = stateOf(task)
  const text = `${taskName(task)} is ${state}${tradedOf(task)}`
  const isDone =
    what === 'cancel' ? task.status === 'cancelled' : what === 'pause' ? state === 'paused' : state === 'running'
  if (isDone) out.success(text, data)
  // What protected a position no longer does.
  if (isDone && what === 'cancel' && task.protective === true && !isAlert(task))
    out.warn(printable(task.reason ?? '', 200))
  if (isDone) return
  out.info(`${text}${task.reason === undefined ? '' : `: ${printable(task.reason, 200)}`}`, data)
}

// `tasks`: work that outlives its command (behaviour 41).

export const tasks: CommandFamily = {
  name: 'tasks',
  group: 'tasks',
  summary: 'tasks, which run on their own: list, show, cancel, pause, resume',
  bare: 'list',
  otherwise: 'list',
  forms: [list, show, cancelTasks, pauseTasks, resumeTasks],
}
