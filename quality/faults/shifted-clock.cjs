// `shifted-clock.cjs <clock file> <program> [arguments]`: runs the program with a clock that can be set. At SIGUSR2 the time of day
// becomes the true one and as many ms as the clock file says; the monotonic clock goes on, as it does when somebody sets the time.
const { readFileSync } = require('node:fs')

const TrueDate = Date
const [, , clockFile] = process.argv
let shiftMs = 0

class ShiftedDate extends TrueDate {
  /** @param {unknown[]} values */
  constructor(...values) {
    super(.../** @type {[number]} */ (values.length === 0 ? [TrueDate.now() + shiftMs] : values))
  }
  /** @override */
  static now() {
    return TrueDate.now() + shiftMs
  }
}
globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (ShiftedDate))

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(clockFile, 'utf8'))
})
process.argv.splice(1, 2)
require(process.argv[1])
