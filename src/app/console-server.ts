// The console's server of this hookline (behaviour 9): a process of its own, so that whatever is asked of it never holds up a fire. It is started
// where no one of this user serves already, again when it dies, and ends with this process. Several hooklines of one config directory have
// one between them: the others hold on to an answer of it that ends with it, and the first to notice starts the next.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { connect } from 'node:net'
import { defined } from '../base/defined.ts'
import type { ConsoleStatus } from '../commands/kit/data.ts'
import { CONSOLE_PORT } from '../protocol/address.ts'
import type { ConfigStore } from '../stores/config.ts'
import { StoreError } from '../stores/store-error.ts'
import { isConsoleOrigin, originPolicy } from '../trust/allowed-origins.ts'
import { proofOfServer } from '../trust/console-tickets.ts'
import { userAt } from '../trust/peer-user.ts'
import type { AppEvents, Notice } from './app-events.ts'
import { delay } from './delay.ts'
import type { Log } from './log.ts'
import type { Stores } from './open-stores.ts'
import { ownProgram } from './this-process.ts'

/** What the server tells the hookline that has started it. */
export type FromConsoleServer =
  | { readonly t: 'listening' }
  /** Why not yet, or not at all. */
  | { readonly t: 'waiting' | 'refused'; readonly why: string }

/** Says to the server that it is one of a hookline; no secret, and nothing that another process could gain by. */
export const CONSOLE_CHILD = 'HOOKLINE_CONSOLE_OF'

/** After the listener's start, ms: fires and the prompt come first. */
export const CONSOLE_IN_MS = 250

/** Pauses before it is started again, in ms; the last one serves from then on. */
const PAUSES_MS = [250, 1_000, 5_000, 30_000] as const
const LIMITS = {
  /** How long a visitor waits for a server that is starting. */
  decisionMs: 8_000,
  /** One of ours that is ending accepts connections and proves nothing any more: after this another look decides. */
  endingMs: 500,
  /** A port that another program has is looked at so often. */
  heldMs: 2_000,
  /** How long the program that accepts connections there may take to prove itself. */
  proofMs: 5_000,
  /** How long the server may take to end. */
  endMs: 2_000,
} as const

interface ConsoleServerOptions {
  /** Starts it, with a channel; it ends when that is closed. */
  readonly spawn: () => Pick<ChildProcess, 'on' | 'once' | 'disconnect' | 'connected' | 'kill'>
  /** What only this user can read. */
  readonly key: () => Promise<Buffer>
  readonly config: Pick<ConfigStore, 'read' | 'watch'>
  readonly notify: (notice: Notice) => void
  /** For the log. */
  readonly note: (text: string) => void
  /** Default 53220; another for tests. */
  readonly port?: number
}

/** `starting`: not known yet. `ours`: a server that has proved to be of this user has the port. */
type State = 'starting' | 'ours' | 'held' | 'off'

interface Holder {
  readonly by: 'none' | 'ours' | 'another'
  /** Of ours: resolves when it ends. */
  readonly ended?: Promise<void>
  /** Of ours: no one waits for that any more. */
  readonly release?: () => void
}

class ConsoleServer {
  readonly #options: Required<ConsoleServerOptions>
  readonly #stopping = new AbortController()
  #state: State = 'starting'
  #running: Promise<void> | undefined
  #soon: NodeJS.Timeout | undefined
  /** Of the setting that forbids it, or of the end. */
  #interrupt = new AbortController()
  readonly #waiting = new Set<() => void>()
  #reported = ''
  /** What has the port proved nothing, at one look so far. */
  #isDoubtful = false

  constructor(options: ConsoleServerOptions) {
    this.#options = { port: CONSOLE_PORT, ...options }
  }

  /** What a fire needs comes first. */
  startIn(ms: number): void {
    this.#soon ??= setTimeout(() => this.#start(), ms).unref()
  }

