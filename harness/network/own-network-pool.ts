// Vitest's forked worker, started in a network of its own, so that test files that need the same fixed port run side by side.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, WorkerRequest } from 'vitest/node'
import { defined } from '../../src/base/defined.ts'
import { makeVenueNames, withoutVenueNames } from './venue-names.ts'

/** A worker that does not end at SIGTERM is killed. */
const PATIENCE_MS = 5_000

interface Surroundings {
  readonly prefix: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** @param prefix of {@link findOwnNetwork} */
export function ownNetworkPool(prefix: readonly string[]): PoolRunnerInitializer {
  let made: Surroundings | undefined
  const surroundings = () => {
    made ??= withVenues(prefix)
    return made
  }
  return { name: 'own-network', createPoolWorker: (options) => new OwnNetworkWorker(surroundings, options) }
}

/** The venues' names too, where the machine can have them. */
function withVenues(prefix: readonly string[]): Surroundings {
  const names = makeVenueNames()
  if ('missing' in names) return { prefix, env: withoutVenueNames(names.missing) }
  return { prefix: [...prefix, ...names.prefix], env: names.env }
}

class OwnNetworkWorker implements PoolWorker {
  readonly name = 'own-network'
  readonly cacheFs = true
  readonly #surroundings: () => Surroundings
  readonly #options: PoolOptions
  #child: ChildProcess | undefined

  constructor(surroundings: () => Surroundings, options: PoolOptions) {
    this.#surroundings = surroundings
    this.#options = options
  }

  async start(): Promise<void> {
    const { distPath, env, execArgv, project } = this.#options
    const { prefix, env: more } = this.#surroundings()
    const [execPath, ...before] = prefix
    this.#child ??= fork(join(distPath, 'workers/forks.js'), [], {
      env: { ...(env as NodeJS.ProcessEnv), ...more },
      ...defined({ execPath }),
      execArgv: [...before, process.execPath, ...execArgv],
      stdio: 'pipe',
      serialization: 'advanced',
    })
    // Not piped: that would add listeners to the terminal's streams for every test file.
    const { outputStream, errorStream } = project.vitest.logger
    this.#child.stdout?.on('data', (bytes) => outputStream.write(bytes))
    this.#child.stderr?.on('data', (bytes) => errorStream.write(bytes))
  }

  async stop(): Promise<void> {
    const child = this.#started()
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    child.kill()
    await ended
    clearTimeout(timer)
    this.#child = undefined
  }

  on(event: string, callback: (message: unknown) => void): void {
    this.#started().on(event, callback)
  }

  off(event: string, callback: (message: unknown) => void): void {
    this.#started().off(event, callback)
  }

  send(message: WorkerRequest): void {
    this.#started().send(message)
  }

  deserialize(data: unknown): unknown {
    return data
  }

  #started(): ChildProcess {
    if (!this.#child) throw new Error('the worker has not been started, or has been stopped')
    return this.#child
  }
}
