// What a person who comes or leaves should know of an account: what no stop ends, and what fills only while a hookline runs.
import { isRefusal } from '../commands/kit/errors.ts'
import { bareLines } from '../commands/trading/protective-stop.ts'
import type { App } from './app.ts'

/** A line for each position that no stop ends, or a part of it; asks for no longer than half a second, or `withinMs`. */
export async function describeBare(app: App, accountName: string, withinMs = 500): Promise<readonly string[]> {
  const late = new Promise<readonly string[]>((resolve) => {
    setTimeout(resolve, withinMs, []).unref()
  })
  const asked = app.connect(accountName).then(bareLines, (error: unknown) => {
    if (isRefusal(error)) return []
    throw error
  })
  return Promise.race([asked, late])
}

/** One line where orders or positions stay behind on paper and no other hookline runs; asks for no longer than half a second. */
export async function describePaperRests(app: App, accountName: string): Promise<string | undefined> {
  const asked = ask(app, accountName)
  const late = new Promise<undefined>((resolve) => {
    setTimeout(resolve, 500, undefined).unref()
  })
  return Promise.race([asked, late])
}

async function ask(app: App, accountName: string): Promise<string | undefined> {
  try {
    const { venue } = await app.connect(accountName)
    if (venue.id !== 'paper') return undefined
    const [orders, listening] = await Promise.all([venue.fetchOpenOrders(), app.ports.askListeningPid()])
    if (orders.length === 0 || (listening !== undefined && listening !== process.pid)) return undefined
    const count = orders.length === 1 ? '1 order rests' : `${orders.length} orders rest`
    return `${count} on ${accountName}, stops included: the paper market fills them only while hookline runs (\`hookline listen\` keeps it open)`
  } catch (error) {
    // Who leaves is not kept by a venue that does not answer.
    if (isRefusal(error)) return undefined
    throw error
  }
}
