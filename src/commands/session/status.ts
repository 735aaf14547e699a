// `status`: one look at everything that could be wrong.
import { defined } from '../../base/defined.ts'
import { printable } from '../../language/printable.ts'
import type { StoreProblem } from '../../stores/store-error.ts'
import type { Task } from '../../stores/tasks.ts'
import { showPrice } from '../../trading/figures.ts'
import { findMarket } from '../../trading/market-view.ts'
import type { UnsettledOrder } from '../../trading/order-sender.ts'
import { describeVenue } from '../account/account-words.ts'
import { unsettledLine } from '../account/settle-order.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import type { ConsoleStatus, ListenerStatus, StatusData } from '../kit/data.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { describeGuarding, describeSignIn, guardingOf, renderTable } from '../kit/lines.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { describeListener, listeningPidOf } from '../listener/listener.ts'
import { OFF_TEXTS } from '../listener/switch.ts'
import { NOT_DRIVEN, shortTaskId, taskName } from '../tasks/task-words.ts'
import { describePanic } from './panic.ts'

type StatusPorts =
  | 'version'
  | 'panic'
  | 'guards'
  | 'config'
  | 'accounts'
  | 'hooks'
  | 'fileProblems'
  | 'runs'
  | 'tasks'
  | 'listenerStatus'
  | 'askListeningPid'
  | 'askConsole'
  | 'signIn'

