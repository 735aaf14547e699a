// `as-nobody.cjs <program> [arguments]`: runs the program as a user who may not do everything.
const NOBODY = 65_534

process.setgroups?.([])
process.setgid?.(NOBODY)
process.setuid?.(NOBODY)
process.argv.splice(1, 1)
require(process.argv[1])
