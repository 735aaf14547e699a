// Which version of its format a file is in, and how an older one becomes today's (behaviour 22). The shapes that
// other programs know have no `version`: a file without one is version 1, and version 1 is written without one.
import * as z from 'zod/mini'
import { checkShape, type Decoded, type JsonContent, type JsonFault, type Parse, readJson } from './json-fault.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Makes content of one version into that of the next. Gets what `JSON.parse` gave, unchecked; keeps what it does not know;
 * may throw where the content cannot be understood, without quoting any of it. `version` itself is not its business.
 */
export type Migration = (content: Fields) => Fields

export interface FileFormat<T> {
  readonly parse: Parse<T>
  /** Written by this hookline. Default 1. */
  readonly version?: number
  /** The first makes version 2 of version 1; one for each version after the first. Default: none. */
  readonly migrate?: readonly Migration[]
}

export type DecodedFile<T> = Decoded<T> & {
  /** As the file says; undefined where that cannot be told. */
  readonly version?: number
}

/** Never throws. An older file is migrated in memory; a newer one is read as if it were of today's version. */
export function decodeFile<T>(
  bytes: Uint8Array,
  { parse, version: ours = 1, migrate = [] }: FileFormat<T>,
): DecodedFile<T> {
  const content = readJson(bytes)
  if ('fault' in content) return content
  const found = checkShape(content, versionOf)
  if ('fault' in found) return found
  const version = found.value
  const current = version < ours ? migrated(content, version, ours, migrate) : content
  return { ...('fault' in current ? current : checkShape(current, parse)), version }
}

/** What is written for `content`: from version 2 on with a `version`, in its old place or else in front. */
export function withVersion(content: unknown, version = 1): unknown {
  if (version === 1 || !isFields(content)) return content
  return Object.hasOwn(content, 'version') ? { ...content, version } : { version, ...content }
}

const numbered = z.looseObject({ version: z.int('must be a whole number').check(z.positive('must be positive')) })

/** Only a number is a version: in `vars.json`, `version` may be a name like any other, and what it names is a text. */
function versionOf(value: unknown): number {
  if (!isFields(value) || !Object.hasOwn(value, 'version') || typeof value.version !== 'number') return 1
  return z.parse(numbered, value).version
}

function migrated(
  { value }: JsonContent,
  from: number,
  to: number,
  migrate: readonly Migration[],
): JsonContent | { readonly fault: JsonFault } {
  // No object, and so no version but the first: the shape's check says what is wrong.
  if (!isFields(value)) return { text: undefined, value }
  try {
    const steps = migrate.slice(from - 1, to - 1)
    const content = steps.reduce((fields, step) => step(fields), value)
    return { text: undefined, value: withVersion(content, to) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown content'
    return { fault: { message: `version ${from} cannot be read as version ${to}: ${why}` } }
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
