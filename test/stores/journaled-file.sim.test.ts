// Several processes on one snapshot and its journals, on a disk that dies, fails or writes by half at each of its steps in turn.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../harness/random/random.ts'
import {
  createJournaledFile,
  type JournalDisk,
  type Journaled,
  type JournaledFile,
  type SnapshotFile,
} from '../../src/stores/journaled-file.ts'

interface Ids extends Journaled {
  readonly ids: readonly string[]
}

const changes = {
  encode: (from: Ids, to: Ids) => JSON.stringify({ after: from.ids.length, added: to.ids.slice(from.ids.length) }),
  apply(state: Ids, change: unknown): Ids {
    const { after, added } = change as { readonly after: number; readonly added: readonly string[] }
    if (after !== state.ids.length) throw new Error('made from another state')
    return { ...state, ids: [...state.ids, ...added] }
  },
}

/** What happens at a step: the process is gone before it, within it or after it; or the step fails so, and the process goes on. */
const FAULTS = ['dies before', 'dies within', 'dies after', 'fails before', 'fails within', 'fails after'] as const
type Fault = (typeof FAULTS)[number]

interface StoredFile {
  readonly inode: number
  bytes: Buffer
  /** What a power cut would leave as zeros. */
  unsynced: { from: number; to: number }[]
}

/** The disk that all processes share. */
class SharedDisk {
  readonly files = new Map<string, StoredFile>()
  snapshotText: string | undefined
  snapshotLock: Promise<unknown> = Promise.resolve()
  steps = 0
  readonly #random: Random
  readonly #fault: { readonly step: number; readonly kind: Fault } | undefined
  #inodes = 0

  constructor(random: Random, fault?: { readonly step: number; readonly kind: Fault }) {
    this.#random = random
    this.#fault = fault
  }

  /** What a process does next. @returns the fault that it meets */
  next(): Fault | undefined {
    this.steps += 1
    return this.#fault?.step === this.steps ? this.#fault.kind : undefined
  }

  create(path: string): void {
    this.#inodes += 1
    this.files.set(path, { inode: this.#inodes, bytes: Buffer.alloc(0), unsynced: [] })
  }

  /** Others may act meanwhile. */
  async pause(): Promise<void> {
    const most = this.#random.chance(0.1) ? 25 : 3
    for (let turns = this.#random.below(most); turns > 0; turns -= 1) await endOfTurn()
  }

  partOf(length: number): number {
    return this.#random.below(length)
  }

  cutPower(): void {
    for (const { bytes, unsynced } of this.files.values()) for (const { from, to } of unsynced) bytes.fill(0, from, to)
  }
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** A process with the file open. */
class Process {
  readonly file: JournaledFile<Ids>
  readonly dead: Promise<'dead'>
  readonly #disk: SharedDisk
  #die: (reason: 'dead') => void = () => {}

  constructor(disk: SharedDisk, maxBytes: number) {
    this.#disk = disk
    this.dead = new Promise((resolve) => {
      this.#die = resolve
    })
    this.file = createJournaledFile({ snapshot: this.#snapshot(), changes, maxBytes, disk: this.#journals() })
  }

  /** What the process does no more: nothing of it goes on. */
  #end(): Promise<never> {
    this.#die('dead')
    return new Promise(() => {})
  }

  async #step(act: (isWhole: boolean) => void): Promise<void> {
    const fault = this.#disk.next()
    await this.#disk.pause()
    // Someone looks while a line is on its way.
    this.file.read()
    if (fault === 'dies before') await this.#end()
    if (fault === 'fails before') throw failure('EIO')
    act(fault !== 'dies within' && fault !== 'fails within')
    if (fault?.startsWith('dies')) await this.#end()
    if (fault?.startsWith('fails')) throw failure('ENOSPC')
    await this.#disk.pause()
  }

  #journals(): JournalDisk {
    const disk = this.#disk
    return {
      look(path) {
        const found = disk.files.get(path)
        return found && { inode: found.inode, size: found.bytes.length }
      },
      read: (path, from) => Buffer.from((disk.files.get(path) as StoredFile).bytes.subarray(from)),
      create: (path) => disk.create(path),
      append: async (path, bytes, { inode, end, size }, isWhole) => {
        await disk.pause()
        const file = disk.files.get(path)
        if (file?.inode !== inode) return 'elsewhere'
        let written = { from: 0, to: 0 }
        await this.#step((isAll) => {
          const part = isAll ? bytes : bytes.subarray(0, disk.partOf(bytes.length))
          written = { from: file.bytes.length, to: file.bytes.length + part.length }
          file.bytes = Buffer.concat([file.bytes, part])
          file.unsynced.push(written)
        })
        const isAlone = file.bytes.length === size + bytes.length
        await this.#step(() => {
          file.unsynced = isWhole || !isAlone ? [] : file.unsynced.filter((range) => range !== written)
        })
        return isAlone ? 'alone' : Buffer.from(file.bytes.subarray(end))
      },
      list: () => [...disk.files.keys()].map((path) => path.slice(1)),
      remove: (path) => this.#step(() => void disk.files.delete(path)),
    }
  }

  #snapshot(): SnapshotFile<Ids> {
    const disk = this.#disk
    const none: Ids = { ids: [] }
    let known: { readonly text: string; readonly value: Ids } | undefined
    const read = (): Ids => {
      const text = disk.snapshotText
      if (text === undefined) return none
      if (known?.text !== text) known = { text, value: JSON.parse(text) as Ids }
      return known.value
    }
    const change = async (apply: (current: Ids) => Ids): Promise<Ids> => {
      await this.#step(() => {})
      const current = read()
      const next = apply(current)
      if (next === current) return current
      const text = JSON.stringify(next)
      await this.#step((isWhole) => {
        if (isWhole) disk.snapshotText = text
      })
      return read()
    }
    return {
      path: '/s.json',
      read,
      problem: () => undefined,
      problems: () => [],
      isVanishing: () => false,
      watch: () => () => {},
      update: (apply) => {
        const turn = disk.snapshotLock.then(() => change(apply))
        // The lock of a process that died goes to the next one.
        disk.snapshotLock = Promise.race([turn.catch(() => {}), this.dead])
        return turn
      },
    }
  }
}

