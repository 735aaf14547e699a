// Files that hold rows: `{hooks: […]}`. A row that is not valid never takes the good ones with it (behaviour 22): it stays in
// the file where it is, is not used, and is named. Hex of any case and times as ISO text are read; a row that no update touches
// is written as it was found.
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { hex32, time } from '../protocol/rows.ts'
import type { JsonFileOptions } from './json-file.ts'

type Fields = Readonly<Record<string, unknown>>

interface Aside {
  readonly index: number
  readonly row: unknown
}

/**
 * How a file with rows under `key` is read and written: spread it into the options of `createJsonFile`. In memory the file
 * has its valid rows only.
 * @param schemaOf makes a `z.looseObject`, at the first content; fields that are `time` or `hex32` are read in their other
 *   spellings too
 */
export function rowsUnder<K extends string, Row extends object, File extends { readonly [key in K]: readonly Row[] }>(
  key: K,
  schemaOf: () => RowSchema,
): Pick<JsonFileOptions<File>, 'parse' | 'write'> {
  // Most starts find few of the files: what checks the others is not made.
  const checks = once(() => {
    const schema = schemaOf()
    return { whole: z.looseObject({ [key]: z.array(z.unknown()) }), schema, normalise: normaliserOf(schema) }
  })
  /** Of each content read: the rows that are not in it. */
  const asideOf = new WeakMap<object, readonly Aside[]>()
  /** Of each row that is spelled otherwise in the file. */
  const asWritten = new WeakMap<object, unknown>()

  return {
    parse(value, setAside) {
      const { whole, schema, normalise } = checks()
      z.parse(whole, value)
      const content = value as Fields & { readonly [key in K]: readonly unknown[] }
      const rows: unknown[] = []
      const aside: Aside[] = []
      for (const [index, written] of content[key].entries()) {
        const row = normalise(written)
        const result = z.safeParse(schema, row)
        if (result.success) {
          rows.push(row)
          if (row !== written) asWritten.set(row as object, written)
        } else {
          aside.push({ index, row: written })
          setAside(placed(result.error, [key, index]))
        }
      }
      const usable = { ...content, [key]: rows } as unknown as File
      if (aside.length > 0) asideOf.set(usable, aside)
      return usable
    },
    write(next, current) {
      const rows: unknown[] = next[key].map((row) => asWritten.get(row) ?? row)
      // Each in its old place, as far as there are rows before it.
      for (const { index, row } of asideOf.get(current) ?? []) rows.splice(index, 0, row)
      return { ...next, [key]: rows }
    },
  }
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

function innerOf(type: z.core.$ZodType): z.core.$ZodType {
  return type instanceof z.ZodMiniExactOptional ? type.def.innerType : type
}

/** A date and a time with its zone, as `toISOString` and most programs write it. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

function timeOf(text: string): number | string {
  const ms = ISO.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? text : ms
}

function lowerCased(text: string): string {
  return text.toLowerCase()
}

/** The error as one of the whole file. */
function placed(error: z.core.$ZodError, at: readonly PropertyKey[]): z.core.$ZodError {
  return new $ZodError(error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })))
}
