// The built binary as people and service managers start it: real processes over a directory of the test's own.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import type { Lifetime } from '../files/temp-directory.ts'
import { PATIENCE_MS } from '../patience.ts'
import { BINARY, environmentOf, LISTENING } from './built-hookline.mjs'
import { PseudoTerminal, type PseudoTerminalOptions } from './pseudo-terminal.ts'

export { BINARY, LISTENING }

export interface Ended {
  readonly stdout: string
  readonly stderr: string
  /** null when a signal ended it. */
  readonly code: number | null
}

export interface RunOptions {
  /** Standard input; default: none. */
  readonly input?: string
  /** Another file to run than the binary in dist/. */
  readonly binary?: string
  readonly uid?: number
  /** Beyond what every hookline of a test has. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the binary to its end. */
export async function run(directory: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [options.binary ?? BINARY, ...args], {
    env: { ...environment(directory), ...options.env },
    ...defined({ uid: options.uid }),
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { stdout, stderr, code }
}

/** Runs `hookline exec` and expects it to succeed. @returns what it printed */
export async function exec(directory: string, line: string): Promise<string> {
  const { stdout, stderr, code } = await run(directory, ['exec', line])
  if (code !== 0) throw new Error(`exec ${line} ended with ${code}: ${stderr}`)
  return stdout
}

export interface CreatedHook {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly token: string
  readonly curl: string
}

/** @param options further words of `hook create` */
export async function createHook(
  directory: string,
  name: string,
  command: string,
  ...options: readonly string[]
): Promise<CreatedHook> {
  const { stdout } = await run(directory, ['hook', 'create', name, command, ...options, '--json'])
  return JSON.parse(stdout)
}

function environment(directory: string): Record<string, string> {
  // FORCE_COLOR as many CI machines set it: what is no terminal gets no colours all the same.
  return { ...environmentOf(directory), FORCE_COLOR: '1' }
}

export interface RunningOptions extends Pick<RunOptions, 'binary' | 'env'> {
  /** Another `PATH`. */
  readonly path?: string
  /** Default: of the test. */
  readonly lifetime?: Lifetime
}

/** A hookline that goes on until it is told to stop; killed when the test is over. */
export class RunningHookline {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''
  readonly #ended: Promise<Ended>

  /** @param args none: the REPL, fed by `say` */
  constructor(directory: string, args: readonly string[] = [], options: RunningOptions = {}) {
    const path = defined({ PATH: options.path })
    const env = { ...environment(directory), ...path, ...options.env }
    this.child = spawn(process.execPath, [options.binary ?? BINARY, ...args], { env })
    this.child.stdin.on('error', () => {})
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk
    })
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk
    })
    this.#ended = once(this.child, 'close').then(([code]) => ({ stdout: this.stdout, stderr: this.stderr, code }))
    // Its port is free for the next test only once it is gone.
    const { lifetime = onTestFinished } = options
    lifetime(async () => {
      this.child.kill('SIGKILL')
      await this.#ended
    })
  }

  /** `hookline listen`, once it listens. */
  static async listening(directory: string, options: RunningOptions = {}): Promise<RunningHookline> {
    const listener = new RunningHookline(directory, ['listen'], options)
    await listener.prints(LISTENING)
    return listener
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN
  }

  /** Types a line. */
  say(line: string): void {
    this.child.stdin.write(`${line}\n`)
  }

  /** Resolves once standard output holds `expected`. */
  prints(expected: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        this.child.stdout.off('data', look)
        this.child.off('close', gone)
        settle()
      }
      const fail = (why: string) =>
        finish(() => reject(new Error(`${why}, never printed ${expected}, but:\n${this.stdout}${this.stderr}`)))
      const look = () => {
        if (this.stdout.includes(expected)) finish(resolve)
      }
      const gone = () => fail('hookline ended')
      const timer = setTimeout(() => fail('hookline goes on'), PATIENCE_MS)
      this.child.stdout.on('data', look)
      this.child.on('close', gone)
      look()
    })
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }

  /** Resolves once the process has ended. */
  ended(): Promise<Ended> {
    return this.#ended
  }
}

/** What `hookline listen` printed, without the times. @throws {Error} a line has none */
export function withoutTimes(stdout: string): string {
  return stdout.replace(/^(.+)$/gm, (line) => {
    const [time] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ /.exec(line) ?? []
    if (time === undefined) throw new Error(`this line has no time: ${line}`)
    return line.slice(time.length)
  })
}

/** The REPL in a terminal, once it listens and shows its prompt; closed when its lifetime is over. */
export async function openTerminal(
  directory: string,
  options: Partial<PseudoTerminalOptions> = {},
  lifetime: Lifetime = onTestFinished,
): Promise<PseudoTerminal> {
  const terminal = new PseudoTerminal({ argv: [BINARY], env: environment(directory), ...options })
  lifetime(() => terminal.close())
  await terminal.until((screen) => screen.lines().includes(LISTENING) && isPrompt(screen.typed()))
  return terminal
}

/** Types lines, each when the one before has run: several that arrive in one piece are a paste, which is asked about. */
export async function enterLines(terminal: PseudoTerminal, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    await terminal.type(line)
    terminal.send('\r')
    await terminal.until(
      (screen) => screen.lines().some((each) => each.endsWith(`> ${line}`)) && isPrompt(screen.typed()),
    )
  }
}

/** Types a line, gives answers to its hidden questions, each once it is asked, and waits until the prompt is back. */
export async function answerQuestions(
  terminal: PseudoTerminal,
  line: string,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<void> {
  await terminal.type(line)
  terminal.send('\r')
  for (const [question, text] of answers) {
    await terminal.until((screen) => screen.typed().startsWith(question))
    for (const key of text) terminal.send(key)
    terminal.send('\r')
  }
  await terminal.until((screen) => isPrompt(screen.typed()))
}

/** `paper [BTCUSDT 65,012.5] >`, with or without the price, which comes when it is known. */
export function isPrompt(line: string): boolean {
  return /^\w+ \[\w+( [\d,.]+)?\] > ?$/.test(line)
}

export interface Answer {
  readonly status: number
  readonly body: string
}

/** One request on a connection of its own. */
export function post(url: string, token: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'X-Hook-Token': token }, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Nobody accepts connections on the port. */
export async function isPortClosed(): Promise<boolean> {
  const socket = connect(53219, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}
