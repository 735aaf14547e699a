// Runs the bundle once, with the arguments given, and keeps the code that V8 has compiled on the way: the next start has it at once
// (22 ms less of 60; bench/start-up). `listen` takes a port of its own, and ends with its first answer. Must read the bundle, and
// name the code, just as `launch.cjs` does.
const { readFileSync, statSync, writeFileSync } = require('node:fs')
const { get } = require('node:http')
const { Server } = require('node:net')
const { resolve } = require('node:path')
const { Script } = require('node:vm')

const { size, mtime } = statSync(process.execPath)
const command = process.argv[2] === 'listen' ? 'listen' : 'exec'
const code = `dist/main.${process.version}-${process.arch}-${size}-${mtime.getTime()}.${command}.code`

/** Another hookline may have the port, and nobody is to meet this one there. */
const { listen } = Server.prototype
Server.prototype.listen = function (/** @type {any[]} */ ...[port, host, ...rest]) {
  this.once('listening', () => {
    const at = /** @type {import('node:net').AddressInfo} */ (this.address())
    const asked = { host, port: at.port, path: '/health', headers: { Host: `${host}:${port}` } }
    get(asked, (answer) => answer.resume().once('end', () => process.exit()))
  })
  return Reflect.apply(listen, this, [0, host, ...rest])
}

const filename = resolve('dist/main.cjs')
// The code remembers this name, and Node 20 shows it in stack traces: it must not be a path of the machine that builds.
const script = new Script(readFileSync(filename, 'latin1'), { filename: 'main.cjs' })
process.once('exit', () => writeFileSync(code, script.createCachedData()))
script.runInThisContext()(exports, require, module, filename, resolve('dist'))
