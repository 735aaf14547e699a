// Runs the bundle once, with the arguments given, and keeps the code that V8 has compiled on the way: the next start has it at once
// (22 ms less of 60; bench/start-up). Must read and wrap the bundle, and name the code, just as `launch.cjs` does.
const { readFileSync, statSync, writeFileSync } = require('node:fs')
const { wrap } = require('node:module')
const { resolve } = require('node:path')
const { Script } = require('node:vm')

const { size, mtime } = statSync(process.execPath)
const code = `dist/main.${process.version}-${process.arch}-${size}-${mtime.getTime()}.code`

const filename = resolve('dist/main.cjs')
// The code remembers this name, and Node 20 shows it in stack traces: it must not be a path of the machine that builds.
const script = new Script(wrap(readFileSync(filename, 'latin1')), { filename: 'main.cjs' })
process.once('exit', () => writeFileSync(code, script.createCachedData()))
script.runInThisContext()(exports, require, module, filename, resolve('dist'))
