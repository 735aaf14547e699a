// Runs a program of the system: by its arguments, never through a shell.
import { spawn } from 'node:child_process'
import type { ToolAnswer } from '../service/service.ts'
import type { ToolCommand } from '../service/service-manager.ts'

/** What a program says is for a line or two; more of it is dropped. */
const MAX_TEXT = 64 * 1_024
/** A manager that does not answer must not hang the command: a stop may take its 30 s. */
const PATIENCE_MS = 60_000

/** @param signal ends the program; its answer is then that of a program that failed */
export function runTool([tool, ...args]: ToolCommand, signal?: AbortSignal): Promise<ToolAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    // Not the option of `spawn`, whose timer outlives a program that could not be started.
    const timer = setTimeout(() => child.kill(), PATIENCE_MS)
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        if (texts[name].length < MAX_TEXT) texts[name] += chunk
      })
    }
    child.on('error', (error) => {
      clearTimeout(timer)
      endWithout(error, resolve, reject)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ outcome: 'ended', code: code ?? 1, ...texts })
    })
  })
}

/** On the terminal of this process, until it ends. */
export function showTool([tool, ...args]: ToolCommand): Promise<ToolAnswer> {
  return new Promise((resolve, reject) => {
    // Ctrl-C is for what is shown; this process ends when it does.
    const ignore = (): void => {}
    process.on('SIGINT', ignore)
    const child = spawn(tool, args, { stdio: 'inherit', windowsHide: true })
    child.on('error', (error) => endWithout(error, resolve, reject))
    child.on('close', (code, signal) => {
      process.off('SIGINT', ignore)
      const isStopped = signal === 'SIGINT' || code === 130
      resolve({ outcome: 'ended', code: isStopped ? 0 : (code ?? 1), stdout: '', stderr: '' })
    })
  })
}

function endWithout(
  error: NodeJS.ErrnoException,
  resolve: (answer: ToolAnswer) => void,
  reject: (error: Error) => void,
): void {
  // One that may not be run is as good as none.
  if (error.code === 'ENOENT' || error.code === 'EACCES') resolve({ outcome: 'missing' })
  else reject(error)
}
