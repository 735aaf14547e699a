// A file that is rotated under load: every file it ever was is kept under a second name, since only one backup stays.
import { existsSync, linkSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'

/** Much shorter than it takes to fill a file. */
const LOOK_MS = 20

/** A line of the journal or of the log. */
export interface WrittenLine {
  readonly t?: string
  readonly runId?: string
  readonly command?: string
  readonly pid?: number
  /** ms since the epoch. */
  readonly time?: number
  readonly err?: unknown
}

export class Rotations {
  readonly #path: string
  readonly #kept = tempDirectory()
  readonly #inodes = new Map<number, string>()

  /** From now on. @param path the file; `<path>.1` is its backup */
  constructor(path: string) {
    this.#path = path
    const timer = setInterval(() => this.#keep(), LOOK_MS)
    onTestFinished(() => clearInterval(timer))
  }

  /** How often the file was rotated. */
  get count(): number {
    this.#keep()
    return this.#inodes.size - 1
  }

  /** All that was ever written to any of them, oldest file first; undefined for a line that is no JSON. */
  lines(): (WrittenLine | undefined)[] {
    this.#keep()
    return linesOf([...this.#inodes.values()])
  }

  /** What a person still finds: the backup and the file. */
  found(): (WrittenLine | undefined)[] {
    return linesOf([`${this.#path}.1`, this.#path])
  }

  /** Descriptors that a process has open on any of them, removed ones too. */
  countOpen(pid: number): number {
    const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        // Closed since it was listed.
        return ''
      }
    })
    return targets.filter((target) => target.startsWith(this.#path)).length
  }

  #keep(): void {
    for (const path of [`${this.#path}.1`, this.#path]) {
      const inode = statSync(path, { throwIfNoEntry: false })?.ino
      if (inode === undefined || this.#inodes.has(inode)) continue
      const name = join(this.#kept, `${basename(this.#path)}-${this.#inodes.size}`)
      linkSync(path, name)
      // Between the two looks it may have been renamed.
      this.#inodes.set(statSync(name).ino, name)
    }
  }
}

function linesOf(paths: readonly string[]): (WrittenLine | undefined)[] {
  return paths
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map(decode)
}

function decode(text: string): WrittenLine | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
