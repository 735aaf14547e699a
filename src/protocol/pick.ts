// What of a stored row may leave: the fields that the wire names.
import * as z from 'zod/mini'
import type { RowOf } from './rows.ts'

/** What `pick` may be given: the row, and anything beside it, of values that the wire leaves open. */
type Wider<Row> = Row extends readonly (infer Item)[]
  ? readonly Wider<Item>[]
  : Row extends object
    ? { readonly [Field in keyof Row]: Wider<Row[Field]> }
    : Row

/**
 * The fields that `schema` names and nothing else (behaviour 18), in its order, undefined ones not at all. Goes into objects in arrays.
 */
export function pick<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strip>,
  row: Wider<RowOf<Shape>>,
): RowOf<Shape> {
  return picked(schema, row) as RowOf<Shape>
}

function picked(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodMiniExactOptional) return picked(schema.def.innerType, value)
  if (schema instanceof z.ZodMiniArray && Array.isArray(value)) {
    return value.map((item) => picked(schema.def.element, item))
  }
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== 'object' || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(schema.def.shape).flatMap(([field, type]) =>
      fields[field] === undefined ? [] : [[field, picked(type as z.core.$ZodType, fields[field])]],
    ),
  )
}
