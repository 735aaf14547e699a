// The vectors that any client or listener can be run against, and the table of frames of the Python client, come from the frames themselves.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { CLIENT_SAMPLES, SERVER_SAMPLES, whole } from '../../harness/wire/frame-samples.ts'
import type { Sample } from '../../harness/wire/sample.ts'
import { decodeClientFrame, decodeServerFrame } from '../../src/protocol/decode.ts'
import { CLOSE_CODES, clientFrame, WIRE_LIMITS } from '../../src/protocol/frames.ts'

const ROOT = join(import.meta.dirname, '../..')

type Fields = Record<string, unknown>

/** With all that it must have, and with all that it may have. */
const validFrames = (samples: Readonly<Record<string, Sample>>): Fields[] =>
  Object.entries(samples).flatMap(([t, sample]) =>
    sample.optional === undefined ? [{ t, ...sample.required }] : [{ t, ...sample.required }, whole([t, sample])],
  )

/** Without each field that it must have, and with each of another kind. */
const invalidFrames = (samples: Readonly<Record<string, Sample>>): Fields[] =>
  Object.entries(samples).flatMap(([t, { required }]) =>
    Object.entries(required).flatMap(([field, value]) => {
      const { [field]: _missing, ...rest } = required
      return [
        { t, ...rest },
        { t, ...required, [field]: typeof value === 'number' ? 'text' : 7 },
      ]
    }),
  )

const vectors = {
  client: { valid: validFrames(CLIENT_SAMPLES), invalid: invalidFrames(CLIENT_SAMPLES) },
  server: { valid: validFrames(SERVER_SAMPLES), invalid: invalidFrames(SERVER_SAMPLES) },
}

/** One frame a line. */
function linesOf(frames: readonly Fields[]): string {
  return `[\n${frames.map((frame) => `    ${JSON.stringify(frame)}`).join(',\n')}\n  ]`
}

describe('conformance/frames.json', () => {
  it('has each frame, sound and broken, as the frame table has it (npx vitest -u writes it)', async () => {
    const text = Object.entries(vectors).map(
      ([side, { valid, invalid }]) =>
        `"${side}": {\n  "valid": ${linesOf(valid)},\n  "invalid": ${linesOf(invalid)}\n}`,
    )
    await expect(`{${text.join(',\n')}}\n`).toMatchFileSnapshot('../../conformance/frames.json')
  })

  it.each(vectors.client.valid)('of a client is taken: %j', (frame) => {
    expect(decodeClientFrame(JSON.stringify(frame)).ok).toBe(true)
  })
  it.each(vectors.client.invalid)('of a client is refused: %j', (frame) => {
    expect(decodeClientFrame(JSON.stringify(frame)).ok).toBe(false)
  })
  it.each(vectors.server.valid)('of hookline is taken: %j', (frame) => {
    expect(decodeServerFrame(JSON.stringify(frame)).ok).toBe(true)
  })
  it.each(vectors.server.invalid)('of hookline is refused: %j', (frame) => {
    expect(decodeServerFrame(JSON.stringify(frame)).ok).toBe(false)
  })
})

interface Close {
  readonly code: number
  readonly becomes: string
}

describe('conformance/client.json', () => {
  const { closes } = JSON.parse(readFileSync(join(ROOT, 'conformance/client.json'), 'utf8'))

  it('has each close code of hookline, with what a client does after it', () => {
    const wanted = Object.values(CLOSE_CODES).map(({ code, retry }) => [
      code,
      code === CLOSE_CODES.denied.code ? 'denied' : retry === 'never' ? 'stopped' : 'retrying',
    ])
    const known = closes.map(({ code, becomes }: Close) => [code, becomes])
    expect(known).toEqual([...wanted, [4999, 'retrying']])
  })
})

interface Definition {
  readonly type: string
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
}

const definitionOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition

/** What a value may be, by Python's own names. */
function kindsOf(schema: z.core.$ZodType): string[] {
  const { type, innerType, in: source, out: target } = definitionOf(schema)
  if (innerType) return kindsOf(innerType)
  if (source && target) {
    const kinds = kindsOf(definitionOf(source).type === 'transform' ? target : source)
    // A time may be ISO text as well.
    return kinds.includes('int') ? [...kinds, 'str'] : kinds
  }
  if (type === 'number') return ['int', 'float']
  return [{ boolean: 'bool', array: 'list', object: 'dict' }[type] ?? 'str']
}

describe('clients/python/hookline_wire.py', () => {
  it('has the frames of a client, the close codes and the limits (npx vitest -u writes it)', async () => {
    const frames = clientFrame.def.options.map((frame) => {
      const fields = Object.entries(frame.shape as Record<string, z.core.$ZodType>).filter(([name]) => name !== 't')
      const listed = fields.map(
        ([name, schema]) => `"${name}${schema._zod.optin === undefined ? '' : '?'}": "${kindsOf(schema).join(' ')}"`,
      )
      return `    "${frame.shape.t.def.values[0]}": {${listed.join(', ')}},`
    })
    const codes = Object.values(CLOSE_CODES).map(({ code, retry }) => `    ${code}: "${retry}",`)
    const limits = Object.entries(WIRE_LIMITS).map(([name, limit]) => `    "${name}": ${limit},`)
    const text = [
      '"""Written from the frame table of hookline: `npx vitest run --project unit test/conformance -u`."""',
      '',
      '#: What a client sends: its fields, `?` behind those that may be absent, and their types.',
      'CLIENT_FRAMES = {',
      ...frames,
      '}',
      '',
      '#: Close code: whether a client connects again by itself, "later" or "never".',
      'CLOSE_CODES = {',
      ...codes,
      '}',
      '',
      '#: Sizes in bytes, lengths in UTF-16 units, times in ms.',
      'LIMITS = {',
      ...limits,
      '}',
      '',
    ].join('\n')
    await expect(text).toMatchFileSnapshot('../../clients/python/hookline_wire.py')
  })
})
