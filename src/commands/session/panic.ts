// `panic` (behaviours 19 and 30): everything stops at one word, from anywhere; only the terminal lets it go on.

import { ACTORS, type Actor, COURSES, STOPS, type Stop } from '../../authority/stop-table.ts'
import { printable } from '../../language/printable.ts'
import { isOfOperator, operatorWord } from '../../runs/run.ts'
import { fromWhom } from '../../stores/guards.ts'
import type { Panic } from '../../stores/panic.ts'
import type { Task } from '../../stores/tasks.ts'
import { showMoment } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type CommandContext, mayRun, type SingleCommand } from '../kit/command.ts'
import { describeRefusal, isRefusal } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { addsByItself, isAlert, taskName } from '../tasks/task-words.ts'
import { stoppedHere } from './runs.ts'

export const panic: SingleCommand<'panic' | 'stops' | 'runs' | 'tasks' | 'hooks' | 'accounts'> = {
  name: 'panic',
  neverGuessed: true,
  group: 'session',
  usage: '',
  summary: 'stop every run of every hookline here, and refuse new ones until `resume`',
  where: 'anywhere',
  immediate: true,
  details: describeStops(['panic', 'halt', 'halt --reducing', 'sim on', 'nuke']),
  examples: [
    { line: 'panic', meaning: 'orders and positions stay as they are; `cancel all` and `close all` still work' },
  ],
  async run(context, args) {
    const [first] = args
    const ends = first?.kind === 'word' && /^(off|stop|end|over|clear)$/i.test(first.text)
    refuseMoreThan(0, args, ends ? 'type `resume`' : undefined)
    const { panic, stops } = context.ports
    const before = panic.read()
    // Counted first: the driver cancels them as soon as panic is on.
    const ending = tasksEnded(context)
    const tasks = endedWords(ending)
    // It holds here from now on; the file carries it to the others.
    const saved = panic.begin(speaker(context))
    const stopped = stops.panic(context.runId)
    if (before === undefined) {
      const isOfTasks = stopped.running + stopped.waiting === 0 && tasks.length > 0
      const ended = isOfTasks ? `stopped ${tasks.join(', ')}` : [stoppedHere(stopped), ...tasks].join(', ')
      const parts = [ended, ...hooksHeld(context)]
      context.out.warn(`panic is on: ${parts.join('; ')}; other hooklines on these files stop within a second`)
      context.out.info('until you type `resume` in a terminal, you can only close, cancel, protect and look')
    } else context.out.warn(`${describePanic(before)}; ${stoppedHere(stopped)}`)
    try {
      await saved
    } catch (error) {
      context.out.warn('it holds only in this process, and ends with it')
      throw error
    }
    stops.panic(context.runId)
    if (before === undefined) await context.audit('panic', {})
    // Without its stops and limits a position would be bare.
    const remark = () => '; `cancel all` and `close all` end them'
    const leaving = new Set(ending.flatMap(({ orderIds = [] }) => orderIds))
    await reportRemaining(context.out, context.accountName, () => context.account(), remark, leaving)
    nameOthers(context)
    warnOfArmed(context, ['stays armed but runs', 'stay armed but run'], ' nothing until `resume`')
  },
}

/** Those that add, and that no person has paused. */
function tasksEnded({ ports }: CommandContext<'tasks'>): readonly Task[] {
  return ports.tasks.list().filter((task) => {
    return addsByItself(task) && (task.paused !== true || task.pausedFor === 'simulation')
  })
}

/** `1 task, canceling its 4 orders`. */
function endedWords(ended: readonly Task[]): readonly string[] {
  if (ended.length === 0) return []
  const orders = ended.reduce((sum, { orderIds = [] }) => sum + orderIds.length, 0)
  const its = `${ended.length === 1 ? 'its' : 'their'} ${countOf(orders, 'order')}`
  return [`${countOf(ended.length, 'task')}${orders === 0 ? '' : `, canceling ${its}`}`]
}

const MAX_NAMED = 5

/** `a, b, c, d, e and 3 more`. */
function firstOf(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
}

