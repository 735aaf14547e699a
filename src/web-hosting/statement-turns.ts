// Who has the next connection to PostgreSQL. One who sends many statements waits in a line of their own: each asker holds few connections, and as one
// gets free, the askers have it in turn. Persons, visitors and strangers take turns as well, so that any number of addresses leaves most connections to
// those who are signed in.
import type { Database, DatabaseShare } from './database.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'

export interface Asker {
  /**
   * - `person`: named as `personOf` says
   * - `visitor`: an address with a session whose person is not known yet: the statement finds it
   * - `stranger`: an address without one, as that of a sign-in
   */
  readonly kind: Kind
  readonly name: string
}

const KINDS = ['person', 'visitor', 'stranger'] as const
type Kind = (typeof KINDS)[number]

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

/** Of one kind of askers. */
interface Room {
  /** Connections that they hold at once. */
  readonly most: number
  running: number
  readonly lines: Map<string, Line>
  /** Those who may begin a statement that waits, by whose turn it is. */
  readonly ready: Set<Line>
}

function roomFor(most: number): Room {
  return { most, running: 0, lines: new Map(), ready: new Set() }
}

export class StatementTurns {
  readonly #database: Database
  readonly #options: Required<TurnOptions>
  readonly #rooms: Readonly<Record<Kind, Room>>
  /** Whose turn was longest ago comes first. */
  #order: readonly Kind[] = KINDS

  constructor(database: Database, options: TurnOptions) {
    const { statementsOfAsker: ofAsker, waitingOfAsker: waiting, databaseMs: waitMs } = HOSTING_LIMITS
    this.#database = database
    this.#options = { ofAsker, waiting, waitMs, ...options }
    // What addresses send may wait for a lock, and holds its connection meanwhile.
    const third = Math.max(1, Math.floor(options.connections / 3))
    this.#rooms = { person: roomFor(options.connections), visitor: roomFor(third), stranger: roomFor(third) }
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
      const { [asker.kind]: room } = this.#rooms
      line.running--
      room.running--
      if (line.waiting.size > 0) room.ready.add(line)
      this.#forgetIfIdle(line)
      this.#beginNext()
    }
  }

  #forgetIfIdle({ asker: { kind, name }, running, waiting }: Line): void {
    if (running === 0 && waiting.size === 0) this.#rooms[kind].lines.delete(name)
  }

  #turnOf(asker: Asker): Promise<Line> {
    const { lines, ready } = this.#rooms[asker.kind]
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
        if (line.waiting.size === 0) ready.delete(line)
        this.#forgetIfIdle(line)
        reject(databaseBusy())
      }, this.#options.waitMs)
      line.waiting.add(begin)
      if (line.running < this.#options.ofAsker) ready.add(line)
      this.#beginNext()
    })
  }

  #beginNext(): void {
    for (let kind = this.#nextKind(); kind !== undefined; kind = this.#nextKind()) {
      const { [kind]: room } = this.#rooms
      const [line] = room.ready
      const [begin] = line?.waiting ?? []
      if (line === undefined || begin === undefined) return
      this.#order = [...this.#order.filter((each) => each !== kind), kind]
      room.running++
      line.running++
      line.waiting.delete(begin)
      room.ready.delete(line)
      // Behind all others.
      if (line.waiting.size > 0 && line.running < this.#options.ofAsker) room.ready.add(line)
      begin()
    }
  }

  #nextKind(): Kind | undefined {
    const { person, visitor, stranger } = this.#rooms
    if (person.running + visitor.running + stranger.running >= this.#options.connections) return undefined
    return this.#order.find(
      (kind) => this.#rooms[kind].ready.size > 0 && this.#rooms[kind].running < this.#rooms[kind].most,
    )
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
