// Which changes of the code of a room make one of its tests fail, and which make none.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Mutation } from './code-plugin.ts'
import { type CollectedTest, takeCollected } from './collected.ts'
import { failureOf } from './killers.ts'

interface Switch {
  readonly add: (mutations: readonly Mutation[]) => void
  readonly is: (id: number) => boolean
}

interface RoomScore {
  readonly room: string
  readonly killed: number
  /** Those that were tried: of all that a test reaches, one in `every`. */
  readonly of: number
  readonly unreached: number
  readonly survivors: readonly string[]
}

declare module 'vitest' {
  interface TaskMeta {
    room?: RoomScore
  }
}

const { it } = globalThis as unknown as Pick<typeof import('vitest'), 'it'>
const ROOT = resolve(import.meta.dirname, '../..')
/** An endless loop goes through its own switches. */
const MOST_LOOKS = 30_000_000

const mutations: Mutation[] = []
let active = -1
let looks = 0
let reached: Set<number> | undefined
const theSwitch: Switch = {
  add: (more) => void mutations.push(...more),
  is(id) {
    reached?.add(id)
    if (active < 0) return false
    looks += 1
    if (looks > MOST_LOOKS) throw new Error('endless')
    return id === active
  },
}
Object.assign(globalThis, { mutation: theSwitch })

const { MUTATION_ROOM: room = '', MUTATION_TESTS: tests = '', MUTATION_EVERY: every = '1' } = process.env
/** Longer ones are asked by the tiers, not for each mutant. */
const LONGEST_MS = 10_000

interface Reader extends CollectedTest {
  readonly ms: number
  readonly reads: ReadonlySet<number>
}

it(room, async ({ task }) => {
  const readers: Reader[] = []
  for (const file of filesOf(tests.split(','))) {
    try {
      await import(file)
    } catch (error) {
      process.stderr.write(`left out: ${file}: ${String(error).split('\n')[0]}\n`)
    }
    for (const each of takeCollected()) {
      const reads = new Set<number>()
      reached = reads
      const start = performance.now()
      const error = await failureOf(each)
      reached = undefined
      const ms = performance.now() - start
      if (error !== undefined)
        process.stderr.write(`left out, it fails by itself: ${each.name}: ${String(error).split('\n')[0]}\n`)
      else if (reads.size > 0 && ms < LONGEST_MS) readers.push({ ...each, ms, reads })
    }
  }
  readers.sort((left, right) => left.ms - right.ms)
  const met = mutations.filter(({ id }) => readers.some(({ reads }) => reads.has(id)))
  const asked = met.filter((_, index) => index % Number(every) === 0)
  const survivors: string[] = []
  for (const [index, { id, line, change }] of asked.entries()) {
    active = id
    if (!(await isKilled(readers.filter(({ reads }) => reads.has(id))))) {
      const name = `${nameOf(id)}: ${line}: ${change}`
      survivors.push(name)
      process.stderr.write(`survives: ${name}\n`)
    }
    active = -1
    if (index % 50 === 0) process.stderr.write(`${room}: ${index} of ${asked.length}\n`)
  }
  const unreached = mutations.length - met.length
  const score = { room, killed: asked.length - survivors.length, of: asked.length, unreached, survivors }
  task.meta.room = score
  process.stderr.write(`score: ${JSON.stringify(score)}\n`)
})

async function isKilled(readers: readonly Reader[]): Promise<boolean> {
  for (const reader of readers) {
    looks = 0
    if ((await failureOf(reader)) !== undefined) return true
  }
  return false
}

function nameOf(id: number): string {
  return process.env.MUTATION_FILES?.split(',')[Math.floor(id / 1_000_000)] ?? ''
}

/** Tests in memory: those with sockets and processes of their own are too slow to be asked of each mutant. */
function filesOf(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) =>
    path.endsWith('.ts')
      ? resolve(ROOT, path)
      : readdirSync(resolve(ROOT, path))
          .filter((file) => /^[\w-]+(\.sim)?\.test\.ts$/.test(file))
          .map((file) => resolve(ROOT, path, file)),
  )
}