/** What runs lines by itself, at its time or on its condition, and is as it was. */
export function warnOfArmed(
  { ports, out }: CommandContext<'tasks'>,
  [one, several]: readonly [string, string],
  what: string,
): void {
  const armed = ports.tasks.list().filter((task) => {
    return task.status === 'running' && task.paused !== true && isAlert(task) && task.kind !== 'alert'
  })
  if (armed.length === 0) return
  const names = firstOf(armed.map(taskName))
  out.warn(`${armed.length === 1 ? `this task ${one}` : `these tasks ${several}`}${what}: ${names}`)
}

/** Their venues are not asked: panic is not kept waiting. */
function nameOthers({ ports, out, accountName, source }: CommandContext<'accounts'>): void {
  if (!mayRun('trusted', source)) return
  const others = ports.accounts.list().flatMap(({ name }) => (name === accountName ? [] : [printable(name, 40)]))
  if (others.length === 0) return
  out.info(`other accounts keep their orders and positions too: ${firstOf(others)}`)
}

function hooksHeld({ ports }: CommandContext<'hooks'>): readonly string[] {
  const hooks = ports.hooks.list().length
  return hooks === 0 ? [] : [`${countOf(hooks, 'hook')} ${hooks === 1 ? 'refuses its' : 'refuse their'} fires`]
}

/** What each of these stops does to whatever acts. */
function describeStops(stops: readonly Stop[]): readonly string[] {
  const actors = Object.keys(ACTORS) as Actor[]
  const table = renderTable(
    [{ title: 'what it does to' }, ...stops.map((stop) => ({ title: stop }))],
    actors.map((actor) => [ACTORS[actor], ...stops.map((stop) => STOPS[stop].does[actor])]),
  )
  const used = new Set(stops.flatMap((stop) => actors.map((actor) => STOPS[stop].does[actor])))
  const words = Object.entries(COURSES).filter(([course]) => used.has(course as keyof typeof COURSES))
  const notes = stops.flatMap((stop) => {
    const { liftedBy, note } = STOPS[stop]
    const lifted = liftedBy === undefined ? 'done once' : `until ${liftedBy}`
    return [`${stop}: ${lifted}${note === undefined ? '' : `; ${note}`}`]
  })
  return [table, [...words.map(([course, meaning]) => `${course}: ${meaning}`), ...notes].join('\n')]
}

/** `panic is on (turned on by hook dip at 2026-07-01 12:00:00 UTC)`. */
export function describePanic({ since, by }: Panic): string {
  return `panic is on (turned on ${fromWhom(printable(by, 80))}${since === 0 ? '' : ` at ${showMoment(since)}`})`
}

/** Who said it, for people: `the terminal`, `hook dip`. */
export function speaker({ source, runId, ports }: CommandContext<'runs'>): string {
  if (isOfOperator(source)) return operatorWord(source)
  const origin = ports.runs().find((run) => run.runId === runId)?.origin
  return origin === undefined ? source : `${source} ${origin}`
}

/** @param connect to the account of this name @param remark how the line ends, by how many orders rest @param leaving ids that are being canceled */
export async function reportRemaining(
  out: CommandContext['out'],
  name: string,
  connect: () => Promise<Pick<TradingAccount, 'venue'>>,
  remark: (orders: number) => string,
  leaving: ReadonlySet<string> = new Set(),
): Promise<void> {
  const account = printable(name, 40)
  try {
    const { venue } = await connect()
    const [open, positions] = await Promise.all([venue.fetchOpenOrders(), venue.fetchPositions()])
    const orders = open.filter(({ id }) => !leaving.has(id))
    if (orders.length === 0 && positions.length === 0)
      return out.info(`account ${account} has no open orders and no positions`)
    const counts = `${countOf(orders.length, 'open order')} and ${countOf(positions.length, 'position')}`
    out.info(`account ${account} keeps ${counts}${remark(orders.length)}`)
  } catch (error) {
    if (!isRefusal(error)) throw error
    out.warn(`the holdings of account ${account} are unknown: ${describeRefusal(error)}`)
  }
}

export function countOf(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`
}
