// `npm run bench -- [--quick] [--json <file>] [group…]`: every claim about speed as a ratio, taken on this machine in interleaved rounds.
// The groups stand below. Whether a claim holds is said in its row; the exit status tells only whether the bench itself worked.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureExec } from './exec.mjs'
import { measureFanOut } from './fan-out.mjs'
import { measureFires } from './fires.mjs'
import { measureHookCount } from './hook-count.mjs'
import { measurePeer } from './peer.mjs'
import { measurePostToDone } from './post-to-done.mjs'
import { describeMachine } from './rounds.mjs'
import { requireFreePort } from './servers.mjs'
import { measureSessionMemory } from './session-memory.mjs'
import { measureStartUp } from './start-up.mjs'
import { formatTable } from './table.mjs'

/** @typedef {{ rounds: number, durationMs: number, starts: number }} Scale measured rounds, time of each, and starts timed */

const GROUPS = {
  fires: measureFires,
  peer: measurePeer,
  'hook-count': measureHookCount,
  'start-up': measureStartUp,
  'fan-out': measureFanOut,
  'post-to-done': measurePostToDone,
  exec: measureExec,
  'session-memory': measureSessionMemory,
}
const FULL = { rounds: 9, durationMs: 2_000, starts: 40 }
const QUICK = { rounds: 5, durationMs: 300, starts: 12 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
})
const unknown = positionals.find((name) => !Object.hasOwn(GROUPS, name))
if (unknown !== undefined)
  throw new Error(`there is no group ${unknown}: choose from ${Object.keys(GROUPS).join(', ')}`)

await requireFreePort()
const machine = describeMachine()
console.log(
  Object.entries(machine)
    .map(([what, value]) => `${what}: ${value}`)
    .join('\n'),
)
if (machine.loadAverage > 1)
  console.error('!! this machine is busy: wide spreads say nothing, measure again when it is idle')
/** @type {import('./rounds.mjs').Row[]} */
const rows = []
for (const [name, measure] of Object.entries(GROUPS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.error(`measuring ${name} …`)
  rows.push(...(await measure(values.quick ? QUICK : FULL)))
}
console.log(`\n${formatTable(rows)}`)
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, quick: values.quick, rows }, null, 2)}\n`)
