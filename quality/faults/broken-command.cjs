// `broken-command.cjs <program> [arguments]`: runs the program with a mistake built in: whatever shows a date throws what no command
// expects, but for the time at the beginning of each line of `hookline listen`.
const { toISOString } = Date.prototype
Date.prototype.toISOString = function () {
  if (new Error().stack?.includes('stamped')) return toISOString.call(this)
  throw new RangeError('a mistake in a command')
}
process.argv.splice(1, 1)
require(process.argv[1])