export const status: SingleCommand<StatusPorts> = {
  name: 'status',
  group: 'session',
  usage: '',
  summary: 'account, symbol, connection, listener, console, runs, and invalid files',
  where: 'anywhere',
  rows: true,
  immediate: true,
  examples: [{ line: 'status', meaning: 'everything on one screen' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const { ports } = context
    const listener = ports.listenerStatus()
    const problems = ports.fileProblems()
    const panic = ports.panic.read()
    const signedIn = ports.signIn.read()
    const connection = await connectionOf(context)
    const unsettled = await unsettledOf(context)
    const console = await ports.askConsole()
    const listeningPid = await listeningPidOf(listener, ports)
    const rows = [
      ...(panic === undefined ? [] : [['panic', `${describePanic(panic)}; \`resume\` ends it`]]),
      ...describeGuards(context),
      ...unsettled.map((each) => ['unsettled', unsettledLine(each)]),
      ['version', ports.version],
      ['account', describeAccount(context)],
      ['symbol', context.symbol],
      ['connection', connection.text],
      ['listener', `${describeListener(listener, ports, listeningPid)} (${describePlace(listener)})`],
      ['console', describeConsole(console)],
      ...describeSwitchedOff(ports),
      ['hooks', String(ports.hooks.list().length)],
      ['runs', describeRuns(context)],
      ...describeTasks(ports),
      ...(signedIn === undefined ? [] : [['signed in', describeSignIn(signedIn, context.clock.now())]]),
      ['files', describeFiles(problems)],
    ]
    context.out.print(
      renderTable([{ title: '' }, { title: '' }], rows),
      statusData(context, console, { last: connection.last, listenerPid: listeningPid }),
    )
    for (const problem of problems) context.out.warn(describeProblem(problem))
  },
}

/** Of the account in use, and of each other one whose orders are held up. */
function describeGuards({ ports, accountName, source }: CommandContext<StatusPorts>): string[][] {
  const names = mayRun('trusted', source) ? ports.accounts.list().map(({ name }) => name) : [accountName]
  return names.flatMap((name) => {
    const text = describeGuarding(guardingOf(ports, name))
    return text === undefined ? [] : [['guards', `account ${printable(name, 40)}: ${text}`]]
  })
}

function describeAccount({ accountName, ports }: CommandContext<'accounts'>): string {
  const row = ports.accounts.find(accountName)
  const name = printable(accountName, 40)
  return row === undefined ? `${name}: no such account` : `${name} (${describeVenue(row)})`
}

/** People ask `status` when a venue does not answer, so that is printed, not thrown. */
async function connectionOf(context: CommandContext): Promise<{ readonly text: string; readonly last?: string }> {
  try {
    const { venue } = await context.account()
    const [{ last }, market] = await Promise.all([venue.fetchTicker(context.symbol), findMarket(venue, context.symbol)])
    return { text: `up, last ${showPrice(last, market)}`, last }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { text: `down: ${describeRefusal(error)}` }
  }
}

/** Orders without an answer, of whichever process. */
async function unsettledOf(context: CommandContext): Promise<readonly UnsettledOrder[]> {
  try {
    return await (await context.account()).orders.records.unsettledAnywhere()
  } catch (error) {
    if (isRefusal(error)) return []
    throw error
  }
}

function statusData(
  context: CommandContext<StatusPorts>,
  console: ConsoleStatus,
  { last, listenerPid }: { readonly last: string | undefined; readonly listenerPid: number | undefined },
): StatusData {
  const { ports, accountName, symbol } = context
  const panic = ports.panic.read()
  const { state, since, by, simulated } = guardingOf(ports, accountName)
  return {
    type: 'status',
    version: ports.version,
    account: accountName,
    symbol,
    ...defined({ last, panic: panic && { since: panic.since, by: panic.by } }),
    guards: { state, simulated, ...defined({ since, by }) },
    listener: ports.listenerStatus().state,
    ...defined({ listenerPid }),
    console,
    hooks: ports.hooks.list().length,
    ...countRuns(context),
    tasks: countTasks(ports),
    problems: ports.fileProblems().map(({ path, line, message }) => ({ path, message, ...defined({ line }) })),
  }
}

function describePlace({ state, address, pid }: ListenerStatus): string {
  return state === 'not-started' ? address : `${address}, pid ${pid}`
}

/** One line, with what to do where pages cannot be opened. */
export function describeConsole({ state, address, user }: ConsoleStatus): string {
  switch (state) {
    case 'served':
      return `served on ${address}`
    case 'starting':
      return `${address} is about to be served`
    case 'not-served':
      return `not served: start \`hookline\` or \`hookline listen\``
    case 'held': {
      const who = user === undefined ? 'another program' : `a program of user ${user}`
      return `not served: ${who} has port ${new URL(address).port}; pages from there are refused`
    }
    case 'off':
      return `off: config.json refuses pages of ${address} (\`web.enabled\`, \`listener.allowedOrigins\`)`
    case 'unknown':
      return 'not known: console-key.json cannot be read'
  }
}

function describeSwitchedOff({ config }: Pick<CommandPorts, 'config'>): string[][] {
  const { listener } = config.read()
  return Object.entries(OFF_TEXTS)
    .filter(([name]) => !listener[name as keyof typeof OFF_TEXTS])
    .map((row) => [...row])
}

/** Besides the run that asks. */
function countRuns({ ports, runId: own }: CommandContext<'runs'>): {
  readonly running: number
  readonly waiting: number
} {
  const runs = ports.runs().filter(({ runId }) => runId !== own)
  const count = (state: string) => runs.filter((run) => run.state === state).length
  return { running: count('running'), waiting: count('waiting') }
}

function describeRuns(context: CommandContext<'runs'>): string {
  const { running, waiting } = countRuns(context)
  return `${running} running, ${waiting} waiting`
}

function countTasks({ tasks }: Pick<CommandPorts, 'tasks'>): StatusData['tasks'] {
  const idsOf = (status: Task['status']) => tasks.list().flatMap((task) => (task.status === status ? [task.id] : []))
  const interruptedIds = idsOf('interrupted')
  return {
    running: idsOf('running').length,
    interrupted: interruptedIds.length,
    interruptedIds,
    ...defined({ driver: tasks.driver() }),
  }
}

const SHOWN_INTERRUPTED = 5

/** `2 running, 1 interrupted, driven by pid 4711`, and a row for each interrupted task. */
function describeTasks(ports: Pick<CommandPorts, 'tasks'>): string[][] {
  const { running, interrupted, driver } = countTasks(ports)
  if (running + interrupted === 0) return []
  const left = interrupted === 0 ? '' : `, ${interrupted} interrupted`
  // One that is interrupted waits for a person: nothing drives it.
  const who = running === 0 ? '' : driver === undefined ? `, ${NOT_DRIVEN}` : `, driven by pid ${driver}`
  const named = ports.tasks.list().filter(({ status }) => status === 'interrupted')
  return [
    ['tasks', `${running} running${left}${who}`],
    ...named.slice(0, SHOWN_INTERRUPTED).map((task) => ['', describeInterrupted(task)]),
    ...(named.length > SHOWN_INTERRUPTED ? [['', `${named.length - SHOWN_INTERRUPTED} more: see \`tasks\``]] : []),
  ]
}

/** `twap 3f9c2a71 is interrupted: \`tasks resume 3f9c2a71\` or \`tasks cancel 3f9c2a71\``. */
function describeInterrupted(task: Task): string {
  const id = shortTaskId(task)
  return `${taskName(task)} is interrupted: \`tasks resume ${id}\` or \`tasks cancel ${id}\``
}

function describeFiles(problems: readonly StoreProblem[]): string {
  const files = new Set(problems.map(({ path }) => path)).size
  return files === 0 ? 'all readable' : `${files} invalid`
}

/** `…/hooks.json, line 3: …`. */
function describeProblem({ path, line, message }: StoreProblem): string {
  return `${printable(path, 300)}${line === undefined ? '' : `, line ${line}`}: ${printable(message, 300)}`
}
