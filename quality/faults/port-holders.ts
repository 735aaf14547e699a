// Programs that hold hookline's port, and a machine that has no such address.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, environmentOf } from '../../harness/process/built-hookline.mjs'
import { createHook, LISTENING, RunningHookline } from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { leave, squatSilently, squatWithHttp } from '../../harness/wire/port-squatter.ts'
import { fire } from './fire-hook.ts'

export interface PortHolder {
  /** What hookline says of it. */
  readonly described: string
  leave(): Promise<unknown>
}

/** By what they are; each takes the port. */
export const PORT_HOLDERS: Readonly<Record<string, (directory: string) => Promise<PortHolder>>> = {
  async 'a silent program'() {
    const server = await squatSilently()
    return { described: 'another program', leave: () => leave(server) }
  },
  async 'an SSH server'() {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).write('SSH-2.0-OpenSSH_9.2\r\n')
    })
    server.listen(53219, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return {
      described: 'another program',
      leave() {
        for (const socket of sockets) socket.destroy()
        return leave(server)
      },
    }
  },
  async 'a web server'() {
    const server = await squatWithHttp((_request, response) => response.writeHead(404).end('<h1>not found</h1>'))
    return { described: 'another program', leave: () => leave(server) }
  },
  async 'a hookline'(directory) {
    const other = new RunningHookline(directory, ['listen'])
    await other.prints(LISTENING)
    return {
      described: `the hookline with pid ${other.pid}`,
      leave() {
        other.signal('SIGTERM')
        return other.ended()
      },
    }
  },
}

export interface TakeOver {
  /** Until hookline said who has the port. */
  readonly saidMs: number
  /** Until it listened, since the port was free. */
  readonly takenMs: number
  /** The prompt did meanwhile, and hooks afterwards. */
  readonly works: boolean
}

/** A REPL that finds the port held, works, and gets it. */
export async function takeOver(hold: (directory: string) => Promise<PortHolder>): Promise<TakeOver> {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'alert', 'echo seen')
  const holder = await hold(directory)
  const startedAt = performance.now()
  const repl = new RunningHookline(directory)
  await repl.prints(`127.0.0.1:53219 is held by ${holder.described}: continuing without a listener`)
  const saidMs = performance.now() - startedAt
  const isPromptAlive = (await ask(repl, 'positions')).includes('no open positions')
  await holder.leave()
  const freeAt = performance.now()
  await repl.prints(LISTENING)
  const takenMs = performance.now() - freeAt
  const { status } = await fire(hook)
  repl.child.stdin.end()
  const { code } = await repl.ended()
  return { saidMs, takenMs, works: isPromptAlive && status === 200 && code === 0 }
}

/** Whether a machine of its own can be made here, which needs rights that root has. */
export function mayMakeMachine(): boolean {
  return spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status === 0
}

/** hookline on a machine of its own that has ::1 and not 127.0.0.1. */
export class Ipv6Only {
  readonly #child: ChildProcess
  stdout = ''

  constructor(directory: string) {
    const prepare = 'ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$0" "$@"'
    this.#child = spawn('unshare', ['-n', 'sh', '-c', prepare, process.execPath, BINARY, 'listen'], {
      env: environmentOf(directory),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk
    })
    const gone = once(this.#child, 'close')
    onTestFinished(async () => {
      this.#child.kill('SIGKILL')
      await gone
    })
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  addIpv4(): void {
    execFileSync('nsenter', ['-t', String(this.#child.pid), '-n', 'ip', 'addr', 'add', '127.0.0.1/8', 'dev', 'lo'])
  }
}
