// Preloaded into the hookline that is soaked: asked over IPC, it collects all its garbage and tells what is left, and how late its event
// loop was since it was asked last. The pause of the collection itself is not counted: no other hookline has it.
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

const RESOLUTION_MS = 10

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()

process.on('message', () => {
  const delayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS)
  collect()
  // Some is found only once the first is gone.
  setImmediate(() => {
    collect()
    const { rss, heapUsed } = process.memoryUsage()
    process.send?.({ rssBytes: rss, heapBytes: heapUsed, delayP99Ms })
    setImmediate(() => delay.reset())
  })
})
// The channel alone must not keep it alive.
process.channel?.unref()
