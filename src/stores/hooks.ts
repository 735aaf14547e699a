// `hooks.json` (behaviour 105): the registered commands and their secrets.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type HookRow, hex32, hookRow, pick, type RowOf } from '../protocol/rows.ts'
import { requireAccountName } from './account-name.ts'
import { findByIdPrefix } from './id-prefix.ts'
import { createJsonFile, type FileState, stateOf, updateReturning } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'
import { rowsUnder } from './row-file.ts'
import { requireRoom } from './row-limits.ts'
import { StoreError } from './store-error.ts'

const filled = z.string().check(z.minLength(1, 'must not be empty'))

const shape = {
  ...hookRow.shape,
  /** In the URL, not secret. */
  id: hex32,
  name: filled,
  /** The `X-Hook-Token`. */
  secret: hex32,
  command: filled,
}

/** A row of `hooks.json` (behaviour 105). Fields we do not know are kept. */
export type Hook = Readonly<RowOf<typeof shape>>

/** A hook as it may leave the process. */
export type ScrubbedHook = Readonly<HookRow>

export interface HookStore extends FileState {
  /** In the order created. None once the file was deleted. */
  list(): readonly Hook[]
  /** For the listener: O(1), one stat per event-loop turn. */
  findOncePerTurn(id: string): Hook | undefined
  /** Whether some hook has this secret; in lower case. As quick as `findOncePerTurn`. */
  isSecret(text: string): boolean
  /**
   * `name`: 1 to 64 characters, no control characters; `command`: 1 to 4096 characters.
   * @param maxHooks how many there may be; default: any number
   * @throws {StoreError} `invalid-value`; `too-many`; `already-exists` when a hook has that name in whatever case
   */
  create(
    input: { readonly name: string; readonly command: string; readonly account?: string },
    maxHooks?: number,
  ): Promise<Hook>
  /** By whole id or a prefix of at least 8 characters. @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` */
  resolve(prefix: string): Hook
  /** Gives it a new secret. @throws {StoreError} as `resolve` */
  rotate(prefix: string): Promise<Hook>
  /** @returns the hook that is gone @throws {StoreError} as `resolve` */
  revoke(prefix: string): Promise<Hook>
  /** @returns how many there were */
  revokeAll(): Promise<number>
}

interface HooksFile {
  readonly hooks: readonly Hook[]
}

export function openHookStore(directory: string, now: () => number = Date.now): HookStore {
  const file = createJsonFile<HooksFile>({
    path: join(directory, 'hooks.json'),
    ...rowsUnder<'hooks', Hook, HooksFile>('hooks', () => z.looseObject(shape)),
    defaults: { hooks: [] },
  })
  const indexOf = latestDerived(({ hooks }: HooksFile) => new Map(hooks.map((hook) => [hook.id, hook])))

  const secretsOf = latestDerived(({ hooks }: HooksFile) => new Set(hooks.map(({ secret }) => secret)))

  /** Changes the one hook meant by `prefix`; no result: removes it. */
  function changeOne(prefix: string, change: (hook: Hook) => Hook | undefined): Promise<Hook> {
    return updateReturning(file, (content) => {
      const hook = findHook(content.hooks, prefix)
      const next = change(hook)
      const hooks = content.hooks.flatMap((row) => (row.id === hook.id ? (next ?? []) : row))
      return [{ ...content, hooks }, next ?? hook]
    })
  }

  return {
    list: () => file.read().hooks,
    findOncePerTurn: (id) => indexOf(file.readOncePerTurn()).get(id),
    isSecret: (text) => secretsOf(file.readOncePerTurn()).has(text),
    async create({ name, command, account }, maxHooks = Number.POSITIVE_INFINITY) {
      requireHook(name, command, account)
      const pin = account === undefined ? {} : { account }
      const hook: Hook = { id: random32(), name, secret: random32(), command, ...pin, createdAt: now() }
      await file.update((content) => {
        requireRoom(content.hooks.length, maxHooks, 'hooks')
        refuseTakenName(content.hooks, name)
        return { ...content, hooks: [...content.hooks, hook] }
      })
      return hook
    },
    resolve: (prefix) => findHook(file.read().hooks, prefix),
    rotate: (prefix) => changeOne(prefix, (hook) => ({ ...hook, secret: random32() })),
    revoke: (prefix) => changeOne(prefix, () => undefined),
    revokeAll: () =>
      updateReturning(file, (content) => {
        const count = content.hooks.length
        return [count === 0 ? content : { ...content, hooks: [] }, count]
      }),
    ...stateOf(file),
  }
}

export function scrubHook(hook: Hook): ScrubbedHook {
  return pick(hookRow, hook)
}

function random32(): string {
  return randomBytes(16).toString('hex')
}

function findHook(hooks: readonly Hook[], prefix: string): Hook {
  return findByIdPrefix(hooks, { prefix, idOf: (hook) => hook.id, noun: 'hook' })
}

function requireHook(name: string, command: string, account: string | undefined): void {
  if (name.trim() !== name || !/^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]{1,64}$/u.test(name)) {
    throw new StoreError('invalid-value', 'that cannot be the name of a hook', {
      hint: 'use 1 to 64 characters on one line, without blanks around them',
    })
  }
  if (command.trim() === '' || command.length > 4096) {
    throw new StoreError('invalid-value', 'that cannot be the command of a hook', {
      hint: 'give a command line of 1 to 4096 characters',
    })
  }
  if (account !== undefined) requireAccountName(account)
}

function refuseTakenName(hooks: readonly Hook[], name: string): void {
  const taken = hooks.find((hook) => hook.name.toLowerCase() === name.toLowerCase())
  if (taken === undefined) return
  throw new StoreError('already-exists', `a hook named "${taken.name}" already exists`, {
    hint: `choose another name, or revoke it first: hook revoke ${taken.id.slice(0, 8)}`,
  })
}
