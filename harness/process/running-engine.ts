// `hookline cross-trade run`, the built program: an engine and the process that looks after it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { BINARY, environmentOf } from './built-hookline.mjs'

export interface RunningEngine {
  readonly child: ChildProcess
  /** All that it said. */
  readonly said: () => string
  /** Resolves when what it says from now on, or said since the last call, matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export function startEngine(directory: string, ...args: readonly string[]): RunningEngine {
  const child = spawn(process.execPath, [BINARY, 'cross-trade', 'run', ...args], { env: environmentOf(directory) })
  let text = ''
  let from = 0
  let wake = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      wake()
    })
  }
  const closed = once(child, 'close') as Promise<[number | null]>
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
  })
  return {
    child,
    said: () => text,
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(text.slice(from))
        if (match !== null) {
          from += match.index + match[0].length
          return match
        }
        if (child.exitCode !== null) throw new Error(`it ended without ${pattern}: ${text}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    ended: closed.then(([code]) => code),
  }
}

/** What it says when it copies. */
export const COPIES = /the engine copies; Ctrl-C/
