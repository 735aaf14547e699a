// All that the authority is asked for an order, by the real stores over the files of a busy directory: `authority.mjs` bundles this like the product
// and runs it. Usage: node <bundle> <config directory> <orders>; prints what each order cost, in ms, as JSON.
import { openStores } from '../../src/app/open-stores.ts'
import { type Asker, createAuthority } from '../../src/authority/authority.ts'

const [directory = '', orders] = process.argv.slice(2)
const stores = openStores(directory)
const [hook] = stores.hooks.list()
if (hook === undefined) throw new Error('there is no hook')
const CLIENT = 'tab-1-of-this-browser'
await stores.trustedClients.add({ clientId: CLIENT, label: 'tab', origin: 'http://127.0.0.1:53220' })
// A stop that was said and is over is looked at for ever.
await stores.panic.begin('the terminal')
await stores.panic.end()
await stores.stops.issueStop(`hook:${'0'.repeat(32)}`)
const authority = createAuthority(stores)
const askers: Readonly<Record<string, Asker>> = {
  terminal: { source: 'repl', runId: 'aaaaaaaa-1' },
  hook: { source: 'hook', runId: 'cccccccc-1', hook },
  page: { source: 'web', runId: 'dddddddd-1', clientId: CLIENT, pageOrigin: 'http://127.0.0.1:53220' },
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 1))
const results: Record<string, number[]> = {}
for (const [who, asker] of Object.entries(askers)) {
  const times: number[] = []
  for (let order = -500; order < Number(orders); order += 1) {
    let spent = 0
    const timed = <Answer>(ask: () => Answer): Answer => {
      const startedAt = performance.now()
      const answer = ask()
      spent += performance.now() - startedAt
      return answer
    }
    // As its run begins and before its step, each in a turn of its own; by the guard right before its bytes leave.
    const admission = timed(() => authority.admit(asker))
    const answers: (string | undefined)[] = []
    for (const ask of [authority.whyEndedInTurn, authority.whyEndedInTurn, authority.whyEnded]) {
      await nextTurn()
      answers.push(timed(() => ask(admission)))
    }
    if (answers.some((why) => why !== undefined)) throw new Error(`${who} has ended: ${answers.join()}`)
    // The first ones are for the compiler.
    if (order >= 0) times.push(spent)
  }
  results[who] = times
}
console.log(JSON.stringify(results))
