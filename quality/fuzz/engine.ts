// The fuzzer's loop: batches of changed inputs; what reaches a block that nothing reached before is kept and changed further. What a
// seed does is decided by the seed alone, as far as the code under test is.

import { createRandom, type Random } from '../../harness/random/random.ts'
import type { CoverageMap } from './coverage.ts'
import type { HangWatch } from './hang-watch.ts'
import type { LoadedTarget } from './load-target.ts'
import { minimise } from './minimise.ts'
import { createMutator } from './mutate.ts'

export interface FuzzOptions {
  readonly seed: number
  /** Ends after so many seconds, or so many inputs, whichever comes first. */
  readonly seconds?: number
  readonly inputs?: number
  /** False: nothing is kept, for comparison. Default true. */
  readonly guided?: boolean
  /** Ends at the first crash. Default false. */
  readonly endAtCrash?: boolean
  readonly watch?: HangWatch
}

export interface Crash {
  /** `RangeError: Invalid array length`. */
  readonly error: string
  readonly stack: string
  readonly input: string
}

export interface FuzzResult {
  readonly name: string
  readonly seed: number
  /** Seeds included; those run again to find out which one did it are not. */
  readonly inputs: number
  readonly seconds: number
  /** Of the blocks known at the end, those that the seeds reached, and those that anything reached. */
  readonly blocks: { readonly atStart: number; readonly atEnd: number; readonly known: number }
  /** One per way to fail, made small. */
  readonly crashes: readonly Crash[]
  /** What is kept, seeds first. */
  readonly corpus: readonly string[]
}

/** An input that takes longer than this, in ms, is a crash too. */
const SLOW_MS = 2_000
const YOUNGEST = 16
const SMALLEST_BATCH = 16
const STACK_DEPTH = 10
const MINIMISE_TRIES = { quick: 3_000, slow: 150 } as const

export async function fuzz(loaded: LoadedTarget, options: FuzzOptions): Promise<FuzzResult> {
  const run = new FuzzRun(loaded, options)
  await run.plant()
  return run.loop()
}

class FuzzRun {
  readonly #loaded: LoadedTarget
  readonly #options: FuzzOptions
  readonly #random: Random
  readonly #mutate: ReturnType<typeof createMutator>
  readonly #corpus: string[] = []
  readonly #crashes = new Map<string, Crash>()
  /** What the corpus has reached, each member measured alone. */
  readonly #kept: CoverageMap
  /** What anything has reached. */
  readonly #reached: CoverageMap
  readonly #startedAt = performance.now()
  #atStart: ReturnType<CoverageMap['snapshot']> = new Map()
  #inputs = 0
  #failures: { readonly input: string; readonly error: unknown }[] = []

  constructor(loaded: LoadedTarget, options: FuzzOptions) {
    this.#loaded = loaded
    this.#options = options
    this.#random = createRandom(options.seed, loaded.name)
    this.#mutate = createMutator(loaded.target, this.#random)
    this.#kept = loaded.createMap()
    this.#reached = loaded.createMap()
  }

