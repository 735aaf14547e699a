// `broken-command.cjs <program> [arguments]`: runs the program with a mistake built in: a command that shows a time throws what no command
// expects. Times that are written elsewhere, on lines of `hookline listen` and in files, are as ever.
const { toISOString } = Date.prototype
Date.prototype.toISOString = function () {
  if (!new Error().stack?.includes('showTime')) return toISOString.call(this)
  throw new RangeError('a mistake in a command')
}
process.argv.splice(1, 1)
require(process.argv[1])
