// Stands in for Vitest's `describe` and `it`: the files of tests that are loaded here leave their tests in a list, to be run again and again.
import { format } from 'node:util'

type Body = (...args: readonly unknown[]) => unknown

export interface CollectedTest {
  readonly name: string
  readonly run: () => Promise<void>
}

interface Suite {
  readonly name: string
  readonly before: Body[]
}

const suites: Suite[] = []
const tests: CollectedTest[] = []

/** Those of the files that were loaded since it was last asked. */
export function takeCollected(): readonly CollectedTest[] {
  return tests.splice(0)
}

class Skipped extends Error {}

function addTest(name: string, body: Body, args: readonly unknown[]): void {
  const around = [...suites]
  const skip = (): never => {
    throw new Skipped()
  }
  tests.push({
    name: [...around.map((suite) => suite.name), name].join(' > '),
    async run() {
      try {
        for (const { before } of around) for (const each of before) await each()
        await body(...args, { skip })
      } catch (error) {
        if (!(error instanceof Skipped)) throw error
      }
    },
  })
}

function addSuite(name: string, body: Body, args: readonly unknown[]): void {
  suites.push({ name, before: [] })
  try {
    body(...args)
  } finally {
    suites.pop()
  }
}

type Add = (name: string, body: Body, args: readonly unknown[]) => void

function collector(add: Add) {
  const one = (name: string, body: Body) => add(name, body, [])
  const each = (rows: readonly unknown[]) => (name: string, body: Body) => {
    for (const row of rows) {
      const args = Array.isArray(row) ? row : [row]
      add(format(name, ...args), body, args)
    }
  }
  const never = () => undefined
  return Object.assign(one, {
    each,
    skip: never,
    skipIf: (is: unknown) => (is ? never : one),
    runIf: (is: unknown) => (is ? one : never),
  })
}

export const it = collector(addTest)
export const test = it
export const describe = collector(addSuite)
export const beforeAll = (body: Body): void => void suites.at(-1)?.before.push(body)
export const beforeEach = beforeAll
export const afterAll = (): void => undefined
export const afterEach = afterAll
export const onTestFinished = afterAll
export const { expect, vi } = globalThis as unknown as Pick<typeof import('vitest'), 'expect' | 'vi'>
