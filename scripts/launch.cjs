#!/usr/bin/env node
// What `bin.hookline` starts: the bundle beside it, from V8's code cache where `scripts/build.mjs` made one with this very Node, by
// running the bundle once. The cache's name says which Node that was, because V8 cannot be asked: that of Node 20 takes the code of
// any other build of its version, and crashes on it. V8 refuses by itself what was made with other flags, and then compiles as always.
// There are two: what a listener runs up to its first answer, and what `exec` runs. V8 reads all of one before anything starts.

// Before anything else: without a handler Node opens its inspector on this signal, to every user of the machine (behaviour 21).
process.on('SIGUSR1', () => {})

const { readFileSync, statSync } = require('node:fs')
const { Script } = require('node:vm')

const filename = `${__dirname}/main.cjs`

function codeCache() {
  try {
    const { size, mtime } = statSync(process.execPath)
    const made = `${process.version}-${process.arch}-${size}-${mtime.getTime()}`
    const [, , command = 'listen'] = process.argv
    return readFileSync(`${__dirname}/main.${made}.${command === 'listen' ? 'listen' : 'exec'}.code`)
  } catch {
    return undefined
  }
}

/** @param {string} what @returns {never} */
function refuse(what) {
  process.stderr.write(`error: this installation of hookline is incomplete: ${filename} ${what} (install it again)\n`)
  process.exit(1)
}

/** An update that was cut short leaves files out, or half of one. */
function readBundle() {
  try {
    // The bundle is ASCII, and latin1 is read fastest.
    const source = readFileSync(filename, 'latin1')
    // Half of it may well be a program, which then ends with 0 and has done nothing.
    return source.endsWith('// end of hookline\n') ? source : refuse('is damaged')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    return refuse('is missing')
  }
}

const script = new Script(readBundle(), { filename, cachedData: codeCache() })
script.runInThisContext()(exports, require, module, filename, __dirname)
