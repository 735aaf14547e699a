// Preloaded into a server whose memory is measured: SIGUSR2 collects all garbage, twice, since some is found only once the first is gone.
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  setImmediate(collect)
})
