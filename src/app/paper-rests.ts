// What a person who comes or leaves should know of an account: what no stop ends, and what fills only while a hookline runs.
import { isRefusal } from '../commands/kit/errors.ts'
import type { BarePosition } from '../commands/kit/ports.ts'
import { addsByItself, isProtecting } from '../commands/tasks/task-words.ts'
import { barePositions } from '../commands/trading/protective-stop.ts'
import type { Order } from '../exchange/order.ts'
import { printable } from '../language/printable.ts'
import type { App } from './app.ts'

interface Leaving {
  readonly connect: App['connect']
  readonly ports: Pick<App['ports'], 'askListeningPid' | 'tasks'>
}

/** A task that goes on places or enlarges its stop meanwhile, and a venue may list that late. */
const TASK_PLACES_MS = 2_000

interface StartedApp extends Pick<App, 'connect' | 'takenOver'> {
  readonly ports: Pick<App['ports'], 'tasks'>
}

/**
 * As `describeBare`, at a start: nobody waits for it. What this hookline is about to protect itself needs no line that places another stop.
 * @param pause default: real time
 */
export async function describeBareAtStart(
  app: StartedApp,
  names: readonly string[],
  pause: (ms: number) => Promise<void> = (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
): Promise<readonly BarePosition[]> {
  await within(BARE_WITHIN_MS, app.takenOver, undefined)
  const found = await describeBare(app, names, BARE_WITHIN_MS)
  const isProtected = ({ symbol }: BarePosition) =>
    app.ports.tasks.list().some((task) => task.symbol === symbol && isProtecting(task))
  if (!found.some(isProtected)) return found
  await pause(TASK_PLACES_MS)
  return describeBare(app, names, BARE_WITHIN_MS)
}

const BARE_WITHIN_MS = 30_000

/**
 * A line for each position that no stop ends, or a part of it, with the line that places one; asks for no longer than half a second, or `withinMs`.
 * @param names the account in focus first: of others, each line has the name
 */
export async function describeBare(
  app: Pick<App, 'connect'>,
  names: readonly string[],
  withinMs = 500,
): Promise<readonly BarePosition[]> {
  const [focus] = names
  const bareOf = async (name: string): Promise<readonly BarePosition[]> => {
    const account = await app.connect(name).catch((error: unknown) => {
      if (isRefusal(error)) return undefined
      throw error
    })
    if (account === undefined) return []
    const found = await barePositions(account, name === focus ? undefined : name)
    if (name === focus) return found
    return found.map(({ symbol, line }) => ({ symbol, line: `[${printable(name, 40)}] ${line}` }))
  }
  const asked = [...new Set(names)].map((name) => within(withinMs, bareOf(name), []))
  return (await Promise.all(asked)).flat()
}

/** One line where orders or positions stay behind on paper and no other hookline runs; asks for no longer than half a second. */
export async function describePaperRests(app: Leaving, accountName: string): Promise<string | undefined> {
  return within(500, ask(app, accountName), undefined)
}

/** @param late the answer where none came in time */
function within<T>(ms: number, asked: Promise<T>, late: T): Promise<T> {
  const timer = new Promise<T>((resolve) => {
    setTimeout(resolve, ms, late).unref()
  })
  return Promise.race([asked, timer])
}

async function ask(app: Leaving, accountName: string): Promise<string | undefined> {
  try {
    const { venue } = await app.connect(accountName)
    if (venue.id !== 'paper') return undefined
    const [resting, listening] = await Promise.all([venue.fetchOpenOrders(), app.ports.askListeningPid()])
    const orders = withoutTakenBack(resting, app.ports.tasks)
    if (orders.length === 0 || (listening !== undefined && listening !== process.pid)) return undefined
    const count = orders.length === 1 ? '1 order (stops included) is' : `${orders.length} orders (stops included) are`
    return `${count} resting on ${accountName}: the paper market fills ${orders.length === 1 ? 'it' : 'them'} only while hookline runs (\`hookline listen\` keeps it open)`
  } catch (error) {
    // Who leaves is not kept by a venue that does not answer.
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** A task that adds takes its orders back as this process ends, and says so itself. */
function withoutTakenBack(orders: readonly Order[], tasks: Leaving['ports']['tasks']): readonly Order[] {
  if (tasks.driver() !== process.pid) return orders
  const theirs = new Set(tasks.list().flatMap((task) => (addsByItself(task) ? (task.orderIds ?? []) : [])))
  return orders.filter(({ id }) => !theirs.has(id))
}
