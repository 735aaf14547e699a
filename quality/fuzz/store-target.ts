// What holds of every JSON file of the config directory, whatever is in it: nothing but StoreErrors, a bad file is left alone and told
// of, a good one survives being written, with the rows in it that are not good.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreError, type StoreProblem } from '../../src/stores/store-error.ts'
import { bytesOf, promise, type Target } from './target.ts'

/** Stands for keys and tokens in a file: nothing told of the file may repeat it. */
export const SECRET = '5ec2e75ec2e75ec2e75ec2e75ec2e75e'

export const UUID = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

export interface StoreUnderTest {
  /** Everything that can be read, as plain data. */
  read(): unknown
  problem(): StoreProblem | undefined
  problems(): readonly StoreProblem[]
  /** Changes the file and changes it back, as far as the store can. Absent: the store never writes. */
  write?(): Promise<void>
}

export interface StoreFile {
  readonly fileName: string
  readonly open: (directory: string) => StoreUnderTest
  /** Sound contents. */
  readonly seeds: readonly unknown[]
  /** Keys and values of the file. */
  readonly words: readonly string[]
  /** What `write` leaves changed, taken out of a content; default: nothing. */
  readonly forget?: (content: never) => unknown
  /** Files that a write may leave beside it. */
  readonly beside?: RegExp
  /** What else holds of a store that has read a good file; may change the file. */
  readonly check?: (store: StoreUnderTest, directory: string) => void | Promise<void>
}

const VALUES = [UUID, 'paper', 'BTCUSDT', 'http://127.0.0.1:53220', '\ufeff', '//', '/* */', ',', '\n', '1e999']

/** So many inputs at once, each in a directory of its own: most of the time goes to waiting for files. */
const LANES = 4

export function storeTarget(file: StoreFile): Target {
  const { fileName, seeds, words } = file
  const lanes = Array.from({ length: LANES }, () => new Lane(file))
  const free = [...lanes]
  return {
    units: 'bytes',
    seeds: seeds.map((seed) => bytesOf(JSON.stringify(seed, null, 2))),
    dictionary: [fileName, ...words, ...VALUES].map(bytesOf),
    between: '\n',
    json: true,
    maxLength: 50_000,
    batch: 64,
    concurrency: LANES,
    async run(input) {
      const lane = free.pop()
      if (lane === undefined) throw new Error('more inputs at once than there are directories')
      try {
        await lane.meet(Buffer.from(input, 'latin1'))
      } finally {
        lane.repair()
        free.push(lane)
      }
    },
    close: () => {
      for (const lane of lanes) lane.close()
    },
  }
}

class Lane {
  readonly #file: StoreFile
  readonly #directory = privateDirectory()
  readonly #path: string
  readonly #sound: string
  readonly #soundRead: string
  /** Has read a good file before, and sees everything that comes. */
  readonly #elder: StoreUnderTest

  constructor(file: StoreFile) {
    this.#file = file
    this.#path = join(this.#directory, file.fileName)
    this.#sound = JSON.stringify(file.seeds[0])
    writeFileSync(this.#path, this.#sound)
    this.#elder = file.open(this.#directory)
    this.#soundRead = asText(this.#elder.read())
  }

  async meet(bytes: Buffer): Promise<void> {
    writeFileSync(this.#path, bytes)
    const store = this.#file.open(this.#directory)
    const read = store.read()
    const problem = store.problem()
    for (const each of store.problems()) checkProblem(each, bytes)
    const elderRead = asText(this.#elder.read())
    if (problem === undefined) {
      promise(elderRead === asText(read), 'every process reads the same of a good file')
      await this.#survives(store, bytes)
      await this.#check(bytes)
    } else {
      const isReadable = problem.kind === 'newer' && elderRead === asText(read)
      promise(isReadable || elderRead === this.#soundRead, 'the last good content serves while a file is bad')
      promise(this.#elder.problem() !== undefined, 'a bad file is told of')
      await this.#isLeftAlone(store, problem, bytes)
    }
    this.#checkLeft(bytes)
    this.repair()
    promise(asText(this.#elder.read()) === this.#soundRead, 'a repaired file is read again')
    promise(this.#elder.problem() === undefined, 'a repaired file is no problem')
  }

  /** A write to a file of an older version keeps it once, as it was. */
  #checkLeft(bytes: Buffer): void {
    const { fileName, beside } = this.#file
    const names = readdirSync(this.#directory).filter((name) => name !== fileName)
    const own = names.filter((name) => beside?.test(name))
    for (const name of own) rmSync(join(this.#directory, name))
    const others = names.filter((name) => !own.includes(name))
    const backups = others.filter((name) => /\.v\d+$/.test(name) && name.startsWith(fileName))
    promise(others.length === backups.length, 'nothing is left behind in the directory')
    for (const backup of backups) {
      const path = join(this.#directory, backup)
      promise(readFileSync(path).equals(bytes), 'a file of an older version is kept as it was')
      rmSync(path)
    }
  }

  /** For the next input, whatever became of this one. */
  repair(): void {
    writeFileSync(this.#path, this.#sound)
    this.#elder.read()
  }

  close(): void {
    rmSync(this.#directory, { recursive: true })
  }

  /** What a write must keep. */
  #kept(): string {
    const { forget = (content) => content } = this.#file
    return asText(forget(JSON.parse(new TextDecoder().decode(readFileSync(this.#path))) as never))
  }

  async #survives(store: StoreUnderTest, bytes: Buffer): Promise<void> {
    if (store.write === undefined) return
    const refusal = await refusalOf(store.write)
    if (refusal !== undefined) {
      const isSound = refusal.code === 'invalid-value' || refusal.code === 'already-exists'
      promise(isSound, 'a good file can be written to')
      return promise(readFileSync(this.#path).equals(bytes), 'a refused write changes nothing')
    }
    const again = this.#file.open(this.#directory)
    const read = asText(again.read())
    promise(again.problem() === undefined, 'a file that was written is good')
    promise(read === asText(store.read()), 'what was written is what is read')
    const kept = this.#kept()
    writeFileSync(this.#path, bytes)
    promise(kept === this.#kept(), 'a write keeps what it does not know')
  }

  async #check(bytes: Buffer): Promise<void> {
    if (this.#file.check === undefined) return
    writeFileSync(this.#path, bytes)
    const store = this.#file.open(this.#directory)
    store.read()
    await this.#file.check(store, this.#directory)
  }

  async #isLeftAlone(store: StoreUnderTest, { kind }: StoreProblem, bytes: Buffer): Promise<void> {
    if (store.write !== undefined) {
      const refusal = await refusalOf(store.write)
      const code = kind === 'newer' ? 'store-newer' : 'store-corrupt'
      promise(refusal?.code === code, 'a bad file is not written to')
    }
    promise(readFileSync(this.#path).equals(bytes), 'a bad file is left as it is')
  }
}

/** In memory where the system has such a place: each input is written, and locked, and flushed. */
export function privateDirectory(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hookline-fuzz-'))
}

function checkProblem({ message, line }: StoreProblem, bytes: Buffer): void {
  promise(!message.includes(SECRET), 'a problem repeats no secret')
  promise(!/stack|RangeError|TypeError/.test(message), 'a problem is told in words for people')
  const lines = bytes.toString('latin1').split('\n').length
  promise(line === undefined || (line >= 1 && line <= lines), 'a problem is in a line of the file')
}

/** Rows that are not good may be anything. */
export function isFields(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null
}

/** To be compared; some of it may be nested deeper than can be written. */
function asText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return 'nested too deeply'
  }
}

async function refusalOf(write: () => Promise<void>): Promise<StoreError | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
}
