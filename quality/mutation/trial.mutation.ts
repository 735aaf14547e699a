import { appendFileSync } from 'node:fs'
import { inspect } from 'node:util'
const log = (...a: unknown[]) => appendFileSync('/tmp/mut.log', a.map((x) => typeof x === 'string' ? x : inspect(x, { depth: 5, maxArrayLength: 300, maxStringLength: 300 })).join(' ') + '\n')
import { mutantsOf } from '../../harness/venues/mutants.ts'
import { killerOf, loadKillers } from './killers.ts'
const venues = (process.env.MV ?? 'mexc').split(',')
const files = import.meta.glob(['../../test/exchanges/ccxt/{venue-codes,order-words.node,profiles,venue-cases.node,trade-lists.node,unread-orders.node,fired-orders.node,order-requests.node,whose-order.node,balances.node,in-front-of-orders.node,fill-rows.node}.test.ts', '../../test/exchanges/ccxt/streams/causes.test.ts'])
globalThis.it('x', async () => {
  const t0 = performance.now()
  const { killers, broken } = await loadKillers(files, venues)
  log(killers.length, broken, performance.now() - t0)
  for (const venue of venues) {
    const t = performance.now()
    const all = mutantsOf(venue)
    const survivors = []
    for (const m of all) {
      const k = await killerOf(venue, m, killers)
      if (k === undefined) survivors.push(`${m.name} (${killers.filter((k) => k.reads.has(`${venue} ${m.line}`)).length} asked)`)
    }
    log(venue, all.length, survivors.length, performance.now() - t, survivors)
  }
})
