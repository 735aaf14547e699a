// A file of `name: text` pairs: `vars.json` and `aliases.json`.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { createJsonFile, type FileState, stateOf, updateReturning } from './json-file.ts'
import { requireRoom } from './rows.ts'

export interface TextMapStore extends FileState {
  /** Without a prototype: only names that were set are there, be they `constructor` or `__proto__`. */
  read(): Readonly<Record<string, string>>
  /** @param maxNames how many there may be, for a name that is new; default: any number @throws {StoreError} `too-many` */
  set(name: string, text: string, maxNames?: number): Promise<void>
  /** @returns whether it was there */
  remove(name: string): Promise<boolean>
}

/** `hook:<id>` or `page:<client id>`; undefined: the operator. */
export type NameOwner = `hook:${string}` | `page:${string}` | undefined

/** What a name of a hook or page is kept under. No name that a person can type has a `/`. */
export function ownedName(owner: NameOwner, name: string): string {
  return owner === undefined ? name : `${owner}/${name}`
}

export function readOwned(key: string): { readonly owner: NameOwner; readonly name: string } {
  const [, owner, name] = /^((?:hook|page):[^/]*)\/(.*)$/s.exec(key) ?? []
  return name === undefined ? { owner: undefined, name: key } : { owner: owner as NameOwner, name }
}

type TextMap = Readonly<Record<string, string>>

export function openTextMap(directory: string, fileName: 'vars.json' | 'aliases.json'): TextMapStore {
  const file = createJsonFile<TextMap>({ path: join(directory, fileName), parse: parseTextMap, defaults: bare({}) })
  return {
    read: file.read,
    async set(name, text, maxNames = Number.POSITIVE_INFINITY) {
      await file.update((map) => {
        if (map[name] === text) return map
        if (!Object.hasOwn(map, name)) requireRoom(Object.keys(map).length, maxNames, 'of them')
        return bare({ ...map, [name]: text })
      })
    },
    remove: (name) =>
      updateReturning(file, (map) => {
        if (!Object.hasOwn(map, name)) return [map, false]
        return [bare(Object.fromEntries(Object.entries(map).filter(([key]) => key !== name))), true]
      }),
    ...stateOf(file),
  }
}

const fileSchema = z.record(z.string(), z.string())

function parseTextMap(value: unknown): TextMap {
  z.parse(fileSchema, value)
  // zod passes over `__proto__`, which is a name like any other here.
  const { value: text = '' } = Object.getOwnPropertyDescriptor(value, '__proto__') ?? {}
  if (typeof text !== 'string') throw new Error('__proto__ must be a string')
  return bare(value as TextMap)
}

function bare(map: TextMap): TextMap {
  return Object.assign(Object.create(null), map)
}
