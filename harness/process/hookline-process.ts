// The built binary with its listener in a process of its own, so that its memory is its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../files/temp-directory.ts'
import { ORIGIN, WsClient } from '../wire/ws-client.ts'
import { BINARY, environmentOf } from './built-hookline.mjs'

export class HooklineProcess {
  readonly directory: string
  /** Trusted from the start. */
  readonly clientId = randomUUID()
  readonly #child: ChildProcess

  private constructor() {
    this.directory = tempDirectory()
    const client = { clientId: this.clientId, label: 'tab', origin: ORIGIN, approvedAt: 1 }
    writeFileSync(join(this.directory, 'trusted-clients.json'), JSON.stringify({ clients: [client] }))
    this.#child = spawn(process.execPath, [BINARY, 'listen'], {
      env: environmentOf(this.directory),
      stdio: 'ignore',
    })
    const gone = once(this.#child, 'exit')
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      await gone
    })
  }

  /** Resolves once it lets clients in. */
  static async start(): Promise<HooklineProcess> {
    const started = new HooklineProcess()
    for (let tries = 0; tries < 200; tries++) {
      const client = await started.welcomed().catch(() => undefined)
      if (client) {
        await client.leave()
        return started
      }
      await sleep(50)
    }
    throw new Error('hookline does not listen')
  }

  async welcomed(): Promise<WsClient> {
    const client = await WsClient.hello({ clientId: this.clientId })
    await client.nextFrame('welcome')
    return client
  }

  /** Memory that is in use now, in bytes. */
  rss(): number {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(this.#child.pid)])) * 1_024
  }

  /** Descriptors it has open. */
  openFiles(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }
}
