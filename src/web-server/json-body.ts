// Reads a small JSON body. Its length must be said beforehand: too large a body is then refused before any of it is read, and
// node:http holds the sender to what it said.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type * as z from 'zod/mini'
import { WEB_SERVER_LIMITS } from './web-server-limits.ts'

/** @throws {HTTPException} 415, 411, 413 or 400, with a line for the sender that repeats nothing it sent */
export async function readJsonBody<T>(context: Context, schema: z.ZodMiniType<T>): Promise<T> {
  const length = context.req.header('content-length')
  if (!/^application\/json *(;|$)/i.test(context.req.header('content-type') ?? ''))
    throw new HTTPException(415, { message: 'Content-Type must be application/json' })
  if (length === undefined) throw new HTTPException(411, { message: 'Content-Length is missing' })
  if (Number(length) > WEB_SERVER_LIMITS.bodyBytes)
    throw new HTTPException(413, { message: `the body is over ${WEB_SERVER_LIMITS.bodyBytes} bytes` })
  const result = schema.safeParse(parseJson(await readBytes(context)))
  if (result.success) return result.data
  const field = result.error.issues[0]?.path[0]
  throw new HTTPException(400, {
    message: field === undefined ? 'missing or unexpected fields' : `\`${String(field)}\` is not valid`,
  })
}

async function readBytes(context: Context): Promise<ArrayBuffer> {
  try {
    return await context.req.arrayBuffer()
  } catch (cause) {
    throw new HTTPException(400, { message: 'the body is incomplete', cause })
  }
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), refusePrototype)
  } catch (cause) {
    throw new HTTPException(400, { message: 'the body is not JSON', cause })
  }
}

/** A schema passes over such a key in silence, and no honest client sends one. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a key is __proto__')
  return value
}
