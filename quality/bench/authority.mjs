// What one order costs for the authority (behaviour 30): the time inside its calls, from the admission of its run to the last question before its
// bytes leave, over a directory with 1 000 hooks. It needs no baseline: nothing else is measured.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { temporaryDirectory, writeHooks } from './servers.mjs'

const HOOKS = 1_000
/** Why it may fall short. */
const FILES = 'the stop may be said by any process: five files are looked at in each of three turns'

/** @typedef {{ orders: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const authority = {
  full: { orders: 3_000 },
  quick: { orders: 500 },
  measure: measureAuthority,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureAuthority({ orders }) {
  const directory = temporaryDirectory()
  writeHooks(directory, HOOKS)
  const program = await bundle('quality/bench/authority-calls.ts', join(directory, 'authority-calls.mjs'))
  const printed = execFileSync(process.execPath, [program, directory, String(orders)], { encoding: 'utf8' })
  rmSync(directory, { recursive: true, force: true })
  /** @type {Record<'terminal' | 'hook' | 'page', number[]>} */
  const times = JSON.parse(printed)
  const each = Object.entries(times).map(([who, ms]) => `${who} ${median(ms).toFixed(3)} ms, p99 ${p99(ms).toFixed(3)}`)
  const dearest = Object.values(times).toSorted((a, b) => median(b) - median(a))[0] ?? []
  return [judge('the authority for one order, in ms', { atMost: 0.2 }, spreadOf(dearest), each.join('; '), FILES)]
}

/** @param {number[]} values */
function p99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
