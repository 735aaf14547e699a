// Starts `squatting-program.cjs`, and tells what it has heard.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export type SquatMode = 'welcome' | 'own-key' | 'forged'

export interface Squatter {
  /** Its user; undefined where the system has no such numbers. */
  readonly uid: number | undefined
  /** Every frame that it was sent, as text. */
  readonly heard: readonly string[]
  /** Resolves once a page has hung up. */
  leftAlone(): Promise<void>
  /** Resolves once the port is free. */
  end(): Promise<void>
}

export interface Loot {
  readonly listenerId: string
  /** hookline's public key. */
  readonly key: string
}

const PROGRAM = resolve(import.meta.dirname, 'squatting-program.cjs')

/** The port must be free. @param loot what it knows of hookline */
export async function startSquatter(mode: SquatMode, loot: Loot): Promise<Squatter> {
  const child = spawn(process.execPath, [PROGRAM, mode, loot.listenerId, loot.key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(end)
  const heard: string[] = []
  let leave = (): void => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const uid = await new Promise<number | undefined>((listening, failed) => {
    child.once('exit', () => failed(new Error('the squatter did not get the port')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said: unknown = JSON.parse(line)
      const listens = typeof said === 'string' && /^listening as (\d+|undefined)$/.exec(said)
      if (listens) listening(Number(listens[1]) || undefined)
      else if (said === 'left') leave()
      else heard.push(line)
    })
  })
  return { uid, heard, leftAlone: () => left, end }
}
