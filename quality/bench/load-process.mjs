// Loads run in processes of their own: a plan goes in as a line of JSON, its result comes out as one. A process stays for the next plan
// of its kind, so that not every measurement begins with a start and with code that is not compiled yet.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LOAD_CORE, startProcess } from './processes.mjs'

/** Without a plan, by module. @type {Map<string, LoadProcess[]>} */
const idle = new Map()

/** @param {string} module the `import.meta.url` of a file that calls `serveLoad` @param {object} plan */
export async function runLoad(module, plan) {
  const load = idle.get(module)?.pop() ?? new LoadProcess(module)
  const result = await load.run(plan)
  idle.set(module, [...(idle.get(module) ?? []), load])
  return result
}

/**
 * In the new process, runs one plan after another.
 * @param {string} module @param {(plan: any) => Promise<object>} run leaves nothing open
 */
export async function serveLoad(module, run) {
  if (process.argv[1] !== fileURLToPath(module)) return
  for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await run(JSON.parse(line))))
  process.exit()
}

/** Pipes of child processes are sockets. @typedef {{ ref(): unknown, unref(): unknown }} Handle */

class LoadProcess {
  #child
  #lines
  /** @type {Promise<never>} */
  #ended

  /** @param {string} module */
  constructor(module) {
    this.#child = startProcess([process.execPath, fileURLToPath(module)], { core: LOAD_CORE, stdin: 'pipe' })
    this.#lines = createInterface({ input: this.#child.stdout })
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new Error(`${this.#child.spawnargs.join(' ')} ended with ${code ?? signal}`)
    })
    this.#ended.catch(() => {
      for (const [kind, waiting] of idle)
        idle.set(
          kind,
          waiting.filter((load) => load !== this),
        )
    })
  }

  /** @param {object} plan */
  async run(plan) {
    this.#keepUsAlive(true)
    const answer = once(this.#lines, 'line')
    this.#child.stdin.write(`${JSON.stringify(plan)}\n`)
    const [line] = await Promise.race([answer, this.#ended])
    this.#keepUsAlive(false)
    return JSON.parse(line)
  }

  /** Nobody waits for a process without a plan. @param {boolean} isWanted */
  #keepUsAlive(isWanted) {
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout])
      isWanted ? /** @type {Handle} */ (handle).ref() : /** @type {Handle} */ (handle).unref()
  }
}
