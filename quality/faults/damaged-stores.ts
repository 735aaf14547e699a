// Store files replaced, damaged and removed under a running hookline: what is served, what is said, and whether anything was written
// over.
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { giveToNobody, startAsNobody } from './nobody.ts'
import { makeStoreFiles, type Reader, type Served, type StoreFile, TRUSTED_ID } from './served-files.ts'
import { WRITES, writeStores } from './store-writes.ts'

/** What the prompt reads: `status` tells which of them are invalid. config.json turns the listener off (switches.faults.ts). */
export const NAMED: readonly string[] = [
  'hooks.json',
  'accounts.json',
  'trusted-clients.json',
  'vars.json',
  'aliases.json',
]

interface Damage {
  readonly name: string
  apply(path: string, file: StoreFile): void
}

/** As people, editors and `git pull` save: the new content. */
export const SAVES: readonly Damage[] = [
  { name: 'renamed over', apply: (path, { content }) => replace(path, content.new) },
  {
    name: 'unlinked and made again',

    apply(path, { content }) {
      unlinkSync(path)
      put(path, content.new)
    },
  },
  { name: 'truncated and written', apply: (path, { content }) => put(path, content.new) },
]

/** Nothing that could be served, and nothing that may be written over. */
export const DAMAGES: readonly Damage[] = [
  { name: 'emptied', apply: (path) => put(path, '') },
  {
    name: 'cut in half',

    apply: (path, { content }) => put(path, content.new.slice(0, content.new.length / 2)),
  },
  { name: 'of another shape', apply: (path) => replace(path, '["not mine"]\n') },
  {
    name: 'closed to its owner',

    apply(path, { content }) {
      put(path, content.new)
      chmodSync(path, 0o000)
    },
  },
  {
    name: 'a directory',

    apply(path) {
      unlinkSync(path)
      mkdirSync(path)
    },
  },
]

/** In place, for whoever hookline runs as. */
function put(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  giveToNobody(path)
}

function replace(path: string, text: string): void {
  put(`${path}.beside`, text)
  renameSync(`${path}.beside`, path)
}

export class DamagedStores {
  readonly directory = tempDirectory()
  readonly files: readonly StoreFile[]
  readonly misfits: string[] = []
  looks = 0
  #reader: Reader | undefined

  private constructor(files: readonly StoreFile[]) {
    this.files = files
  }

  /** A REPL with an approved page over whole files. */
  static async start(): Promise<DamagedStores> {
    const stores = new DamagedStores(await makeStoreFiles())
    stores.#writeAll()
    giveToNobody(stores.directory)
    const repl = await startAsNobody(stores.directory)
    const page = await WsClient.hello({ clientId: TRUSTED_ID })
    await page.nextFrame('welcome')
    stores.#reader = { repl, page }
    await stores.look('at the start', 'old')
    return stores
  }

  get reader(): Reader {
    if (!this.#reader) throw new Error('not started')
    return this.#reader
  }

  pathOf({ name }: StoreFile): string {
    return join(this.directory, name)
  }

  /** All but config.json, which turns the listener off when it is bad. */
  get damaged(): readonly StoreFile[] {
    return this.files.filter(({ name }) => name !== 'config.json')
  }

  apply({ apply }: Damage, files = this.files): void {
    for (const file of files) apply(this.pathOf(file), file)
  }

  /** Everything is whole and old again, and hookline has seen it. */
  async restore(): Promise<void> {
    this.#writeAll()
    await this.look('restored', 'old')
  }

  #writeAll(): void {
    for (const file of this.files) {
      const path = this.pathOf(file)
      rmSync(path, { recursive: true, force: true })
      put(path, file.content.old)
    }
  }

  /** Notes every file that does not serve what it should. */
  async look(when: string, expected: Served, files = this.files): Promise<void> {
    for (const file of files) {
      const served = await file.served(this.reader)
      this.looks++
      if (served !== (file.isFixed ? 'old' : expected)) this.misfits.push(`${file.name} ${when}: ${served}`)
    }
  }

  /** `220 of 220 looks right`, with the first that was not. */
  tellLooks(): string {
    const [first] = this.misfits
    return `${this.looks - this.misfits.length} of ${this.looks} looks right${first === undefined ? '' : `, not ${first}`}`
  }

  /** Makes hookline try to write each store that a command writes. @returns how many files it has changed, how many it refused by name */
  async tryWrites(): Promise<{ changed: number; refused: number }> {
    const before = this.damaged.map((file) => stateOf(this.pathOf(file)))
    const said = await writeStores(this.reader.repl)
    const after = this.damaged.map((file) => stateOf(this.pathOf(file)))
    return {
      changed: after.filter((state, index) => state !== before[index]).length,
      refused: Object.keys(WRITES).filter(
        (name) => said[name]?.startsWith('error: ') === true && said[name].includes(`${name}: `),
      ).length,
    }
  }

  /** How many of `NAMED` are named in `status`, and in what is printed unasked within `patienceMs`. */
  async countNamed(patienceMs: number): Promise<{ unasked: number; status: number }> {
    const { repl } = this.reader
    const from = repl.stdout.length
    const countIn = (text: string) => NAMED.filter((name) => text.includes(name)).length
    const giveUpAt = performance.now() + patienceMs
    while (countIn(repl.stdout.slice(from)) < NAMED.length && performance.now() < giveUpAt) await sleep(20)
    const unasked = countIn(repl.stdout.slice(from))
    return { unasked, status: countIn(await ask(repl, 'status')) }
  }

  /** Empties every file and writes it again in pieces; looks after each but the last. */
  async rewriteSlowly(pieces: number): Promise<void> {
    for (const file of this.damaged) put(this.pathOf(file), '')
    for (let piece = 1; piece <= pieces; piece++) {
      for (const file of this.damaged) {
        const { new: text } = file.content
        put(this.pathOf(file), text.slice(0, Math.ceil((text.length * piece) / pieces)))
      }
      await this.look(`written by ${piece}/${pieces}`, piece === pieces ? 'new' : 'old', this.damaged)
    }
  }

  remove(files: readonly StoreFile[]): void {
    for (const file of files) unlinkSync(this.pathOf(file))
  }
}

/** What is there: its content, or that it is a directory. */
function stateOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return 'nothing'
  return stat.isFile() ? readFileSync(path, 'utf8') : 'a directory'
}
