// Text ⇄ frames. Decoding builds the frame from its declared fields only, so nothing unexpected travels inward; unknown fields are
// ignored (behaviour 13), but for those of rows that a client gives us to keep (behaviour 17).
import * as z from 'zod/mini'
import { type ClientFrame, clientFrame, type Frame, type ServerFrame, serverFrame, WIRE_LIMITS } from './frames.ts'

// An optional field that is `null` or empty counts as absent (behaviour 12): many languages write those for "nothing".

type Schema = z.core.$ZodType & { readonly _zod: { readonly def: z.core.$ZodTypeDef & Partial<Definition> } }

/** What is looked at in the definitions of objects, arrays and optional fields. */
interface Definition {
  readonly shape: Readonly<Record<string, Schema>>
  readonly element: Schema
  readonly innerType: Schema
}

/** Takes such fields out of `value`, which has just been parsed and belongs to no one else, and out of what is in it. */
function dropAbsent(value: unknown, schema: z.core.$ZodType): void {
  const { shape, element, innerType } = (schema as Schema)._zod.def
  if (innerType) return dropAbsent(value, innerType)
  if (typeof value !== 'object' || value === null) return
  if (element && Array.isArray(value)) for (const item of value) dropAbsent(item, element)
  if (shape && !Array.isArray(value)) dropFields(value as Record<string, unknown>, shape)
}

function dropFields(object: Record<string, unknown>, shape: Definition['shape']): void {
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(shape, name)) continue
    const schema = shape[name] as Schema
    const value = object[name]
    const isOptional = schema._zod.optin !== undefined
    if (isOptional && (value === null || value === '')) delete object[name]
    else if (typeof value === 'object') dropAbsent(value, schema)
  }
}

export type Decoded<F> =
  /** `setAside`: rows that could not be read and are not in the frame, by what names them. */
  | { readonly ok: true; readonly frame: F; readonly setAside?: readonly string[] }
  /** `id` is the frame's, where it had one that can be answered. */
  | { readonly ok: false; readonly error: string; readonly t?: string; readonly id?: string }

export function decodeClientFrame(text: string): Decoded<ClientFrame> {
  return decode(text, clientFrame, { shortcut: plainExec, tidy: dropAbsentOf })
}

/** A row that cannot be read does not take the others with it. */
export function decodeServerFrame(text: string): Decoded<ServerFrame> {
  return decode(text, serverFrame, { repair: withoutBadRows })
}

const serverSchemas = new Map(serverFrame.def.options.map((schema) => [schema.shape.t.def.values[0] as string, schema]))

/** @returns undefined where rows are not all that is wrong */
function withoutBadRows(value: unknown): Partly<ServerFrame> | undefined {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  const schema = typeof fields.t === 'string' ? serverSchemas.get(fields.t) : undefined
  if (schema === undefined) return undefined
  const setAside: string[] = []
  const kept = Object.entries(fields).map(([name, rows]) => {
    const row = Object.hasOwn(schema.shape, name) ? rowSchema((schema.shape as Schemas)[name]) : undefined
    if (row === undefined || !Array.isArray(rows)) return [name, rows]
    const isReadable = (each: unknown, index: number) => {
      const isFine = z.safeParse(row, each).success
      if (!isFine) setAside.push(rowName(name, each, index))
      return isFine
    }
    return [name, rows.filter(isReadable)]
  })
  const result = setAside.length === 0 ? undefined : serverFrame.safeParse(Object.fromEntries(kept))
  return result?.success === true ? { frame: result.data, setAside } : undefined
}

type Schemas = Readonly<Record<string, z.core.$ZodType>>

/** Of a field that is a list, of whatever it is a list. */
function rowSchema(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodMiniExactOptional) return rowSchema(schema.def.innerType)
  return schema instanceof z.ZodMiniArray ? schema.def.element : undefined
}

