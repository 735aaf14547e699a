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
  readonly after: Body[]
}

const suites: Suite[] = []
const tests: CollectedTest[] = []
let file: Suite = newSuite('')
/** Of the test that runs. */
let endings: Body[] = []

function newSuite(name: string): Suite {
  return { name, before: [], after: [] }
}

/** Those of the files that were loaded since it was last asked. */
export function takeCollected(): readonly CollectedTest[] {
  file = newSuite('')
  return tests.splice(0)
}

class Skipped extends Error {}

function addTest(name: string, body: Body, args: readonly unknown[]): void {
  const around = [file, ...suites]
  const skip = (): never => {
    throw new Skipped()
  }
  tests.push({
    name: [...suites.map((suite) => suite.name), name].join(' > '),
    async run() {
      endings = []
      try {
        for (const { before } of around) for (const each of before) await each()
        await body(...args, { skip })
      } catch (error) {
        if (!(error instanceof Skipped)) throw error
      } finally {
        for (const each of [...endings, ...around.flatMap(({ after }) => after)]) await each()
      }
    },
  })
}

function addSuite(name: string, body: Body, args: readonly unknown[]): void {
  suites.push(newSuite(name))
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
export const beforeEach = (body: Body): void => void (suites.at(-1) ?? file).before.push(body)
/** Once more before each: what it makes is made of the profile as it is then. */
export const beforeAll = beforeEach
export const afterEach = (body: Body): void => void (suites.at(-1) ?? file).after.push(body)
/** What it looks at is what all tests left. */
export const afterAll = (): void => undefined
export const onTestFinished = (body: Body): void => void endings.push(body)
export const { expect, vi } = globalThis as unknown as Pick<typeof import('vitest'), 'expect' | 'vi'>
