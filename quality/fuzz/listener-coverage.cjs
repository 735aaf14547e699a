// Loaded into the built listener before anything of it: counts which blocks of it run, and tells the fuzzer when asked.
const { Session } = require('node:inspector')

const session = new Session()
session.connect()

/** The session is with this very thread, so answers are there at once. @param {string} method @param {object} [params] */
function ask(method, params) {
  /** @type {any} */
  let answer
  session.post(method, params, (error, result) => {
    if (error) throw error
    answer = result
  })
  return answer
}

ask('Profiler.enable')
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

process.on('message', (asked) => {
  const { result } = ask('Profiler.takePreciseCoverage')
  const functions =
    result.find((/** @type {{ url: string }} */ { url }) => url.endsWith('dist/main.cjs'))?.functions ?? []
  process.send?.({ asked, functions })
})
// It must not be kept alive by being listened to, nor outlive the fuzzer.
process.channel?.unref()
process.on('disconnect', () => process.exit())
