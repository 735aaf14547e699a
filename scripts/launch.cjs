#!/usr/bin/env node
// What `bin.hookline` starts: the bundle beside it, from V8's code cache, which `scripts/build.mjs` made by running it once. V8 itself
// refuses a cache of another version or of another bundle, and then compiles as always.
const { readFileSync } = require('node:fs')
const { wrap } = require('node:module')
const { Script } = require('node:vm')

const filename = `${__dirname}/main.cjs`

function codeCache() {
  try {
    return readFileSync(`${__dirname}/main.code`)
  } catch {
    return undefined
  }
}

// The bundle is ASCII, and latin1 is read fastest.
const script = new Script(wrap(readFileSync(filename, 'latin1')), { filename, cachedData: codeCache() })
script.runInThisContext()(exports, require, module, filename, __dirname)