  /** Runs the seeds, which are all kept. */
  async plant(): Promise<void> {
    for (const seed of [...this.#loaded.target.seeds, ...this.#loaded.corpus]) {
      this.#inputs += 1
      await this.#runAll([seed])
      await this.#look(this.#kept, { counts: true })
      this.#corpus.push(seed)
    }
    this.#atStart = this.#reached.snapshot()
  }

  async loop(): Promise<FuzzResult> {
    const { seconds = Number.POSITIVE_INFINITY, inputs = Number.POSITIVE_INFINITY, endAtCrash = false } = this.#options
    const { batch: largest } = this.#loaded.target
    let batch = Math.min(SMALLEST_BATCH, largest)
    while (this.#inputs < inputs && this.#elapsed() < seconds && !(endAtCrash && this.#crashes.size > 0)) {
      const made = Array.from({ length: Math.min(batch, inputs - this.#inputs) }, () => this.#makeInput())
      this.#inputs += made.length
      const [sample, ...others] = made
      if (sample !== undefined) await this.#keepIfNew([sample])
      const before = this.#corpus.length
      if (others.length > 0) await this.#keepIfNew(others)
      // Finding out who was new costs runs: many in one batch cost less in small batches.
      batch = this.#corpus.length > before ? Math.max(SMALLEST_BATCH, batch >> 1) : Math.min(batch * 2, largest)
    }
    const { covered: atEnd, known } = this.#reached.blocks()
    const { covered: atStart } = this.#reached.blocks(this.#atStart)
    return {
      name: this.#loaded.name,
      seed: this.#options.seed,
      inputs: this.#inputs,
      seconds: this.#elapsed(),
      blocks: { atStart, atEnd, known },
      crashes: [...this.#crashes.values()],
      corpus: this.#corpus,
    }
  }

  #elapsed(): number {
    return (performance.now() - this.#startedAt) / 1_000
  }

  /** From any member of the corpus; half the time from one of the youngest, which lead where nothing has been. */
  #makeInput(): string {
    const from = this.#random.chance(0.5) ? Math.max(0, this.#corpus.length - YOUNGEST) : 0
    const [one, another] = [this.#pick(from), this.#pick(from)]
    // Long inputs take long and hide what matters in them.
    return this.#mutate(one.length <= another.length ? one : another, this.#pick(0))
  }

  #pick(from: number): string {
    return this.#corpus[from + this.#random.below(this.#corpus.length - from)] ?? ''
  }

  /** Runs the inputs; while they reach something new together, halves them until those that do stand alone. */
  async #keepIfNew(inputs: readonly string[]): Promise<void> {
    await this.#runAll(inputs)
    const [only, ...others] = inputs
    if (this.#options.guided === false || only === undefined) return void (await this.#loaded.takeCoverage())
    if (others.length === 0) {
      const isNew = await this.#look(this.#kept, { counts: true })
      if (isNew) this.#corpus.push(only)
      return
    }
    const look = await this.#loaded.takeCoverage()
    this.#reached.add(look)
    if (!this.#kept.hasNew(look)) return
    const middle = Math.ceil(inputs.length / 2)
    await this.#keepIfNew(inputs.slice(0, middle))
    await this.#keepIfNew(inputs.slice(middle))
  }

  async #look(map: CoverageMap, options: { readonly counts: boolean }): Promise<boolean> {
    const look = await this.#loaded.takeCoverage()
    this.#reached.add(look)
    return map.add(look, options)
  }

  async #runAll(inputs: readonly string[]): Promise<void> {
    const { concurrency = 1 } = this.#loaded.target
    const restore = limitStacks(0)
    this.#failures = []
    for (let from = 0; from < inputs.length; from += concurrency) {
      if (concurrency > 1) {
        await Promise.all(inputs.slice(from, from + concurrency).map((input) => this.#runOne(input)))
      } else {
        const pending = this.#runOne(inputs[from] as string)
        if (pending !== undefined) await pending
      }
    }
    restore()
    for (const { input, error } of this.#failures) await this.#note(input, error)
    await this.#settle(inputs)
    this.#options.watch?.rests()
  }

  /** Awaits nothing where the target does not: a promise for each input would cost more than most inputs. */
  #runOne(input: string): Promise<void> | undefined {
    const { target } = this.#loaded
    const startedAt = performance.now()
    this.#options.watch?.begins(input)
    try {
      const pending = target.run(input)
      if (pending !== undefined) return pending.catch((error: unknown) => this.#fail(input, error))
      const tookMs = performance.now() - startedAt
      if (tookMs > SLOW_MS) this.#fail(input, new Error(`takes ${Math.round(tookMs)} ms`))
    } catch (error) {
      this.#fail(input, error)
    }
    return undefined
  }

  /** To be looked into once the others of the batch have ended. */
  #fail(input: string, error: unknown): void {
    this.#failures.push({ input, error })
  }

  /** What shows only afterwards is somebody's of the batch: each is run again alone. */
  async #settle(inputs: readonly string[]): Promise<void> {
    const error = await this.#settleError()
    if (error === undefined || this.#crashes.has(wayOf(error))) return
    for (const input of inputs) {
      const alone = await this.#errorOf(input)
      if (alone !== undefined && wayOf(alone) === wayOf(error)) return this.#note(input, alone)
    }
    return this.#note(inputs.join('\n'), error)
  }

  async #settleError(): Promise<unknown> {
    try {
      await this.#loaded.target.settle?.()
      return undefined
    } catch (error) {
      return error
    }
  }

  /** With its stack. */
  async #errorOf(input: string): Promise<unknown> {
    this.#options.watch?.begins(input)
    const restore = limitStacks(STACK_DEPTH)
    try {
      await this.#loaded.target.run(input)
    } catch (error) {
      await this.#settleError()
      return error
    } finally {
      restore()
    }
    return this.#settleError()
  }

  /** Keeps the first input for each way to fail. */
  async #note(input: string, seen: unknown): Promise<void> {
    // Some need more than themselves, such as what came before them.
    const again = await this.#errorOf(input)
    const error = again ?? seen
    const way = wayOf(error)
    if (this.#crashes.has(way)) return
    const crash = { error: String(error), stack: error instanceof Error ? (error.stack ?? '') : '', input }
    this.#crashes.set(way, crash)
    if (again === undefined) return
    const tries = this.#loaded.target.settle === undefined ? MINIMISE_TRIES.quick : MINIMISE_TRIES.slow
    const fails = async (candidate: string) => {
      const failure = await this.#errorOf(candidate)
      return failure !== undefined && wayOf(failure) === way
    }
    this.#crashes.set(way, { ...crash, input: await minimise(input, fails, tries) })
    await this.#loaded.takeCoverage()
  }
}

/** Most refusals are errors too, and their stacks cost more than all the rest. @returns sets the limit back */
function limitStacks(depth: number): () => void {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = depth
  return () => {
    Error.stackTraceLimit = before
  }
}

/** The kind of error and where it was thrown, without what differs from input to input. */
function wayOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replace(/\d+/g, '#').replace(/(["'`]).*\1/gs, '…')
  if (error.name === 'BrokenPromise') return `${error.name}: ${message}`
  // Of the bundle only: who called it differs.
  const places = [...(error.stack ?? '').matchAll(/^ +at (?:async )?(\S+) \(fuzz:/gm)].map((match) => match[1])
  return [error.name, message, ...places.slice(0, 2)].join(' ')
}
