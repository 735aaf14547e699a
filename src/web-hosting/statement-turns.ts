// Who has the next connection to PostgreSQL. One who sends many statements waits in a line of their own: each asker holds few connections, and as one
// gets free, the askers have it in turn. Persons and addresses whose person is not known yet take turns as well, so that any number of addresses
// leaves every other connection to those who are signed in.
import type { Database, DatabaseShare } from './database.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'

export interface Asker {
  readonly kind: 'person' | 'address'
  /** The person as `personOf` says, or the address. */
  readonly name: string
}

export interface TurnOptions {
  /** That the pool opens at most. */
  readonly connections: number
  /** Of one asker at once. Default 2. */
  readonly ofAsker?: number
  /** Of one asker. Default 32. */
  readonly waiting?: number
  /** How long a statement waits for its turn, ms. Default 3 s. */
  readonly waitMs?: number
}

interface Line {
  readonly asker: Asker
  running: number
  readonly waiting: Set<() => void>
}

export class StatementTurns {
  readonly #database: Database
  readonly #options: Required<TurnOptions>
  readonly #lines = { person: new Map<string, Line>(), address: new Map<string, Line>() }
  /** Of each kind those who may begin a statement that waits, by whose turn it is. */
  readonly #ready = { person: new Set<Line>(), address: new Set<Line>() }
  readonly #running = { person: 0, address: 0 }
  #last: Asker['kind'] = 'address'

  constructor(database: Database, options: TurnOptions) {
    const { statementsOfAsker: ofAsker, waitingOfAsker: waiting, databaseMs: waitMs } = HOSTING_LIMITS
    this.#database = database
    this.#options = { ofAsker, waiting, waitMs, ...options }
  }

  /** The database as this asker has it. Its calls throw besides: {HostingError} `too-many-waiting`, `database-busy` */
  of(asker: Asker): DatabaseShare {
    return {
      query: (text, values) => this.#take(asker, () => this.#database.query(text, values)),
      transaction: (work) => this.#take(asker, () => this.#database.transaction(work)),
    }
  }

  async #take<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    const line = await this.#turnOf(asker)
    try {
      return await work()
    } finally {
      line.running--
      this.#running[asker.kind]--
      if (line.waiting.size > 0) this.#ready[asker.kind].add(line)
      this.#forgetIfIdle(line)
      this.#beginNext()
    }
  }

  #forgetIfIdle({ asker: { kind, name }, running, waiting }: Line): void {
    if (running === 0 && waiting.size === 0) this.#lines[kind].delete(name)
  }

  #turnOf(asker: Asker): Promise<Line> {
    const lines = this.#lines[asker.kind]
    const line = lines.get(asker.name) ?? { asker, running: 0, waiting: new Set() }
    lines.set(asker.name, line)
    if (line.waiting.size >= this.#options.waiting) return Promise.reject(tooManyWaiting())
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve(line)
      }
      const timer = setTimeout(() => {
        line.waiting.delete(begin)
        if (line.waiting.size === 0) this.#ready[asker.kind].delete(line)
        this.#forgetIfIdle(line)
        reject(databaseBusy())
      }, this.#options.waitMs)
      line.waiting.add(begin)
      if (line.running < this.#options.ofAsker) this.#ready[asker.kind].add(line)
      this.#beginNext()
    })
  }

  #beginNext(): void {
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      const { kind } = line.asker
      this.#ready[kind].delete(line)
      this.#last = kind
      line.running++
      this.#running[kind]++
      const [begin] = line.waiting
      if (begin !== undefined) line.waiting.delete(begin)
      // Behind all others.
      if (line.waiting.size > 0 && line.running < this.#options.ofAsker) this.#ready[kind].add(line)
      begin?.()
    }
  }

  #next(): Line | undefined {
    const { connections } = this.#options
    const { person, address } = this.#running
    if (person + address >= connections) return undefined
    const [first] = this.#ready.person
    // Addresses hold at most half: what they send may wait for a lock, and hold its connection meanwhile.
    const [stranger] = address < Math.max(1, connections >> 1) ? this.#ready.address : []
    return this.#last === 'person' ? (stranger ?? first) : (first ?? stranger)
  }
}

function tooManyWaiting(): HostingError {
  const hint = 'wait a second, then try again'
  return new HostingError('too-many-waiting', 'too many requests', { hint })
}

function databaseBusy(): HostingError {
  return new HostingError('database-busy', 'a statement waited too long for its turn at PostgreSQL', {
    hint: 'give the console more connections by `--database-connections`, or look for statements that wait for a lock',
  })
}
