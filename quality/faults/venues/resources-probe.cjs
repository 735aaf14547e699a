// Preloaded into the hookline that is watched: at SIGUSR2 it collects its garbage and writes down what it holds, one line each time.
const { appendFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

process.on('SIGUSR2', () => {
  collect()
  setImmediate(() => {
    collect()
    const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage()
    const held = process.getActiveResourcesInfo()
    const timers = held.filter((each) => each === 'Timeout').length
    appendFileSync(
      process.env.RESOURCES ?? '',
      `${JSON.stringify({ heapBytes, rssBytes, held: held.length, timers })}\n`,
    )
  })
})