interface Outcomes {
  readonly stored: string[]
  /** Not stored, as their writer was told. */
  readonly refused: string[]
}

async function add(process: Process, id: string, outcomes: Outcomes): Promise<void> {
  try {
    await process.file.update((state) => ({ ...state, ids: [...state.ids, id] }))
    outcomes.stored.push(id)
  } catch (error) {
    expect(error).toMatchObject({ code: expect.any(String) })
    if (!process.file.read().ids.includes(id)) outcomes.refused.push(id)
  }
}

/** By the bytes after which each begins another journal. */
const PROCESSES = { a: 200, b: 400 }
const UPDATES = 5

/** @returns the steps that the disk took */
async function run(seed: number, fault?: { readonly step: number; readonly kind: Fault }): Promise<number> {
  const random = createRandom(seed)
  const disk = new SharedDisk(random, fault)
  const outcomes: Outcomes = { stored: [], refused: [] }
  const writers = Object.entries(PROCESSES).map(([name, maxBytes]) => ({ name, process: new Process(disk, maxBytes) }))
  await Promise.all(
    writers.map(({ name, process }) =>
      Promise.race([
        process.dead,
        (async () => {
          for (let index = 0; index < UPDATES; index += 1) {
            const adding = add(process, `${name}${index}`, outcomes)
            if (random.chance(0.5)) await adding
          }
          // Updates are made in their order: the last one comes after all others.
          await add(process, `${name}${UPDATES}`, outcomes)
        })(),
      ]),
    ),
  )
  const { steps } = disk
  const last = new Process(disk, 300)
  await add(last, 'last', outcomes)
  requirePromises(outcomes, disk, { seed, ...fault })
  disk.cutPower()
  requirePromises(outcomes, disk, { seed, ...fault, isAfterPowerCut: true })
  return steps
}

function requirePromises({ stored, refused }: Outcomes, disk: SharedDisk, of: object): void {
  const { file } = new Process(disk, 300)
  const { ids } = file.read()
  const place = JSON.stringify({ ...of, ids, stored, refused })
  expect(file.problems(), place).toEqual([])
  expect(new Set(ids).size, place).toBe(ids.length)
  expect(ids, place).toEqual(expect.arrayContaining(stored))
  expect(stored, place).toContain('last')
  expect(
    ids.filter((id) => refused.includes(id)),
    place,
  ).toEqual([])
  for (const name of Object.keys(PROCESSES)) {
    const own = ids.filter((id) => id.startsWith(name) && id !== 'last')
    expect(own, place).toEqual([...own].sort())
  }
  expect(disk.files.size, place).toBeLessThanOrEqual(3)
}

test('every change that was answered is there once, and none that was refused, whatever step the disk ends or fails at', async () => {
  for (const seed of [1, 5]) {
    const steps = await run(seed)
    for (let step = 1; step <= steps; step += 1) for (const kind of FAULTS) await run(seed, { step, kind })
  }
})
