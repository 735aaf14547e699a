// Runs the bundle once, with the arguments given, and keeps the code that V8 has compiled on the way: the next start has it at once
// (22 ms less of 60; bench/start-up). Must read and wrap the bundle just as `launch.cjs` does.
const { readFileSync, writeFileSync } = require('node:fs')
const { wrap } = require('node:module')
const { resolve } = require('node:path')
const { Script } = require('node:vm')

const filename = resolve('dist/main.cjs')
const script = new Script(wrap(readFileSync(filename, 'latin1')), { filename })
process.once('exit', () => writeFileSync('dist/main.code', script.createCachedData()))
script.runInThisContext()(exports, require, module, filename, resolve('dist'))
