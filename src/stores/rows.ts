// Files that hold rows: `{hooks: […]}`. A row that is not valid never takes the good ones with it (behaviour 22): it stays in
// the file where it is, is not used, and is named. Hex of any case, times as ISO text, and `null` for what may be absent are
// read; a row that no update touches is written as it was found.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { hex32, time, timeOf } from '../protocol/rows.ts'
import { createJsonFile, type FileState, type JsonFileOptions, stateOf, updateReturning } from './json-file.ts'
import { StoreError } from './store-error.ts'

type Fields = Readonly<Record<string, unknown>>

/** A row that is not used, and where it is: between these valid rows, before `index` of them. */
interface Aside {
  readonly row: unknown
  readonly index: number
  readonly before: unknown
  readonly after: unknown
}

/**
 * How a file with rows under `key` is read and written: spread it into the options of `createJsonFile`. In memory the file
 * has its valid rows only.
 * @param isSound tells of a row, much faster than the schema, that it is valid and in our own spelling; where it does not, the schema decides
 * @param schemaOf makes a `z.looseObject`, at the first content; fields that are `time` or `hex32` are read in their other
 *   spellings too, and `null` in a field that may be absent as absent
 */
export function rowsUnder<K extends string, Row extends object, File extends { readonly [key in K]: readonly Row[] }>(
  key: K,
  schemaOf: () => RowSchema,
  isSound: (row: unknown) => boolean = () => false,
): Pick<JsonFileOptions<File>, 'parse' | 'write' | 'readsBack'> {
  // Most starts find few of the files: what checks the others is not made.
  const checks = once(() => {
    const schema = schemaOf()
    const [respell, leaveOut] = [normaliserOf(schema), nullsLeftOut(schema)]
    const normalise = (row: unknown) => leaveOut(respell(row))
    return { whole: z.looseObject({ [key]: z.array(z.unknown()) }), schema, normalise }
  })
  /** Of each content read: the rows that are not in it. */
  const asideOf = new WeakMap<object, readonly Aside[]>()
  /** Of each row that is spelled otherwise in the file. */
  const asWritten = new WeakMap<object, unknown>()
  /** Rows as a file gave them: what is written of them is read back as they are. */
  const read = new WeakSet<object>()

  /** @returns the row as reading gives it; undefined: another one, or none */
  function readBack(row: Row): Row | undefined {
    if (read.has(row)) return row
    const { schema, normalise } = checks()
    const back: unknown = JSON.parse(JSON.stringify(row))
    if (normalise(back) !== back || !z.safeParse(schema, back).success) return undefined
    read.add(back as Row)
    return back as Row
  }

  return {
    parse(value, setAside) {
      const { whole, schema, normalise } = checks()
      z.parse(whole, value)
      const content = value as Fields & { readonly [key in K]: readonly unknown[] }
      const rows: unknown[] = []
      const aside: Pick<Aside, 'row' | 'index'>[] = []
      for (const [index, written] of content[key].entries()) {
        if (isSound(written)) {
          rows.push(written)
          continue
        }
        const row = normalise(written)
        const result = z.safeParse(schema, row)
        if (result.success) {
          rows.push(row)
          if (row !== written) asWritten.set(row as object, written)
        } else {
          aside.push({ row: written, index: rows.length })
          setAside(placed(result.error, [key, index]))
        }
      }
      for (const row of rows) read.add(row as Row)
      const usable = { ...content, [key]: rows } as unknown as File
      if (aside.length > 0) {
        const placed = aside.map((one) => ({ ...one, before: rows[one.index - 1], after: rows[one.index] }))
        asideOf.set(usable, placed)
      }
      return usable
    },
    write(next, current) {
      const aside = asideOf.get(current)
      const rows = aside === undefined ? next[key] : withAside<unknown>(next[key], aside)
      return { ...next, [key]: rows.map((row) => asWritten.get(row as object) ?? row) }
    },
    readsBack(next, current) {
      const others = Object.keys(next).filter((field) => field !== key)
      const areSame = others.every((field) => (next as Fields)[field] === (current as Fields)[field])
      if (asideOf.has(current) || !areSame) return undefined
      const rows: Row[] = []
      for (const row of next[key]) {
        const back = readBack(row)
        if (back === undefined) return undefined
        rows.push(back)
      }
      return { ...next, [key]: rows }
    },
  }
}

