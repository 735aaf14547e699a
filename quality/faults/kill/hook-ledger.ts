// The hooks that were promised. One edit at a time per hook, so that what was promised of it is never a matter of who came first.

import type { Random } from '../../../harness/random/random.ts'
import type { Hook } from '../../../src/stores/hooks.ts'
import type { BrokenPromises } from './broken-promises.ts'

export type HookEdit = 'rotate' | 'revoke'

/** An id with a token that was good once. */
export interface DeadToken {
  readonly id: string
  readonly secret: string
  /** What a fire with it is answered. */
  readonly status: 401 | 404
}

const DEAD_REMEMBERED = 100

export class HookLedger {
  readonly #broken: BrokenPromises
  readonly #hooks = new Map<string, Hook>()
  readonly #underWay = new Map<string, HookEdit>()
  /** Names of hooks being made. */
  readonly #creating = new Set<string>()
  #dead: DeadToken[] = []
  #names = 0
  #confirmed = 0

  constructor(broken: BrokenPromises) {
    this.#broken = broken
  }

  /** Edits confirmed in all, by either process. */
  get confirmed(): number {
    return this.#confirmed
  }

  get count(): number {
    return this.#hooks.size + this.#creating.size
  }

  list(): readonly Hook[] {
    return [...this.#hooks.values()]
  }

  get(id: string): Hook | undefined {
    return this.#hooks.get(id)
  }

  deadTokens(): readonly DeadToken[] {
    return this.#dead
  }

  isUnderWay(id: string): boolean {
    return this.#underWay.has(id)
  }

  /** Whether a fire with this token must be taken: the hook is as it was, and nobody is at it. */
  isGood({ id, secret }: Hook): boolean {
    return this.#hooks.get(id)?.secret === secret && !this.#underWay.has(id)
  }

  beginCreate(): string {
    const name = `random-${++this.#names}`
    this.#creating.add(name)
    return name
  }

  created(hook: Hook): void {
    this.#confirmed++
    this.#creating.delete(hook.name)
    this.#hooks.set(hook.id, hook)
  }

  /** @returns a hook that nobody is at */
  beginEdit(edit: HookEdit, random: Random): Hook | undefined {
    const hook = random.pickIfAny(this.list().filter(({ id }) => !this.#underWay.has(id)))
    if (hook) this.#underWay.set(hook.id, edit)
    return hook
  }

  rotated(hook: Hook): void {
    this.#confirmed++
    this.#replace(hook)
  }

  revoked(id: string): void {
    this.#confirmed++
    this.#remove(id)
  }

  #replace(hook: Hook): void {
    const old = this.#hooks.get(hook.id) as Hook
    this.#broken.expect(hook.secret !== old.secret, 'lost', `hook ${hook.name} was rotated and has its old token`)
    this.#underWay.delete(hook.id)
    this.#hooks.set(hook.id, hook)
    this.#bury({ id: old.id, secret: old.secret, status: 401 })
  }

  #remove(id: string): void {
    const { secret } = this.#hooks.get(id) as Hook
    this.#underWay.delete(id)
    this.#hooks.delete(id)
    this.#dead = this.#dead.filter((dead) => dead.id !== id)
    this.#bury({ id, secret, status: 404 })
  }

  #bury(dead: DeadToken): void {
    this.#dead = [...this.#dead, dead].slice(-DEAD_REMEMBERED)
  }

  /**
   * After the kill: what was confirmed must stand, what was under way may or may not have happened, and is from now on as it was found.
   * @param found the registry's rows
   * @param isForeign hooks that nobody edits
   */
  settle(found: readonly Hook[], isForeign: (hook: Hook) => boolean): void {
    const rows = new Map(found.map((hook) => [hook.id, hook]))
    for (const hook of this.list()) this.#settleHook(hook, rows.get(hook.id))
    this.#underWay.clear()
    for (const hook of found) {
      if (isForeign(hook) || this.#hooks.has(hook.id)) continue
      if (this.#creating.has(hook.name)) this.#hooks.set(hook.id, hook)
      else this.#broken.add('wrong', `hook ${hook.name} ${hook.id} has come back, or was never made`)
    }
    this.#creating.clear()
  }

  #settleHook(hook: Hook, row: Hook | undefined): void {
    const edit = this.#underWay.get(hook.id)
    if (row === undefined) {
      this.#broken.expect(edit === 'revoke', 'lost', `hook ${hook.name} is gone, and nobody revoked it`)
      return this.#remove(hook.id)
    }
    this.#broken.expect(row.name === hook.name && row.command === hook.command, 'torn', `hook ${hook.name} has changed`)
    if (row.secret === hook.secret) return
    this.#broken.expect(edit === 'rotate', 'lost', `hook ${hook.name} has another token than was confirmed`)
    this.#replace(row)
  }
}
