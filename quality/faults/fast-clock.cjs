// Runs a program with a clock that goes faster: `node fast-clock.cjs <rate>[@<from>] <program> [argument…]`. Timers, and the
// times that the program reads, pass <rate> times as fast as those of the world around it. <from>, ms since the epoch: when both
// clocks were equal, so that programs that start later have the same time. Default: now.
const { performance } = require('node:perf_hooks')

const [, given] = process.argv.splice(1, 2)
const [rate, from] = given.split('@').map(Number)

const realTime = Date.now.bind(Date)
const startedAt = from ?? realTime()
Date.now = () => Math.round(startedAt + (realTime() - startedAt) * rate)

const realMonotonic = performance.now.bind(performance)
performance.now = () => realMonotonic() * rate

for (const name of /** @type {const} */ (['setTimeout', 'setInterval'])) {
  const real = globalThis[name]
  /** @param {(...values: unknown[]) => void} action @param {unknown[]} values */
  const hastened = (action, ms = 0, ...values) => real(action, ms / rate, ...values)
  Object.assign(globalThis, { [name]: Object.assign(hastened, real) })
}

require(process.argv[1])
