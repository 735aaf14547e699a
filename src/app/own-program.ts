// By which absolute paths another program starts this hookline again.
import { resolve } from 'node:path'
import { isSea } from 'node:sea'

/** `node` and the program, as it was started: a link of npm's stays the link, which outlives an update. One binary is both. */
export function ownProgram(): readonly [string, ...string[]] {
  const [node = process.execPath, script] = [process.execPath, process.argv[1]]
  return isSea() || script === undefined ? [node] : [node, resolve(script)]
}
