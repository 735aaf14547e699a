// `hookline cross-trade run`: the engine, and the process that looks after it. Both are this program; the child has a channel to its parent.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Notice } from '../app/app-events.ts'
import { delay } from '../app/delay.ts'
import { superviseEngine } from '../app/supervise-engine.ts'
import { ownProgram } from '../app/this-process.ts'

/** Says to the child that it is one; no secret, and nothing that another process could gain by. */
const SUPERVISED = 'HOOKLINE_SUPERVISED'

/** @returns the exit code; the child does not return */
export async function runCrossTrade(options: { readonly force: boolean }): Promise<number> {
  if (process.env[SUPERVISED] === String(process.ppid) && process.send !== undefined) {
    const { runEngine } = await import('../app/run-engine.ts')
    await runEngine(options)
  }
  return superviseEngine({
    spawn: () => startEngine(options),
    now: () => performance.now(),
    delay,
    notify,
    onSignal(handler) {
      process.on('SIGINT', handler)
      process.on('SIGTERM', handler)
      // A terminal that closes tells the child too, and it ends.
      process.on('SIGHUP', handler)
    },
  })
}

function startEngine({ force }: { readonly force: boolean }): ChildProcess {
  const [node, ...program] = ownProgram()
  const args = [...process.execArgv, ...program, 'cross-trade', 'run', ...(force ? ['--force'] : [])]
  return spawn(node, args, {
    env: { ...process.env, [SUPERVISED]: String(process.pid) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** As the child says it. */
function notify({ text }: Notice): void {
  process.stderr.write(`${new Date().toISOString().slice(0, 19)}Z error: ${text}\n`)
}
