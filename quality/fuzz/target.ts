// What is fuzzed: some code of src/ and the promise that it keeps whatever comes. Each file in targets/ exports one `open`.
import type { Profiler } from 'node:inspector'

/** Inputs are strings: UTF-16 of typed text, or bytes as latin1 (units up to 0xff), where higher units are marks of the target's own. */
export interface Target {
  readonly units: 'text' | 'bytes'
  /** Small, sound inputs to begin with, besides those in corpus/. */
  readonly seeds: readonly string[]
  /** Pieces that inputs are made of: words of the language, keys, header names. */
  readonly dictionary: readonly string[]
  /** What stands between the pieces that may be swapped, dropped and doubled. */
  readonly between?: string
  /** Whether inputs hold JSON that is worth changing as JSON. */
  readonly json?: boolean
  readonly maxLength: number
  /** Inputs between two looks at the coverage, which cost some ms each. */
  readonly batch: number
  /** Inputs of a batch that run at once; default 1. */
  readonly concurrency?: number
  /** Throws when a promise is broken. */
  run(input: string): void | Promise<void>
  /** Called after each batch: throws what only shows afterwards. */
  settle?(): Promise<void>
  /** For code in another process: the coverage since the last call. */
  takeCoverage?(): Promise<readonly Profiler.FunctionCoverage[]>
  close?(): void | Promise<void>
}

export type OpenTarget = () => Target | Promise<Target>

/** A promise that the code under test has broken. Its message names the promise, not the input. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise'
}

/** @throws {BrokenPromise} unless `holds` */
export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenPromise(what)
}

/** The text as bytes in UTF-8, one unit each, as targets with `units: 'bytes'` take it. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
