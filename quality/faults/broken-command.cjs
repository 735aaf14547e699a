// `broken-command.cjs <program> [arguments]`: runs the program with a mistake built in: whatever shows a date throws what no command
// expects.
Date.prototype.toISOString = () => {
  throw new RangeError('a mistake in a command')
}
process.argv.splice(1, 1)
require(process.argv[1])