/** Controls, line breaks, bidi marks and lone surrogates: what a person reads is one plain line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const MAX_NAME = 40
const NAMING = ['symbol', 'name', 'account', 'id', 'runId', 'hookId', 'configId'] as const

/** `orders: BTCUSDT p17`, `candles: #3`. */
function rowName(list: string, row: unknown, index: number): string {
  const fields = (typeof row === 'object' && row !== null ? row : {}) as Readonly<Record<string, unknown>>
  const names = NAMING.flatMap((field) => {
    const text = fields[field]
    return typeof text === 'string' && text !== '' ? [text.replace(UNPRINTABLE, ' ').slice(0, MAX_NAME)] : []
  })
  return `${list}: ${names.length === 0 ? `#${index + 1}` : names.slice(0, 2).join(' ')}`
}

const clientSchemas = new Map(clientFrame.def.options.map((schema) => [schema.shape.t.def.values[0] as string, schema]))

function dropAbsentOf(value: unknown): void {
  const t = (value as { t?: unknown } | null)?.t
  const schema = typeof t === 'string' ? clientSchemas.get(t) : undefined
  if (schema) dropAbsent(value, schema)
}

export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  return JSON.stringify(frame)
}

/**
 * A `cmd:exec` with nothing but an id, a command and its latest time, which nearly all frames of a client are: the schema finds the same in ten times the
 * time (quality/bench/exec). @returns undefined: the schema decides
 */
function plainExec(value: unknown): Frame<'cmd:exec'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { t, id, command, latest } = value as Readonly<Record<string, unknown>>
  if (t !== 'cmd:exec' || !isText(id, WIRE_LIMITS.idLength) || !isText(command, WIRE_LIMITS.commandLength))
    return undefined
  for (const name in value)
    if (name !== 't' && name !== 'id' && name !== 'command' && name !== 'latest') return undefined
  if (latest === undefined) return { t, id, command }
  return isTime(latest) ? { t, id, command, latest } : undefined
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 8.64e15
}

interface Partly<F> {
  readonly frame: F
  readonly setAside: readonly string[]
}

interface Direction<F> {
  readonly shortcut?: (value: unknown) => F | undefined
  readonly tidy?: (value: unknown) => void
  readonly repair?: (value: unknown) => Partly<F> | undefined
}

function decode<F>(text: string, schema: z.ZodMiniType<F>, { shortcut, tidy, repair }: Direction<F> = {}): Decoded<F> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The engine's message would quote the sender's text back; the sender knows what it sent.
    return { ok: false, error: 'the frame is not JSON' }
  }
  const frame = shortcut?.(value)
  if (frame !== undefined) return { ok: true, frame }
  tidy?.(value)
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, frame: result.data }
  const partly = repair?.(value)
  if (partly !== undefined) return { ok: true, ...partly }
  return { ok: false, error: describe(result.error.issues[0], value), ...answerable(value) }
}

/** `t` and `id` of a frame that could not be decoded, as far as they are usable. */
function answerable(value: unknown): { t?: string; id?: string } {
  if (typeof value !== 'object' || value === null) return {}
  const { t, id } = value as { t?: unknown; id?: unknown }
  const usable = typeof id === 'string' && id.length > 0 && id.length <= WIRE_LIMITS.idLength
  return { ...(typeof t === 'string' ? { t } : {}), ...(usable ? { id } : {}) }
}

/** One line that names the field and what it must be, and never its value. */
function describe(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the frame is not an object'
  if (!issue) return 'the frame is not valid'
  if (issue.code === 'invalid_union' && issue.path.join('.') === 't')
    return 'unknown frame: `t` is not a frame of this direction'
  return `\`${issue.path.join('.') || 't'}\` ${requirement(issue)}`
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'invalid_format':
      return issue.format === 'regex' ? issue.message : `must be a ${issue.format}`
    case 'custom':
      return issue.message
    default:
      return 'is not valid'
  }
}
