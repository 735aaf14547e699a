// What can be measured, by the names that `npm run bench` takes. Each group has a scale of its own, full and quick.
import { alerts } from './alerts.mjs'
import { authority } from './authority.mjs'
import { chases } from './chases.mjs'
import { copier } from './copier.mjs'
import { desk } from './desk-flood.mjs'
import { exec } from './exec.mjs'
import { fanOut } from './fan-out.mjs'
import { fires } from './fires.mjs'
import { growthHooks } from './growth-hooks.mjs'
import { growthJournal } from './growth-journal.mjs'
import { growthOutput } from './growth-output.mjs'
import { growthAccounts, growthCrossTrade } from './growth-rows.mjs'
import { growthSubscribers } from './growth-subscribers.mjs'
import { hookCount } from './hook-count.mjs'
import { hosting } from './hosting.mjs'
import { mcp } from './mcp.mjs'
import { neighbours } from './neighbours.mjs'
import { orders } from './orders.mjs'
import { pageLoad } from './page-load.mjs'
import { peer } from './peer.mjs'
import { postToDone } from './post-to-done.mjs'
import { proxy } from './proxy.mjs'
import { replay } from './replay.mjs'
import { runsPage } from './runs-page.mjs'
import { sessionMemory } from './session-memory.mjs'
import { startUp } from './start-up.mjs'
import { tasksStart } from './tasks-start.mjs'
import { triggers } from './triggers.mjs'
import { venueOrders } from './venue-orders.mjs'
import { venues } from './venues.mjs'

/**
 * @template S, [M=import('./rounds.mjs').Row]
 * @typedef {object} Group
 * @property {S} full how much is measured
 * @property {S} quick
 * @property {(scale: S) => Promise<M[]>} measure
 */

/** @template S @typedef {Group<S, import('./growth.mjs').Panel>} GrowthGroup */

/** Claims, that hold or fall short. @type {Record<string, Group<any>>} */
export const CLAIMS = {
  fires,
  alerts,
  peer,
  proxy,
  'hook-count': hookCount,
  'start-up': startUp,
  'fan-out': fanOut,
  'post-to-done': postToDone,
  exec,
  orders,
  'session-memory': sessionMemory,
  venues,
  'venue-orders': venueOrders,
  authority,
  copier,
  chases,
  'tasks-start': tasksStart,
  'runs-page': runsPage,
  triggers,
  replay,
  'page-load': pageLoad,
  desk,
  hosting,
  mcp,
  neighbours,
}

/** Costs at several sizes; `growth` means all of them. @type {Record<string, GrowthGroup<any>>} */
export const GROWTH = {
  'growth-hooks': growthHooks,
  'growth-subscribers': growthSubscribers,
  'growth-output': growthOutput,
  'growth-journal': growthJournal,
  'growth-accounts': growthAccounts,
  'growth-cross-trade': growthCrossTrade,
}

/**
 * @param {readonly string[]} asked names of groups; none: all
 * @returns {string[]}
 */
export function chooseGroups(asked) {
  const all = [...Object.keys(CLAIMS), ...Object.keys(GROWTH)]
  const unknown = asked.find((name) => name !== 'growth' && !all.includes(name))
  if (unknown !== undefined) throw new Error(`there is no group ${unknown}: choose from growth, ${all.join(', ')}`)
  if (asked.length === 0) return all
  return all.filter((name) => asked.includes(name) || (asked.includes('growth') && Object.hasOwn(GROWTH, name)))
}
