// The built listener as a process of its own, on its real port, with a directory full of secrets: what the targets `http` and `ws`
// throw bytes at, and what holds of it whatever they throw.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { connect } from 'node:net'
import { join } from 'node:path'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { privateDirectory } from './store-target.ts'
import { promise } from './target.ts'

export const ORIGIN = 'http://127.0.0.1:53220'
export const TRUSTED_CLIENT = 'fuzz-trusted-client'
/** Its token is in the dictionaries. */
export const OPEN_HOOK = { id: '1'.repeat(32), token: 'a1b2c3d4e5f60718a1b2c3d4e5f60718' }
/** Nobody is told its token. */
export const CLOSED_HOOK = { id: '2'.repeat(32), token: 'c105edc105edc105edc105edc105edc1' }
const API_KEY = 'fuzz-api-key-5ec2e7'
/** Never in anything that leaves. */
export const SECRETS = [OPEN_HOOK.token, CLOSED_HOOK.token, API_KEY]

const HEALTH_MS = 1_000
const START_MS = 20_000
const CREATED_AT = 1_773_239_400_000

/** What became of runs since the last look. */
export interface StartedRun {
  readonly source: string
  readonly hook?: string
}

export class ListenerProcess {
  readonly directory = privateDirectory()
  readonly #root: string
  #child: ChildProcess | undefined
  #errors = ''
  #asked = 0
  #journalRead = 0
  /** How often it has been started: what was counted before belongs to another directory. */
  starts = 0

  constructor(root: string) {
    this.#root = root
  }

  async start(): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true })
    this.#fillDirectory()
    this.#errors = ''
    this.#journalRead = 0
    this.starts += 1
    const script = join(this.#root, 'quality/fuzz/listener-coverage.cjs')
    const child = spawn(process.execPath, ['--require', script, join(this.#root, 'dist/main.cjs'), 'listen'], {
      env: environmentOf(this.directory),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    let said = ''
    const { stdout, stderr } = child
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`it does not listen: ${said}${this.#errors}`)), START_MS)
      child.once('exit', (code) => reject(new Error(`it ends with ${code} instead of listening: ${this.#errors}`)))
      stdout?.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(-2_000)
        if (!said.includes('listening on ')) return
        clearTimeout(timer)
        resolve()
      })
    })
    const giveUpAt = performance.now() + START_MS
    while (!(await takesUpgrades())) {
      if (performance.now() > giveUpAt) throw new Error(`it takes no upgrades: ${this.#errors}`)
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child !== undefined && !hasEnded(child)) {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Nothing, where the process is gone: `checkAlive` tells of that. */
  async takeCoverage(): Promise<readonly Profiler.FunctionCoverage[]> {
    const child = this.#child
    if (child?.connected !== true || hasEnded(child)) return []
    this.#asked += 1
    const asked = this.#asked
    return new Promise((resolve) => {
      const done = (functions: readonly Profiler.FunctionCoverage[]) => {
        child.off('message', hear)
        child.off('exit', leave)
        resolve(functions)
      }
      const hear = (said: unknown) => {
        const answer = said as { asked: number; functions: Profiler.FunctionCoverage[] }
        if (answer.asked === asked) done(answer.functions)
      }
      const leave = () => done([])
      child.on('message', hear).once('exit', leave)
      child.send(asked, (error) => error && leave())
    })
  }

  /** Starts it again when it is not as it must be. @throws {BrokenPromise} */
  async checkAlive(): Promise<void> {
    try {
      const healthy = await isHealthy()
      // A process that has just died is not yet known to be dead.
      if (!healthy) await this.#exited(HEALTH_MS)
      promise(this.#child !== undefined && !hasEnded(this.#child), `the process goes on: ${firstError(this.#errors)}`)
      promise(healthy, '/health answers within a second')
      promise(this.#errors === '', `nothing is written to stderr: ${firstError(this.#errors)}`)
      this.#checkLog()
    } catch (error) {
      await this.restart()
      throw error
    }
  }

  async #exited(patienceMs: number): Promise<void> {
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** The starts that the journal has got since the last call. */
  startedRuns(): readonly StartedRun[] {
    const path = join(this.directory, 'runs.jsonl')
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size < this.#journalRead) this.#journalRead = 0
    const text = size === 0 ? '' : readFileSync(path).subarray(this.#journalRead, size).toString('utf8')
    this.#journalRead += Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1))
    const lines = text.split('\n').slice(0, -1)
    return lines.filter(Boolean).flatMap((line) => {
      const row = JSON.parse(line)
      return row.t === 'start' ? [{ source: row.source, ...(row.hook !== undefined && { hook: row.hook }) }] : []
    })
  }

  /** A mistake of hookline's own has its stack in the log. */
  #checkLog(): void {
    const path = join(this.directory, 'hookline.log')
    if (!existsSync(path)) return
    const bug = readFileSync(path, 'utf8')
      .split('\n')
      .find((line) => line.includes('internal error'))
    if (bug === undefined) return
    const { err } = JSON.parse(bug) as { err?: { stack?: string } }
    promise(false, `the log has no mistake of hookline's own: ${firstError(err?.stack ?? bug)}`)
  }

  #fillDirectory(): void {
    const hook = (name: string, { id, token: secret }: typeof OPEN_HOOK) => {
      return { id, name, secret, command: 'echo ok', createdAt: CREATED_AT }
    }
    const times = { createdAt: CREATED_AT, updatedAt: CREATED_AT }
    const files = {
      'hooks.json': { hooks: [hook('open', OPEN_HOOK), hook('closed', CLOSED_HOOK)] },
      'accounts.json': {
        accounts: [
          { name: 'paper', exchange: 'paper', ...times },
          { name: 'live', exchange: 'binance', apiKey: API_KEY, secret: API_KEY, ...times },
        ],
      },
      'trusted-clients.json': {
        clients: [{ clientId: TRUSTED_CLIENT, label: 'fuzz', origin: ORIGIN, approvedAt: CREATED_AT }],
      },
    }
    mkdirSync(this.directory, { recursive: true, mode: 0o700 })
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(this.directory, name), JSON.stringify(content), { mode: 0o600 })
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** The error's own line and where it was thrown, of what Node prints. */
function firstError(text: string): string {
  const lines = text.split('\n')
  const error = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line.trim() !== '') ?? ''
  const places = lines.filter((line) => /^ +at /.test(line)).map((line) => /at (\S+)/.exec(line)?.[1])
  return [error.trim(), ...places.slice(0, 2)].join(' < ')
}

async function isHealthy(): Promise<boolean> {
  return /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"ok":true,"pid":\d+,"port":53219\}$/.test(await ask('GET /health'))
}

/** It is bound before it knows who it is; until then it answers 503 to every upgrade, and afterwards 403 to one without an origin. */
async function takesUpgrades(): Promise<boolean> {
  return (await ask('GET /ws', 'Connection: Upgrade', 'Upgrade: websocket')).startsWith('HTTP/1.1 403 ')
}

/** @returns what comes until the connection ends, within a second */
function ask(line: string, ...headers: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: 53219 })
    let said = ''
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    const timer = setTimeout(end, HEALTH_MS)
    socket.setEncoding('latin1').on('data', (text: string) => {
      said += text
    })
    socket.on('error', end).on('end', end)
    const last = headers.length === 0 ? ['Connection: close'] : headers
    socket.write([`${line} HTTP/1.1`, 'Host: 127.0.0.1:53219', ...last, '', ''].join('\r\n'))
  })
}
