// This process: its version, its program, its exit codes and its end.

import { resolve } from 'node:path'
import { isSea } from 'node:sea'

/** Set by the bundler from package.json; sources run unbundled only in tests. */
declare const __HOOKLINE_VERSION__: string | undefined

export const VERSION: string = typeof __HOOKLINE_VERSION__ === 'string' ? __HOOKLINE_VERSION__ : '0.0.0-source'

/**
 * The absolute paths by which another program starts this hookline again: `node` and the program, or one binary. A link of npm's stays the
 * link, which outlives an update.
 */
export function ownProgram(): readonly [string, ...string[]] {
  const [node = process.execPath, script] = [process.execPath, process.argv[1]]
  return isSea() || script === undefined ? [node] : [node, resolve(script)]
}

export const EXIT_CODE = {
  ok: 0,
  /** A command failed. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
} as const

/** Calls `handler` once, at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function onStopSignal(handler: () => void): void {
  let asked = false
  const stop = () => {
    if (asked) process.exit(130)
    asked = true
    handler()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
