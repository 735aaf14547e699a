// An optional field that is `null` or empty counts as absent (behaviour 12): many languages write those for "nothing".
import type * as z from 'zod/mini'

type Schema = z.core.$ZodType & { readonly _zod: { readonly def: z.core.$ZodTypeDef & Partial<Definition> } }

/** What is looked at in the definitions of objects, arrays and optional fields. */
interface Definition {
  readonly shape: Readonly<Record<string, Schema>>
  readonly element: Schema
  readonly innerType: Schema
}

/** Takes such fields out of `value`, which has just been parsed and belongs to nobody else, and out of what is in it. */
export function dropAbsent(value: unknown, schema: z.core.$ZodType): void {
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
