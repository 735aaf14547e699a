// A trigger replayed over a file of minutes, by the product's own reader, evaluator and practice account: `replay.mjs` bundles this and runs it.
// Usage: node <bundle> <candles file> <condition> <command>; prints what was measured as JSON.
import { lookup } from '../../src/commands/catalogue.ts'
import type { CommandPorts } from '../../src/commands/kit/ports.ts'
import { findMarket } from '../../src/exchanges/paper/markets.ts'
import { createReplay } from '../../src/replay/open-replay.ts'

const [path = '', when = '', command = ''] = process.argv.slice(2)
const names = { read: () => ({}) }
const replay = createReplay({
  config: {} as CommandPorts['config'],
  guards: { read: () => ({ limits: {} }) } as unknown as CommandPorts['guards'],
  aliases: names as CommandPorts['aliases'],
  variables: names as CommandPorts['variables'],
  lookup,
  now: Date.now,
  reportBug: (error) => {
    throw error
  },
})

/** The longest time that nothing else had its turn. */
let longestMs = 0
let before = performance.now()
const heart = setInterval(() => {
  longestMs = Math.max(longestMs, performance.now() - before)
  before = performance.now()
}, 1)
const startedAt = performance.now()
const cpu = process.cpuUsage()
const { bars, fires, fills } = await replay(
  {
    when,
    hook: { name: 'bench', command },
    account: { name: 'paper', exchange: 'paper' },
    market: findMarket('BTCUSDT'),
    candles: { from: 'file', path, mayHaveGaps: false },
    balance: '10000',
  },
  { signal: new AbortController().signal, onProgress: () => {} },
)
const { user, system } = process.cpuUsage(cpu)
clearInterval(heart)
const ms = performance.now() - startedAt
const rssMb = process.memoryUsage().rss / 1e6
console.log(
  JSON.stringify({
    bars,
    fires: fires.length,
    fills: fills.length,
    ms,
    cpuMs: (user + system) / 1000,
    longestMs,
    rssMb,
  }),
)
