// All that hookline has promised by its answers, over all rounds, and what is found of it after each kill.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPaperAccount } from '../../../harness/files/paper-account.ts'
import type { PaperState } from '../../../src/exchanges/paper/state.ts'
import { openAccountStore } from '../../../src/stores/accounts.ts'
import { openCrossTrade } from '../../../src/stores/cross-trade.ts'
import { type Hook, openHookStore } from '../../../src/stores/hooks.ts'
import { openIdentity } from '../../../src/stores/identity.ts'
import { openTrustedClients } from '../../../src/stores/trusted-clients.ts'
import type { BrokenPromises } from './broken-promises.ts'
import { EditLedger, type StoredEdit } from './edit-ledger.ts'
import { HookLedger } from './hook-ledger.ts'
import { JournalLedger, type JournalledRound } from './journal-ledger.ts'
import { OrderLedger } from './order-ledger.ts'

export const ACCOUNTS = ['swing-0', 'swing-1', 'swing-2', 'swing-3', 'swing-4', 'swing-5']
export const CONFIGS = ACCOUNTS.map((_, index) => `b1f2c3d4-5a6b-4c7d-8e9f-00000000000${index}`)
/** Edits are dated from so long ago: hookline takes none from the future. */
const EDITS_BEGAN_MS = 100_000_000

const KNOWN_NAME =
  /^((hooks|accounts|cross-trade|trusted-clients|listener|last-seen|panic|listener-key|audit-head|console-key|practice-market|stops|tasks-driver|web-settings|paper-(paper|swing-\d))\.json(\.lock(\.removing)?)?|paper-(paper|swing-\d)\.changes-[0-9a-f]{16}\.jsonl|paper-(paper|swing-\d)\.history\.jsonl(\.1|\.lock(\.removing)?)?|(runs|run-output)\.jsonl(\.1(\.old)?|\.rotating)?|orders(-[\dTZ.-]+)?\.jsonl(\.rotating|\.lock(\.removing)?)?|equity\.jsonl(\.1|\.lock(\.removing)?)?|audit\.jsonl(\.lock(\.removing)?)?|hookline\.log)$/
const TEMPORARY_NAME = /^\.([\w-]+\.json)\.[0-9a-f]{16}\.tmp$/

/** The credentials of the edit of that time. */
export const keyOf = (updatedAt: number) => `key-${updatedAt}`
/** The weight of the edit of that time; exact in JSON. */
export const weightOf = (updatedAt: number) => updatedAt % 1_000_000_007

export class Promises {
  readonly broken: BrokenPromises
  readonly hooks: HookLedger
  readonly accounts: EditLedger
  readonly configs: EditLedger
  readonly orders: OrderLedger
  /** Fires answered 200, in all. */
  fires = 0
  /** Runs that a crash cut off and the next start told of, in all. */
  interrupted = 0
  readonly #directory: string
  readonly #journal: JournalLedger
  /** Of hooks that nobody edits, by id. */
  readonly #fixed: ReadonlyMap<string, Hook>
  readonly #isMarking: (hookId: string) => boolean
  #answered = new Set<string>()
  #listenerId: string | undefined

  /** @param fixed hooks that nobody edits */
  constructor(directory: string, fixed: readonly Hook[], broken: BrokenPromises) {
    const began = Date.now() - EDITS_BEGAN_MS
    this.#directory = directory
    this.broken = broken
    this.#fixed = new Map(fixed.map((hook) => [hook.id, hook]))
    this.#isMarking = (id) => /^(buy|sell) /.test(this.#fixed.get(id)?.command ?? '')
    this.hooks = new HookLedger(broken)
    this.accounts = new EditLedger('account', ACCOUNTS, began, broken)
    this.configs = new EditLedger('cross-trade config', CONFIGS, began, broken)
    this.orders = new OrderLedger(broken)
    this.#journal = new JournalLedger(directory, broken)
  }

  /** Mutations and orders that were confirmed, in all. */
  get acks(): number {
    return this.accounts.confirmed + this.configs.confirmed + this.hooks.confirmed + this.orders.told
  }

