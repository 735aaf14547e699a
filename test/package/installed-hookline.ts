// hookline as its users have it: from the package, under a Node and a home of their own.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ended } from '../../harness/process/hookline.ts'

const PATIENCE_MS = 20_000

export interface Installation {
  /** The folder that the package was installed in. */
  readonly folder: string
  /** The folder of the `node` that runs it. */
  readonly nodeFolder: string
  /** Where `.hookline` comes to be. */
  readonly home: string
}

/** A program with what it has printed so far; killed when the test is over. */
export class RunningProgram {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<Ended>
  #stdout = ''
  #stderr = ''

  /** @param command a file, or a name that is looked for beside `node` */
  constructor({ folder, nodeFolder, home }: Installation, command: string, args: readonly string[]) {
    const env = { PATH: nodeFolder, HOME: home }
    this.#child = spawn(command, args, { cwd: folder, env, timeout: PATIENCE_MS, killSignal: 'SIGKILL' })
    this.#child.stdin.end()
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stdout += chunk
    })
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk
    })
    this.#ended = once(this.#child, 'close').then(([code]) => ({ stdout: this.#stdout, stderr: this.#stderr, code }))
    // Its port is free for the next test only once it is gone.
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      await this.#ended
    })
  }

  /** Resolves once standard output holds `expected`. */
  async prints(expected: string): Promise<void> {
    while (!this.#stdout.includes(expected)) {
      const ended = await Promise.race([this.#ended, once(this.#child.stdout, 'data')])
      if (!Array.isArray(ended)) throw new Error(`never printed ${expected}, but ended: ${JSON.stringify(ended)}`)
    }
  }

  /** Asks it to end. @returns its end */
  stop(): Promise<Ended> {
    this.#child.kill('SIGTERM')
    return this.#ended
  }

  /** Resolves once it has ended by itself. */
  ended(): Promise<Ended> {
    return this.#ended
  }
}

/** `hookline`, as npm put it into the folder's `.bin`. */
export function startHookline(at: Installation, ...args: readonly string[]): RunningProgram {
  return new RunningProgram(at, join(at.folder, 'node_modules/.bin/hookline'), args)
}

export function runHookline(at: Installation, ...args: readonly string[]): Promise<Ended> {
  return startHookline(at, ...args).ended()
}

export function runNode(at: Installation, ...args: readonly string[]): Promise<Ended> {
  return new RunningProgram(at, join(at.nodeFolder, 'node'), args).ended()
}