/** Each row that is not used goes before the row that it was before, else after the one it was after, else where it was. */
function withAside<Row>(rows: readonly Row[], aside: readonly Aside[]): Row[] {
  const indexOf = new Map<unknown, number>(rows.map((row, index) => [row, index]))
  const gaps = new Map<number, unknown[]>()
  for (const { row, index, before, after } of aside) {
    const behind = indexOf.get(before)
    const gap = indexOf.get(after) ?? (behind === undefined ? Math.min(index, rows.length) : behind + 1)
    const there = gaps.get(gap)
    if (there === undefined) gaps.set(gap, [row])
    else there.push(row)
  }
  const before = (index: number) => (gaps.get(index) ?? []) as Row[]
  return [...rows.flatMap((row, index) => [...before(index), row]), ...before(rows.length)]
}

/** Makes a `parse` for a file that is one record, with the spellings that rows may have. */
export function recordOf<T extends object>(schema: RowSchema): (value: unknown) => T {
  const checks = once(() => normaliserOf(schema))
  return (value) => {
    const normalise = checks()
    const record = normalise(value)
    z.parse(schema, record)
    return record as T
  }
}

function once<R extends object>(make: () => R): () => R {
  let made: R | undefined
  return () => {
    made ??= make()
    return made
  }
}

type RowSchema = z.ZodMiniObject<z.core.$ZodShape, z.core.$loose>

/** @returns what makes a record's other spellings our own; gives the same reference where there are none */
function normaliserOf(schema: RowSchema): (record: unknown) => unknown {
  const spelled = Object.entries(schema.def.shape).flatMap(([field, type]) => {
    const inner = innerOf(type)
    if (inner === time) return [[field, timeOf] as const]
    return inner === hex32 ? [[field, lowerCased] as const] : []
  })
  return (record) => {
    if (typeof record !== 'object' || record === null) return record
    const fields = record as Fields
    const changes = spelled.flatMap(([field, read]) => {
      const written = Object.hasOwn(fields, field) ? fields[field] : undefined
      const value = typeof written === 'string' ? read(written) : written
      return value === written ? [] : [[field, value] as const]
    })
    return changes.length === 0 ? record : { ...fields, ...Object.fromEntries(changes) }
  }
}

/** @returns what leaves out a row's fields that may be absent and are `null`; gives the same reference where there are none */
function nullsLeftOut(schema: RowSchema): (row: unknown) => unknown {
  const optional = new Set(
    Object.entries(schema.def.shape).flatMap(([field, type]) => (innerOf(type) === type ? [] : field)),
  )
  const isLeftOut = ([field, value]: readonly [string, unknown]) => value === null && optional.has(field)
  return (row) => {
    if (typeof row !== 'object' || row === null) return row
    const fields = Object.entries(row)
    return fields.some(isLeftOut) ? Object.fromEntries(fields.filter((field) => !isLeftOut(field))) : row
  }
}

function innerOf(type: z.core.$ZodType): z.core.$ZodType {
  return type instanceof z.ZodMiniExactOptional ? type.def.innerType : type
}

function lowerCased(text: string): string {
  return text.toLowerCase()
}

/** The error as one of the whole file. */
function placed(error: z.core.$ZodError, at: readonly PropertyKey[]): z.core.$ZodError {
  return new $ZodError(error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })))
}

// How much pages and hooks may keep here (behaviour 141): every edit writes the whole file. Rows that people put into a file are not
// counted against anyone; once there are as many, only people add more.

export const ROW_LIMITS = {
  /** Deleted ones too, for the 30 days that they stay. */
  accounts: 500,
  /** Deleted ones too. */
  crossTrade: 500,
  hooks: 1_000,
  variables: 1_000,
  /** Of one account or cross-trade row as JSON, in UTF-16 units. */
  rowLength: 16_384,
} as const

/** @throws {StoreError} `too-many` */
export function requireRoom(count: number, max: number, noun: string): void {
  if (count < max) return
  throw new StoreError(
    'too-many',
    `there are ${count} ${noun} already, and pages and hooks may add none beyond ${max}`,
    {
      hint: 'remove some, or add it in the terminal',
    },
  )
}

/** @throws {StoreError} `invalid-value` */
export function requireShortRow(row: object): void {
  if (JSON.stringify(row).length <= ROW_LIMITS.rowLength) return
  throw new StoreError('invalid-value', `the row is longer than ${ROW_LIMITS.rowLength} characters`, {
    hint: 'leave out what hookline does not need',
  })
}

