// The shape of a preview: that of the wire, with the line, and for `hook test` the hook and what its alert filled in.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { preview } from '../../src/protocol/preview.ts'

const shape = z.extend(preview, {
  type: z.literal('preview'),
  command: z.string(),
  hook: z.exactOptional(z.string()),
  hookId: z.exactOptional(z.string()),
  values: z.exactOptional(z.record(z.string(), z.string())),
})

export const PREVIEW_SHAPES = {
  preview: {
    /** Strict: reading drops no field. */
    parse(value: unknown): unknown {
      const read = shape.parse(value)
      if (!isDeepStrictEqual(read, value)) throw new Error(`fields that no preview has: ${JSON.stringify(value)}`)
      return read
    },
  },
} as const