  /** A fire was answered 200. */
  accepted(runId: string): void {
    this.broken.expect(!this.#answered.has(runId), 'twice', `two fires were answered with run ${runId}`)
    this.#answered.add(runId)
    this.fires++
  }

  /** The registry as it is on disk now. */
  registry(): readonly Hook[] {
    return openHookStore(this.#directory).list()
  }

  /**
   * Compares the directory of a process that was killed with all that it and those before it promised.
   * @param told how many interrupted runs it printed; undefined: none
   */
  settle(pid: number, told: number | undefined): void {
    this.#settleNames()
    const round = this.#journal.take(pid)
    for (const runId of this.#answered) {
      this.broken.expect(round.started.has(runId), 'lost', `run ${runId} was answered 200 and has no start`)
    }
    this.#answered = new Set()
    this.#settleInterrupted(round, told)
    this.#settleStores(round)
  }

  #settleInterrupted({ interrupted, untold }: JournalledRound, told: number | undefined): void {
    this.interrupted += interrupted
    if (told === undefined) return
    this.broken.expect(told === interrupted, 'wrong', `${told} interrupted runs were told, ${interrupted} noted`)
    this.broken.expect(untold === 0, 'lost', `${untold} interrupted runs were not told`)
  }

  #settleStores(round: JournalledRound): void {
    const { broken } = this
    const stores = {
      hooks: openHookStore(this.#directory),
      accounts: openAccountStore(this.#directory),
      configs: openCrossTrade(this.#directory),
      clients: openTrustedClients(this.#directory),
      identity: openIdentity(this.#directory),
    }
    const found = stores.hooks.list()
    this.hooks.settle(found, ({ id }) => this.#fixed.has(id))
    for (const hook of this.#fixed.values()) {
      const row = found.find(({ id }) => id === hook.id)
      // One whose runs fail again and again pauses itself.
      const { paused: _, ...rest } = row ?? {}
      broken.expect(JSON.stringify(rest) === JSON.stringify(hook), 'lost', `hook ${hook.name} is not what it was`)
    }
    // The store's list leaves tombstones out; its file does not.
    stores.accounts.list()
    this.accounts.settle(this.#accountRows())
    this.configs.settle(configRows(stores.configs.all()))
    broken.expect(stores.clients.list().length === 1, 'lost', 'the trusted client is gone')
    this.#settlePaper(round)
    this.#settleFile('listener.json', (raw) => this.#settleIdentity(raw))
    for (const store of Object.values(stores)) {
      for (const { path, message } of store.problems()) broken.add('torn', `${path}: ${message}`)
    }
  }

  #settlePaper(round: JournalledRound): void {
    let state: PaperState | undefined
    try {
      state = readPaperAccount(this.#directory, 'paper')
    } catch (error) {
      return this.broken.add('torn', (error as Error).message)
    }
    if (state !== undefined) this.orders.settle(state, round, this.#isMarking)
  }

  #accountRows(): StoredEdit[] {
    const rows: StoredEdit[] = []
    this.#settleFile('accounts.json', (raw) => {
      for (const row of (raw as { accounts: Record<string, unknown>[] }).accounts) {
        const updatedAt = row.updatedAt as number
        const isDeleted = row.deletedAt !== undefined
        const hasContent = isDeleted ? row.apiKey === undefined : row.apiKey === keyOf(updatedAt)
        if (row.name !== 'paper') rows.push({ key: row.name as string, updatedAt, isDeleted, hasContent })
      }
    })
    return rows
  }

  #settleIdentity(raw: unknown): void {
    const { listenerId } = raw as { listenerId: string }
    this.broken.expect(listenerId === (this.#listenerId ?? listenerId), 'lost', 'the listener has another identity')
    this.#listenerId = listenerId
  }

  /** A file that may not exist yet; what cannot be read is torn. */
  #settleFile(name: string, settle: (raw: unknown) => void): void {
    const path = join(this.#directory, name)
    if (!readdirSync(this.#directory).includes(name)) return
    let raw: unknown
    try {
      raw = JSON.parse(readFileSync(path, 'utf8'))
    } catch (error) {
      return this.broken.add('torn', `${name}: ${(error as Error).message}`)
    }
    settle(raw)
  }

  /** Nothing piles up: at most one temporary file per store, and no name that nobody knows. */
  #settleNames(): void {
    const temporary = new Map<string, number>()
    for (const name of readdirSync(this.#directory)) {
      const store = TEMPORARY_NAME.exec(name)?.[1]
      if (store !== undefined) temporary.set(store, (temporary.get(store) ?? 0) + 1)
      else this.broken.expect(KNOWN_NAME.test(name), 'wrong', `a file called ${name} was left behind`)
    }
    for (const [store, count] of temporary) {
      this.broken.expect(count <= 1, 'wrong', `${store} has ${count} temporary files`)
    }
  }
}

function configRows(rows: ReturnType<ReturnType<typeof openCrossTrade>['all']>): StoredEdit[] {
  return rows.map(({ id, updatedAt, deletedAt, masterWeight, copiers }) => {
    const weight = weightOf(updatedAt)
    const isDeleted = deletedAt !== undefined
    const isWhole = masterWeight === weight && copiers.length === 1 && copiers[0]?.weight === weight
    return { key: id, updatedAt, isDeleted, hasContent: isDeleted ? copiers.length === 0 : isWhole }
  })
}