  /** Whether our server has the port: pages of the console's origin are let in only then. Starts it where that has not been done. */
  async isServed(): Promise<boolean> {
    this.#start()
    const giveUp = performance.now() + LIMITS.decisionMs
    while (this.#state === 'starting' && !this.#stopping.signal.aborted && performance.now() < giveUp)
      await this.#nextState(giveUp - performance.now())
    return this.#state === 'ours'
  }

  /** Resolves when the server has ended, where it was started here. */
  async stop(): Promise<void> {
    clearTimeout(this.#soon)
    this.#stopping.abort()
    this.#interrupt.abort()
    this.#wake()
    await this.#running
  }

  #start(): void {
    clearTimeout(this.#soon)
    if (this.#stopping.signal.aborted) return
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    let wasWanted = this.#isWanted()
    const unwatch = this.#options.config.watch(() => {
      if (this.#isWanted() !== wasWanted) this.#interrupt.abort()
      wasWanted = this.#isWanted()
    })
    try {
      for (let deaths = 0; !this.#stopping.signal.aborted; ) {
        this.#interrupt = new AbortController()
        wasWanted = this.#isWanted()
        deaths = wasWanted ? await this.#keep(deaths) : await this.#stayOff()
      }
    } catch (error) {
      // The key cannot be had: the file is bad, or the disk full. The look at the files tells which.
      this.#options.note(`the console is not served: ${error instanceof Error ? error.message : String(error)}`)
      this.#become('held')
    } finally {
      unwatch()
    }
  }

  async #stayOff(): Promise<number> {
    this.#become('off')
    await aborted(this.#interrupt.signal)
    return 0
  }

  /** @param deaths in a row @returns how many there are now */
  async #keep(deaths: number): Promise<number> {
    const { signal } = this.#interrupt
    const { port, key, note, notify } = this.#options
    const holder = await whoHas(port, await key())
    if (signal.aborted) return 0
    if (holder.by === 'ours') {
      this.#isDoubtful = false
      this.#become('ours')
      await Promise.race([holder.ended, aborted(signal)])
      holder.release?.()
      this.#become('starting')
      return 0
    }
    if (holder.by === 'another') {
      this.#isDoubtful = this.#state === 'starting' && !this.#isDoubtful
      if (this.#isDoubtful) {
        await delay(LIMITS.endingMs, signal)
        return 0
      }
      this.#reportHeldPort(`127.0.0.1:${port} is held by another program`)
      await delay(LIMITS.heldMs, signal)
      return 0
    }
    this.#isDoubtful = false
    const startedAt = performance.now()
    const how = await this.#serve(signal)
    this.#become('starting')
    if (how === undefined || signal.aborted) return 0
    const recent = performance.now() - startedAt > 60_000 ? 1 : deaths + 1
    note(`the console's server ended ${how}; it is started again`)
    await delay(PAUSES_MS[Math.min(recent, PAUSES_MS.length) - 1] ?? PAUSES_MS[0], signal)
    if (recent === PAUSES_MS.length) {
      this.#reported = how
      notify({ kind: 'warn', text: `the console's server keeps ending (${how}); see hookline.log` })
    }
    return recent
  }

  /** @returns how it ended; undefined: because it was told to, or could not have the port, which has been told */
  async #serve(signal: AbortSignal): Promise<string | undefined> {
    const child = this.#options.spawn()
    let wasRefused = false
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`as it was started (${error.message})`))
      child.once('exit', (code, by) => resolve(by === null ? `with exit code ${code}` : `by ${by}`))
    })
    child.on('message', (message: FromConsoleServer) => {
      if (message.t === 'listening') return this.#become('ours')
      wasRefused = message.t === 'refused'
      this.#reportHeldPort(message.why)
    })
    await Promise.race([ended, aborted(signal)])
    if (signal.aborted) {
      if (child.connected) child.disconnect()
      const slow = setTimeout(() => child.kill('SIGKILL'), LIMITS.endMs)
      await ended
      clearTimeout(slow)
      return undefined
    }
    if (!wasRefused) return ended
    await delay(LIMITS.heldMs, signal)
    return undefined
  }

  /** Where its pages may ask at all. */
  #isWanted(): boolean {
    return isWanted(this.#options.config)
  }

  #reportHeldPort(why: string): void {
    this.#become('held')
    if (this.#reported === why) return
    this.#reported = why
    const then = 'the console is served as soon as the port is free'
    this.#options.notify({ kind: 'warn', text: `${why}: pages from there are refused; end that program, ${then}` })
  }

  #become(state: State): void {
    if (state === this.#state) return
    this.#state = state
    // `status` has its address. Only after a problem is it news that it is served.
    if (state === 'ours' && this.#reported !== '') {
      this.#reported = ''
      this.#options.notify({ kind: 'info', text: `console on http://127.0.0.1:${this.#options.port}` })
    }
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }

  #nextState(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#waiting.delete(finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      this.#waiting.add(finish)
    })
  }
}

