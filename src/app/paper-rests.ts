// What a person who leaves should know of a paper account: its market is open only while a hookline runs.
import { isRefusal } from '../commands/kit/errors.ts'
import type { App } from './app.ts'

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
