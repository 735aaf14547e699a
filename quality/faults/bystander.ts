// A page that minds its own business while hookline is pressed elsewhere, and knows afterwards how long it waited.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Waits {
  readonly count: number
  /** ms */
  readonly p50: number
  readonly p99: number
}

/** Starts asking. @param clientId of a trusted page @returns ends it and tells how long its answers took */
export async function startBystander(clientId: string): Promise<() => Promise<Waits>> {
  const program = resolve(import.meta.dirname, 'round-trips.mjs')
  const child = spawn(process.execPath, [program, clientId], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'readable')
  const said = text(child.stdout)
  return async () => {
    child.stdin.end()
    return JSON.parse((await said).trim().split('\n').at(-1) ?? '')
  }
}