/** As the app has it. */
export function openConsoleServer({
  stores,
  events,
  log,
}: {
  readonly stores: Pick<Stores, 'config' | 'consoleKey'>
  readonly events: Pick<AppEvents, 'warn' | 'console'>
  readonly log: Log
}): ConsoleServer {
  return new ConsoleServer({
    spawn: spawnServer,
    key: stores.consoleKey.load,
    config: stores.config,
    notify: (notice) => (notice.kind === 'warn' ? events.warn(notice.text) : events.console?.(notice)),
    note: (text) => log.write('warn', text),
  })
}

/** In a session of its own, so that Ctrl-C and Ctrl-Z at the prompt are not for it. */
function spawnServer(): ChildProcess {
  const [node, ...program] = ownProgram()
  return spawn(node, [...program, 'web'], {
    env: { ...process.env, [CONSOLE_CHILD]: String(process.pid) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
    windowsHide: true,
  })
}

function isWanted(config: Pick<ConfigStore, 'read'>): boolean {
  return [...originPolicy(config.read()).allowed].some(isConsoleOrigin)
}

interface AskConsoleOptions {
  readonly stores: Pick<Stores, 'config' | 'consoleKey'>
  /** This process starts its server where no other has. */
  readonly isServing: boolean
  /** Default 53220; another for tests. */
  readonly port?: number
}

/** Whether the console is served, and by whose program, as any process can see it. Changes nothing. */
export async function askConsole({
  stores,
  isServing,
  port = CONSOLE_PORT,
}: AskConsoleOptions): Promise<ConsoleStatus> {
  const address = `http://127.0.0.1:${port}`
  if (!isWanted(stores.config)) return { state: 'off', address }
  let key: Buffer | undefined
  try {
    key = stores.consoleKey.find()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { state: 'unknown', address }
  }
  // Without a key none of this user has ever served: whatever proves itself by another one is not ours.
  const holder = await whoHas(port, key ?? randomBytes(32))
  holder.release?.()
  if (holder.by === 'ours') return { state: 'served', address }
  if (holder.by === 'none') return { state: isServing ? 'starting' : 'not-served', address }
  const user = (await userAt({ address: '127.0.0.1', port })) ?? (await userAt({ address: '::1', port }))
  return { state: 'held', address, ...defined({ user }) }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Both addresses count: a page under the console's second name would be of its origin's twin. */
export async function whoHas(port: number, key: Buffer): Promise<Holder> {
  const [ipv4, ipv6] = await Promise.all([holderAt('127.0.0.1', port, key), holderAt('::1', port, key)])
  if (ipv4.by === 'another' || ipv6.by === 'another') return { by: 'another' }
  return ipv4
}

async function holderAt(host: string, port: number, key: Buffer): Promise<Holder> {
  if (!(await accepts(host, port))) return { by: 'none' }
  const nonce = randomBytes(32).toString('base64url')
  const expected = proofOfServer(key, nonce, `${host}:${port}`)
  return new Promise((resolve) => {
    const asked = get({
      host,
      port,
      path: `/api/proof?nonce=${nonce}`,
      agent: false,
      headers: { Host: `localhost:${port}` },
    })
    const late = setTimeout(() => asked.destroy(), LIMITS.proofMs)
    const decide = (holder: Holder) => {
      clearTimeout(late)
      resolve(holder)
      if (holder.by !== 'ours' || host !== '127.0.0.1') asked.destroy()
    }
    asked.on('error', () => decide({ by: 'another' }))
    asked.on('close', () => decide({ by: 'another' }))
    asked.on('response', (answer) => {
      const ended = new Promise<void>((end) => answer.on('close', () => end()))
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.includes('\n'))
          decide(isProof(text, expected) ? { by: 'ours', ended, release: () => asked.destroy() } : { by: 'another' })
        else if (text.length > 1_000) decide({ by: 'another' })
      })
      answer.on('error', () => {})
    })
  })
}

function isProof(text: string, expected: string): boolean {
  try {
    return JSON.parse(text).proof === expected
  } catch {
    return false
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const decide = (isAccepted: boolean) => {
      socket.destroy()
      resolve(isAccepted)
    }
    socket.once('connect', () => decide(true))
    socket.once('error', () => decide(false))
    socket.setTimeout(LIMITS.proofMs, () => decide(true))
  })
}
