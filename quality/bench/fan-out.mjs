// What it costs the server to bring a hook's output to its subscribers, against bare `ws` behind bare node:http that answers the same
// POSTs and sends the same bytes to as many sockets: a line per fire, each when the last has reached everyone, and a thousand at once.
// At one pace both deliver equally much, so what is compared is how many deliveries a second of the server's processor time is good
// for, the fire itself included: the pace that each could keep up, and a figure that stays true when others use the machine as well.
import { measureDelivery } from './delivery.mjs'
import { postRequest } from './load.mjs'
import { PRINTED } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, startOwnServer } from './servers.mjs'

/** @typedef {import('./delivery.mjs').Cost} Cost */
/** @typedef {{ rounds: number, durationMs: number, subscribers: number[] }} Scale durationMs: about what is measured each time */

/** @type {import('./groups.mjs').Group<Scale>} */
export const fanOut = {
  full: { rounds: 7, durationMs: 1_000, subscribers: [1, 10, 100, 500] },
  quick: { rounds: 3, durationMs: 80, subscribers: [1, 100] },
  measure: measureFanOut,
}

/**
 * @typedef {object} Printing what is fired
 * @property {string} what for people
 * @property {number} atLeast the ratio wanted
 * @property {string} command the hook's
 * @property {number} lines that a fire prints
 * @property {(subscribers: number, durationMs: number) => number} fires in all, one after another
 * @property {Record<number, string>} short why a row falls short, by the number of subscribers
 */

/** @type {Printing[]} */
const PRINTINGS = [
  {
    what: 'a line per fire',
    atLeast: 0.85,
    command: `echo ${PRINTED}`,
    lines: 1,
    // Takes about as long for one subscriber as for 500.
    fires: (subscribers, durationMs) => Math.ceil((durationMs * 4) / (1 + subscribers / 10)),
    short: { 1: 'the fire itself, its journal lines and its run, is shared by nobody' },
  },
  {
    what: 'a run of 1 000 lines',
    atLeast: 3,
    command: `repeat 1000 (echo ${PRINTED})`,
    lines: 1_000,
    fires: (subscribers, durationMs) => Math.ceil(durationMs / 50 / subscribers),
    short: { 1: 'a frame that is made once for all is made for one' },
  },
]

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureFanOut({ rounds, durationMs, subscribers }) {
  const hookline = await startHookline(0)
  const bare = await startOwnServer('./bare-print-server.mjs')
  const clientIds = trustClients(hookline.directory, Math.max(...subscribers))
  const rows = []
  for (const { what, atLeast, command, lines, fires, short } of PRINTINGS) {
    const request = writeHook(hookline.directory, command)
    for (const many of subscribers) {
      /** @param {{ port: number, child: import('./processes.mjs').Child }} server */
      const planFor = ({ port, child }) => ({
        port,
        pid: child.pid,
        subscribers: many,
        lines,
        fires: fires(many, durationMs),
      })
      const ours = { ...planFor(hookline), clientIds, request }
      const theirs = { ...planFor(bare), request: postRequest(`/${lines}`) }
      const contestants = { ours: () => measureDelivery(ours), theirs: () => measureDelivery(theirs) }
      if (many === subscribers[0]) await interleave(1, contestants)
      const costs = await interleave(rounds, contestants)
      const listeners = `${many} subscriber${many === 1 ? '' : 's'}`
      rows.push(compare(`${what}, to ${listeners}, against bare ws`, atLeast, costs, short[many]))
    }
  }
  await hookline.stop()
  await bare.stop()
  return rows
}

/**
 * @param {string} claim @param {number} atLeast @param {{ ours: Cost[], theirs: Cost[] }} costs
 * @param {string | undefined} short
 */
function compare(claim, atLeast, { ours, theirs }, short) {
  /** @param {readonly Cost[]} costs @param {keyof Cost} key */
  const of = (costs, key) => costs.map((cost) => cost[key])
  /** @param {readonly Cost[]} costs @param {keyof Cost} key */
  const us = (costs, key) => median(of(costs, key)).toFixed(2)
  /** @param {readonly Cost[]} costs */
  const figures = (costs) => `${us(costs, 'cpuUs')} µs CPU, ${us(costs, 'wallUs')} µs on the clock`
  const details = `a delivery takes ${figures(ours)}; ws ${figures(theirs)}`
  return judge(claim, { atLeast }, ratios(of(theirs, 'cpuUs'), of(ours, 'cpuUs')), details, short)
}
