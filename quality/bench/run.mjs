// `npm run bench -- [--quick] [--json <file>] [--draw] [group…]`: every claim about speed as a ratio (and orders in a second), and how costs
// grow, taken on this machine in interleaved rounds. The groups stand in groups.mjs. Whether a claim holds is said in its row; the exit status tells only
// whether the bench itself worked. `--draw` draws what grew: docs/growth.svg.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { drawGrowth } from './draw-growth.mjs'
import { CLAIMS, chooseGroups, GROWTH } from './groups.mjs'
import { describeMachine } from './rounds.mjs'
import { requireFreePort } from './servers.mjs'
import { countVerdicts, formatPanel, formatTable } from './table.mjs'

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

await requireFreePort()
const machine = describeMachine()
console.log(
  Object.entries(machine)
    .map(([what, value]) => `${what}: ${value}`)
    .join('\n'),
)
if (machine.loadAverage > 1)
  console.error('!! this machine is busy: wide spreads say nothing, measure again when it is idle')

/** @type {Record<string, object>} */
const scale = {}
/** @type {import('./rounds.mjs').Row[]} */
const rows = []
/** @type {import('./growth.mjs').Panel[]} */
const growth = []
for (const name of chosen) {
  const [claims, costs] = [CLAIMS[name], GROWTH[name]]
  const group = claims ?? costs
  scale[name] = values.quick ? group.quick : group.full
  console.error(`measuring ${name}: ${describeScale(scale[name])} …`)
  const groupStartedAt = performance.now()
  if (claims) rows.push(...(await claims.measure(scale[name])))
  else growth.push(...(await costs.measure(scale[name])))
  console.error(`  ${secondsSince(groupStartedAt)} s`)
}

if (rows.length > 0) console.log(`\n${formatTable(rows)}`)
for (const panel of growth) console.log(`\n${formatPanel(panel)}`)
if (values.draw) writeFileSync(PICTURE, drawGrowth(growth, describeRun()))
if (rows.length > 0) console.log(`\n${countVerdicts(rows)}`)
if (values.quick) console.log('a quick run measures while V8 still compiles, and little of it: quote a full one')
console.log(`${rows.length > 0 ? '' : '\n'}elapsed: ${secondsSince(0)} s`)
if (values.json !== undefined) {
  const elapsedMs = Math.round(performance.now())
  const result = { machine, quick: values.quick, scale, rows, growth, elapsedMs }
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
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