// Rows that several machines edit (behaviour 23, 24): the last write wins, and a delete stays as a tombstone for
// a while, else an older edit from elsewhere would bring the row back.

/** What a row must carry for that. Times in ms since the epoch. */
interface Edited {
  readonly updatedAt: number
  /** Set on tombstones. */
  readonly deletedAt?: number
}

/** Tombstones older than this, in ms, are dropped at the next write. */
const TOMBSTONE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

export function isLive(row: Edited): boolean {
  return row.deletedAt === undefined
}

/** On strictly greater `updatedAt` only: of two edits at the same time the first remains (behaviour 124). */
export function isNewer(row: Edited, stored: Edited): boolean {
  return row.updatedAt > stored.updatedAt
}

/** When an edit made here happens: `at`, or just after what is stored, so that it wins over a clock that runs ahead. */
export function editedAt(at: number, stored: Edited | undefined): number {
  return stored === undefined ? at : Math.max(at, stored.updatedAt + 1)
}

/** `rows` with `row` in the place of those it replaces, and without tombstones that have served their time at `now`. */
export function withRow<Row extends Edited>(
  rows: readonly Row[],
  { row, replaces, now }: { readonly row: Row; readonly replaces: (other: Row) => boolean; readonly now: number },
): readonly Row[] {
  const oldest = now - TOMBSTONE_LIFE_MS
  const kept = rows.filter((other) => (other.deletedAt ?? oldest) >= oldest && !replaces(other))
  return [...kept, row]
}

// Finds the one row meant by a whole id, by its beginning (behaviour 127) or by its name.

/** Behaviour 127. */
export const MIN_PREFIX_LENGTH = 8

interface IdPrefixQuery<Row> {
  /** A whole id of any length, at least 8 characters of its beginning, or a whole name in any case. */
  readonly prefix: string
  readonly idOf: (row: Row) => string
  /** Absent for rows that are not found by name. */
  readonly nameOf?: (row: Row) => string
  /** What a row is called in errors: `hook`. */
  readonly noun: string
}

/**
 * A whole id always finds its own row, so that no name can keep an id from working. A name that is also the beginning of another row's
 * id finds neither.
 * @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found`
 */
export function findByIdPrefix<Row>(rows: readonly Row[], { prefix, idOf, nameOf, noun }: IdPrefixQuery<Row>): Row {
  const whole = rows.find((row) => idOf(row) === prefix)
  if (whole !== undefined) return whole
  const isLong = prefix.length >= MIN_PREFIX_LENGTH
  const name = nameKey(prefix)
  const isNamed = (row: Row) => nameOf !== undefined && nameKey(nameOf(row)) === name
  const [first, ...others] = rows.filter((row) => isNamed(row) || (isLong && idOf(row).startsWith(prefix)))
  if (first !== undefined && others.length === 0) return first
  if (first !== undefined) {
    const what = nameOf === undefined ? 'ids that begin with' : 'an id that begins with, or the name,'
    throw new StoreError('ambiguous', `${others.length + 1} ${noun}s have ${what} \`${prefix}\``, {
      hint: nameOf === undefined ? 'give more characters' : 'give more characters of the id',
    })
  }
  const named = nameOf === undefined ? '' : ', and none has that name'
  if (isLong) throw new StoreError('not-found', `no ${noun} has an id that begins with \`${prefix}\`${named}`)
  if (nameOf !== undefined && !MAY_BE_ID.test(prefix)) {
    throw new StoreError('not-found', `no ${noun} is named \`${prefix}\``, {
      hint: `give its name, or at least ${MIN_PREFIX_LENGTH} characters of its id`,
    })
  }
  if (nameOf === undefined) {
    throw new StoreError('prefix-too-short', `\`${prefix}\` is too short for the id of a ${noun}`, {
      hint: `give at least ${MIN_PREFIX_LENGTH} characters`,
    })
  }
  throw new StoreError('prefix-too-short', `no ${noun} is named \`${prefix}\`, and it is too short for an id`, {
    hint: `give the name, or at least ${MIN_PREFIX_LENGTH} characters of the id`,
  })
}

/** What an id may begin with. */
const MAY_BE_ID = /^[0-9a-f-]*$/i

/** Names that read alike are one: case and how accents are composed do not count. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

// A file of `name: text` pairs: `vars.json` and `aliases.json`.

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
