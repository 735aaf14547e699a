// `npm run bench -- [--quick] [--json <file>] [--draw] [group…]`: every claim about speed as a ratio (and orders in a second), and how costs
// grow, taken on this machine in interleaved rounds. The groups stand in groups.mjs. Whether a claim holds is said in its row; the exit status tells only
// whether the bench itself worked. `--draw` draws what grew: docs/growth.svg.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { drawGrowth } from './draw-growth.mjs'
import { CLAIMS, chooseGroups, GROWTH } from './groups.mjs'
import { stopAll } from './processes.mjs'
import { measureGroups, mergeResults } from './results.mjs'
import { describeMachine } from './rounds.mjs'
import { requireFreePort } from './servers.mjs'
import { countVerdicts, formatPanel, formatTable } from './table.mjs'
import { closeAll } from './web-socket.mjs'

const PICTURE = 'docs/growth.svg'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    draw: { type: 'boolean', default: false },
  },
})
const chosen = chooseGroups(positionals)
if (values.draw && !chosen.some((name) => Object.hasOwn(GROWTH, name)))
  throw new Error('nothing to draw: --draw needs a growth group')

// Its processes end with it (processes.mjs).
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

await requireFreePort()
const machine = describeMachine()
console.log(
  Object.entries(machine)
    .map(([what, value]) => `${what}: ${value}`)
    .join('\n'),
)
if (machine.loadAverage > 1)
  console.error('!! this machine is busy: wide spreads say nothing, measure again when it is idle')

const before =
  values.json !== undefined && existsSync(values.json) ? JSON.parse(readFileSync(values.json, 'utf8')) : undefined
if (before !== undefined && before.quick !== values.quick)
  throw new Error(`${values.json} is of ${before.quick ? 'a quick' : 'a full'} run: choose another file`)

let groupStartedAt = 0
/** @type {Record<string, import('./results.mjs').Measured>} */
const groups = {}
for (const name of chosen) {
  const [claims, costs] = [CLAIMS[name], GROWTH[name]]
  const scale = values.quick ? (claims ?? costs).quick : (claims ?? costs).full
  groups[name] = claims ? { scale, claims: () => claims.measure(scale) } : { scale, growth: () => costs.measure(scale) }
}
const { scale, rows, growth, failed } = await measureGroups(groups, {
  begin(name, chosenScale) {
    groupStartedAt = performance.now()
    console.error(`measuring ${name}: ${describeScale(chosenScale)} …`)
  },
  async end(name, error) {
    if (error !== undefined) {
      console.error(`!! ${name} failed:`, error)
      closeAll()
      await stopAll()
    }
    console.error(`  ${secondsSince(groupStartedAt)} s`)
  },
})

if (rows.length > 0) console.log(`\n${formatTable(rows)}`)
for (const panel of growth) console.log(`\n${formatPanel(panel)}`)
if (values.draw && growth.length > 0) writeFileSync(PICTURE, drawGrowth(growth, describeRun()))
if (rows.length > 0) console.log(`\n${countVerdicts(rows)}`)
if (values.quick) console.log('a quick run measures while V8 still compiles, and little of it: quote a full one')
console.log(`${rows.length > 0 ? '' : '\n'}elapsed: ${secondsSince(0)} s`)
if (values.json !== undefined) {
  const elapsedMs = Math.round(performance.now())
  const results = mergeResults(before, { machine, quick: values.quick, scale, rows, growth, elapsedMs })
  writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`)
  process.exitCode = 1
}

/** @param {object} chosenScale */
function describeScale(chosenScale) {
  return Object.entries(chosenScale)
    .map(([what, value]) => `${what} ${Array.isArray(value) ? value.join('/') : value}`)
    .join(', ')
}

/** For whoever looks at the picture. */
function describeRun() {
  const { processor, system, node } = machine
  const kernel = system.replace(/(\d+\.\d+)\S*/, '$1')
  return `${processor}, ${kernel}, Node ${node.slice(1)}${values.quick ? ', a quick run' : ''}`
}

/** @param {number} since 0: the start of the bench */
function secondsSince(since) {
  return ((performance.now() - since) / 1_000).toFixed(1)
}
