// A real nginx, Caddy or HAProxy on the loopback, with a file that hookline made for it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from '../patience.ts'
import type { ProxyName } from './debian-proxies.mjs'

export interface ProxyProgram {
  readonly path: string
  readonly libraries: string
}

export class RunningProxy {
  readonly #child: ChildProcess
  readonly #directory: string
  #said = ''

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child
    this.#directory = directory
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#said += chunk
      })
    }
  }

  /** Once it takes connections on `port`. @param text what hookline made @param directory its own, for its files and logs */
  static async start(
    kind: ProxyName,
    { path, libraries }: ProxyProgram,
    { text, directory, port }: { readonly text: string; readonly directory: string; readonly port: number },
  ): Promise<RunningProxy> {
    const child = spawn(path, argumentsOf(kind, text, directory), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { LD_LIBRARY_PATH: libraries, HOME: directory, XDG_CONFIG_HOME: directory, XDG_DATA_HOME: directory },
    })
    const proxy = new RunningProxy(child, directory)
    const until = performance.now() + PATIENCE_MS
    while (!(await isOpen(port))) {
      if (child.exitCode === null && performance.now() < until) await sleep(5)
      else throw new Error(`${kind} does not listen on ${port}: ${proxy.#said}`)
    }
    return proxy
  }

  /** Everything that it has printed, logged or kept, by file; not its settings. */
  traces(): Readonly<Record<string, string>> {
    const files = readdirSync(this.#directory, { recursive: true, encoding: 'utf8' })
      .map((name) => join(this.#directory, name))
      .filter((path) => statSync(path).isFile() && !path.endsWith('settings'))
    return { output: this.#said, ...Object.fromEntries(files.map((path) => [path, readFileSync(path, 'utf8')])) }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    await ended
  }
}

/** What the packages have around the file: nginx its `http` block, HAProxy its user and its log. */
function argumentsOf(kind: ProxyName, text: string, directory: string): string[] {
  const settings = join(directory, 'settings')
  const write = (content: string): string => {
    writeFileSync(settings, content, { mode: 0o600 })
    return settings
  }
  switch (kind) {
    case 'nginx': {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (each) => `${each}_temp_path ${directory}/${each};`,
      )
      const own = text.replaceAll('/var/log/nginx/', `${directory}/`)
      const http = ['http {', `access_log ${directory}/other.log;`, ...temporary, own, '}']
      const main = ['daemon off;', 'worker_processes 1;', `pid ${directory}/pid;`, `error_log ${directory}/error.log;`]
      return ['-p', directory, '-c', write([...main, 'events {}', ...http].join('\n'))]
    }
    case 'haproxy': {
      const own = text.replace(/^ {4}(?:user|group|chroot) .*\n/gm, '').replace('log /dev/log', 'log stdout format raw')
      return ['-db', '-f', write(own)]
    }
    case 'caddy':
      return ['run', '--adapter', 'caddyfile', '--config', write(text)]
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
