// This process: its version, its program, its exit codes and its end.

import { resolve } from 'node:path'
import { isSea } from 'node:sea'

/** Set by the bundler from package.json; sources run unbundled only in tests. */
declare const __HOOKLINE_VERSION__: string | undefined
/** Set by the bundler: the commit of the tree, empty where there is none. */
declare const __HOOKLINE_COMMIT__: string | undefined

export const VERSION: string = typeof __HOOKLINE_VERSION__ === 'string' ? __HOOKLINE_VERSION__ : '0.0.0-source'

/** What `hookline --version --json` prints. */
interface BuildFacts {
  readonly version: string
  /** Of the Node that runs it, without a `v`. */
  readonly node: string
  /** As Node names both: `linux-x64`. */
  readonly platform: string
  /** 40 hex characters, with `-dirty` for a tree that had changes; null for a build outside git. */
  readonly commit: string | null
}

export function buildFacts(): BuildFacts {
  const commit = typeof __HOOKLINE_COMMIT__ === 'string' ? __HOOKLINE_COMMIT__ : ''
  const platform = `${process.platform}-${process.arch}`
  return { version: VERSION, node: process.versions.node, platform, commit: commit === '' ? null : commit }
}

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

/**
 * A reader that goes away (`hookline exec … | head -1`) does not end a line of orders half-way: output without a reader is
 * dropped, and the exit status still tells how the run ended. The REPL and `hookline listen` watch their output themselves.
 */
export function ignoreBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
