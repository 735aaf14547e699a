// Optional fields of what a client sends (behaviour 12): what is nothing counts as absent, and a label is cut.
import { describe, expect, it } from 'vitest'
import { CLIENT_SAMPLES, key, nonce, whole } from '../../harness/wire/frame-samples.ts'
import { decodeClientFrame } from '../../src/protocol/decode.ts'
import type { ClientFrame } from '../../src/protocol/frames.ts'

const clientSamples = Object.entries(CLIENT_SAMPLES)
const sampleOf = (t: ClientFrame['t']) => whole([t, CLIENT_SAMPLES[t]])
const decodeClient = (value: unknown) => decodeClientFrame(JSON.stringify(value))

/** Every optional field of a frame, also of the rows in it. */
const OPTIONAL: readonly (readonly [t: ClientFrame['t'], path: readonly string[]])[] = [
  ...clientSamples.flatMap(([t, { optional = {} }]) =>
    Object.keys(optional).map((field) => [t as ClientFrame['t'], [field]] as const),
  ),
  ['hello', ['key']],
  ['mutate:account', ['account', 'apiKey']],
  ['mutate:account', ['account', 'secret']],
  ['mutate:cross-trade-config', ['config', 'masterSymbol']],
  ['mutate:cross-trade-config', ['config', 'copiers', '1', 'symbol']],
  ['mutate:cross-trade-config', ['config', 'copiers', '1', 'slippage']],
]

/** A copy of the frame with another value at the end of the path; undefined: without it. */
function withValue(frame: object, path: readonly string[], value: unknown): object {
  const copy = structuredClone(frame)
  const parent = path
    .slice(0, -1)
    .reduce<object>((inner, field) => (inner as Record<string, object>)[field] ?? {}, copy)
  if (value === undefined) delete (parent as Record<string, unknown>)[path.at(-1) as string]
  else (parent as Record<string, unknown>)[path.at(-1) as string] = value
  return copy
}

describe('an optional field', () => {
  it.each(OPTIONAL)('of %s that is null or empty counts as absent: %s', (t, path) => {
    const absent = decodeClient(withValue(sampleOf(t), path, undefined))
    expect(absent.ok).toBe(true)
    for (const nothing of [null, '']) {
      const decoded = decodeClient(withValue(sampleOf(t), path, nothing))
      expect(decoded).toEqual(absent)
      // `toEqual` takes a field that is undefined for absent; whoever spreads the frame would not.
      if (decoded.ok) expect(Object.values(decoded.frame)).not.toContain(undefined)
    }
  })

  it('is a label that is cut at 200 characters, and never through the middle of one', () => {
    const labelOf = (label: string) => {
      const decoded = decodeClient({ t: 'hello', clientId: 'tab', label })
      return decoded.ok && decoded.frame.t === 'hello' ? decoded.frame.label : undefined
    }
    expect(labelOf('x'.repeat(200))).toBe('x'.repeat(200))
    expect(labelOf('x'.repeat(201))).toBe('x'.repeat(200))
    expect(labelOf(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199))
  })

  it('is a key that comes with its nonce', () => {
    expect(decodeClient({ t: 'hello', clientId: 'tab', key, nonce })).toMatchObject({ ok: true, frame: { key, nonce } })
  })
})
