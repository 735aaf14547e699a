// With the number of hooks: a fire, and an edit of the registry by the store (`hook rotate` of the first one), in a process that makes
// one after another.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { measureGrowth } from './growth.mjs'
import { fireUs } from './hook-count.mjs'
import { lastLineOf, startProcess } from './processes.mjs'
import { median } from './rounds.mjs'
import { startHookline, temporaryDirectory, verifyFires, writeHooks } from './servers.mjs'

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number[]} hooks
 * @property {number} durationMs of fires, measured each time
 * @property {number} warmUp fires before that
 * @property {number} edits measured each time; a tenth of it of 10 000 hooks and more
 */

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthHooks = {
  full: { rounds: 5, hooks: [10, 100, 1_000, 10_000, 100_000], durationMs: 600, warmUp: 2_000, edits: 20 },
  quick: { rounds: 2, hooks: [10, 1_000, 10_000], durationMs: 100, warmUp: 500, edits: 5 },
  measure: measureGrowthHooks,
}

/** @param {Scale} scale @returns {Promise<import('./growth.mjs').Panel[]>} */
async function measureGrowthHooks(scale) {
  const grows = 'hooks'
  const [fires, edits] = [await measureFires(scale), await measureEdits(scale)]
  return [
    { title: 'a fire, 10 connections', grows, unit: 'µs', whole: true, lines: fires },
    { title: 'an edit of the registry', grows, unit: 'ms', whole: true, lines: edits },
  ]
}

/** @param {Scale} scale */
async function measureFires({ rounds, hooks, ...scale }) {
  const server = await startHookline(hooks[0])
  await verifyFires(server, scale.warmUp)
  const lines = await measureGrowth(rounds, hooks, async (count) => ({ fire: await fireUs(server, count, scale) }))
  await server.stop()
  return lines
}

/** @param {Scale} scale */
async function measureEdits({ rounds, hooks, edits }) {
  const directory = temporaryDirectory()
  const program = await bundle('quality/bench/hook-edit.ts', join(directory, 'hook-edit.mjs'))
  const lines = await measureGrowth(rounds, hooks, async (count) => {
    writeHooks(directory, count)
    const asked = Math.ceil(count >= 10_000 ? edits / 10 : edits)
    const child = startProcess([process.execPath, program, directory, String(asked)])
    return { edit: median(JSON.parse(await lastLineOf(child))) }
  })
  rmSync(directory, { recursive: true, force: true })
  return lines
}
