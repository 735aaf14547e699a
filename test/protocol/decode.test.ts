import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { CLIENT_SAMPLES, combinations, key, nonce, SERVER_SAMPLES, whole } from '../../harness/wire/frame-samples.ts'
import { type Decoded, decodeClientFrame, decodeServerFrame, encodeFrame } from '../../src/protocol/decode.ts'
import { type ClientFrame, type ServerFrame, WIRE_LIMITS } from '../../src/protocol/frames.ts'

const { clientIdLength, idLength, commandLength, nameLength } = WIRE_LIMITS
const clientSamples = Object.entries(CLIENT_SAMPLES)
const serverSamples = Object.entries(SERVER_SAMPLES)
const sampleOf = (t: ClientFrame['t'], fields: object) => ({ ...whole([t, CLIENT_SAMPLES[t]]), ...fields })

const decodeClient = (value: unknown) => decodeClientFrame(JSON.stringify(value))

function refusal(value: unknown): Extract<Decoded<ClientFrame>, { ok: false }> {
  const decoded = decodeClient(value)
  if (decoded.ok) throw new Error(`accepted ${JSON.stringify(value)}`)
  return decoded
}

describe('a frame', () => {
  it.each(clientSamples.flatMap(combinations))('of a client is taken as it is: %j', (frame) => {
    const defaults = frame.t === 'hello' ? { webCrossTradeActive: false } : {}
    expect(decodeClient(frame)).toEqual({ ok: true, frame: { ...defaults, ...frame } })
  })

  it.each(serverSamples.flatMap(combinations))('of ours is taken as it is: %j', (frame) => {
    const text = encodeFrame(frame as ServerFrame)
    expect(decodeServerFrame(text)).toEqual({ ok: true, frame })
  })

  it.each([...clientSamples, ...serverSamples])('%s is taken only in its own direction', (t, sample) => {
    const text = JSON.stringify(whole([t, sample]))
    expect([decodeClientFrame(text).ok, decodeServerFrame(text).ok]).toEqual([t in CLIENT_SAMPLES, t in SERVER_SAMPLES])
  })

  it.each([...clientSamples, ...serverSamples])('%s may have fields that nobody knows, and loses them', (t, sample) => {
    const frame = whole([t, sample])
    const text = JSON.stringify({ ...frame, unknown: 1, isTrusted: true }).replace(
      '{',
      '{"__proto__":{"isTrusted":true},',
    )
    const decoded = t in CLIENT_SAMPLES ? decodeClientFrame(text) : decodeServerFrame(text)
    expect(decoded).toEqual({ ok: true, frame })
    expect(decoded.ok && 'isTrusted' in decoded.frame).toBe(false)
  })

  it('loses unknown fields of its rows too: a secret that slipped in does not travel on', () => {
    const row = { id: 'h', name: 'dip', command: 'buy', createdAt: 1 }
    const decoded = decodeServerFrame(JSON.stringify({ t: 'state:hooks', hooks: [{ ...row, secret: 's' }] }))
    expect(decoded).toEqual({ ok: true, frame: { t: 'state:hooks', hooks: [row] } })
  })
})

/** Every field with values of every wrong kind. */
const WRONG = [null, true, 1, -1, 1.5, 'text', '', [], {}, [1], { t: 'x' }] as const

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

describe('a bad field', () => {
  it.each(clientSamples.flatMap(([t, { required }]) => Object.keys(required).map((field) => [t, field] as const)))(
    '%s without `%s` is refused, and the field named',
    (t, field) => {
      const { [field]: _missing, ...frame } = sampleOf(t as ClientFrame['t'], {})
      expect(refusal(frame).error).toMatch(new RegExp(`^\`${field}\` must `))
    },
  )

  it.each(
    clientSamples.flatMap(([t, { required, optional }]) =>
      Object.entries({ ...required, ...optional }).map(([field, value]) => [t, field, value] as const),
    ),
  )('%s with `%s` of another kind is refused, and the field named', (t, field, value) => {
    const isRequired = Object.hasOwn(CLIENT_SAMPLES[t as ClientFrame['t']].required, field)
    const isWrong = (each: unknown) => kindOf(each) !== kindOf(value) && (isRequired || (each !== null && each !== ''))
    for (const wrong of WRONG.filter(isWrong)) {
      const { error } = refusal(sampleOf(t as ClientFrame['t'], { [field]: wrong }))
      expect(error, JSON.stringify(wrong)).toContain(`\`${field}\` `)
    }
  })

  it.each<[t: ClientFrame['t'], field: string, max: number]>([
    ['hello', 'clientId', clientIdLength],
    ['cmd:exec', 'id', idLength],
    ['cmd:exec', 'command', commandLength],
    ['cmd:exec', 'account', nameLength],
    ['cmd:exec', 'symbol', nameLength],
    ['mutate:account', 'id', idLength],
    ['mutate:account', 'name', nameLength],
    ['mutate:hook', 'id', idLength],
    ['mutate:hook', 'name', nameLength],
    ['mutate:hook', 'command', commandLength],
    ['mutate:hook', 'account', nameLength],
    ['mutate:hook', 'hookId', 64],
    ['mutate:cross-trade-config', 'id', idLength],
  ])('%s: `%s` has at most %i characters', (t, field, max) => {
    expect(decodeClient(sampleOf(t, { [field]: 'x'.repeat(max) })).ok).toBe(true)
    expect(refusal(sampleOf(t, { [field]: 'x'.repeat(max + 1) })).error).toBe(
      `\`${field}\` must be at most ${max} characters`,
    )
  })

  it.each<[t: ClientFrame['t'], field: string]>([
    ['hello', 'clientId'],
    ['cmd:exec', 'id'],
    ['cmd:exec', 'command'],
    ['mutate:account', 'id'],
    ['mutate:hook', 'id'],
  ])('%s: `%s` must not be empty', (t, field) => {
    expect(refusal(sampleOf(t, { [field]: '' })).error).toBe(`\`${field}\` must not be empty`)
  })

  it.each<[what: string, frame: object, error: string]>([
    ['a topic that is not a text', { t: 'subscribe', topics: ['hooks', 1] }, '`topics.1` must be of type string'],
    ['a key without a nonce', { t: 'hello', clientId: 'tab', key }, '`key` must come with `nonce`'],
    ['a nonce without a key', { t: 'hello', clientId: 'tab', nonce }, '`key` must come with `nonce`'],
    [
      'a key that is not a point of P-256',
      { t: 'hello', clientId: 'tab', nonce, key: `AA${'k'.repeat(84)}A` },
      '`key` must be a P-256 public key',
    ],
    [
      'a nonce in a second spelling',
      { t: 'hello', clientId: 'tab', key, nonce: `${'n'.repeat(42)}B` },
      '`nonce` must be 32 bytes in base64url',
    ],
    ['a signature that is too short', { t: 'proof', signature: 's'.repeat(85) }, '`signature` must be 64 bytes'],
    [
      'more topics than there can be',
      { t: 'subscribe', topics: Array(17).fill('hooks') },
      '`topics` must be at most 16',
    ],
    [
      'an operation that is none',
      sampleOf('mutate:hook', { op: 'steal' }),
      '`op` must be one of create, rotate, revoke',
    ],
    ['a time before all times', sampleOf('mutate:account', { updatedAt: -1 }), '`updatedAt` must be at least 0'],
    [
      'a time that is no time',
      sampleOf('mutate:account', { updatedAt: 'today' }),
      '`updatedAt` must be of type number',
    ],
    ['a time beyond whole numbers', sampleOf('mutate:account', { updatedAt: 2 ** 60 }), '`updatedAt` '],
    ['an id that is no UUID', sampleOf('mutate:cross-trade-config', { configId: 'x' }), '`configId` must be a uuid'],
    [
      'an account without name',
      sampleOf('mutate:account', { account: { exchange: 'paper' } }),
      '`account.name` must be of type string',
    ],
    [
      'a key that is too long',
      sampleOf('mutate:account', {
        account: { name: 'a', exchange: 'paper', secret: 'x'.repeat(WIRE_LIMITS.credentialLength + 1) },
      }),
      '`account.secret` must be at most 4096 characters',
    ],
  ])('%s is refused', (_what, frame, error) => {
    expect(refusal(frame).error).toContain(error)
  })
})

describe('what is no frame', () => {
  it.each([
    ['', 'not JSON'],
    ['hello', 'not JSON'],
    ['{', 'not JSON'],
    ['{"t":"hello"}x', 'not JSON'],
    ['\ufeff{}', 'not JSON'],
  ])('%j is refused: %s', (text, error) => {
    expect(decodeClientFrame(text)).toEqual({ ok: false, error: `the frame is ${error}` })
  })

  it.each(['null', '1', '"hello"', 'true', '[]', '[{"t":"hello","clientId":"tab"}]', '1e999'])(
    '%s is no object',
    (text) => {
      expect(decodeClientFrame(text)).toEqual({ ok: false, error: 'the frame is not an object' })
    },
  )

  it.each([
    undefined,
    '',
    'Hello',
    'hello ',
    '__proto__',
    'toString',
    'constructor',
    'hasOwnProperty',
    1,
    null,
    ['hello'],
    {},
  ])('nothing is called %j', (t) => {
    expect(refusal({ t, clientId: 'tab' }).error).toMatch(/^unknown frame/)
  })

  it('includes one whose fields are in its prototype', () => {
    expect(decodeClientFrame('{"__proto__":{"t":"hello","clientId":"tab"}}').ok).toBe(false)
    expect(decodeClientFrame('{"t":"hello","__proto__":{"clientId":"tab"}}').ok).toBe(false)
  })

  it('includes one nested deeper than anything could be', () => {
    expect(decodeClientFrame('['.repeat(100_000)).ok).toBe(false)
    expect(decodeClientFrame(`${'{"t":'.repeat(50_000)}1${'}'.repeat(50_000)}`).ok).toBe(false)
  })

  it('of two fields of one name counts the last, as JSON has it', () => {
    expect(decodeClientFrame('{"t":"hello","t":"subscribe","topics":[]}')).toMatchObject({ frame: { t: 'subscribe' } })
  })
})

describe('the answer to a bad frame', () => {
  it('can name its id and kind, where it has them', () => {
    expect(refusal({ t: 'cmd:exec', id: 'r-1' })).toMatchObject({ t: 'cmd:exec', id: 'r-1' })
    expect(refusal({ t: 'fly', id: 'r-1' })).toMatchObject({ t: 'fly', id: 'r-1' })
    expect(refusal({ t: 'hello' })).toMatchObject({ t: 'hello' })
  })

  it('names an id of 64 characters and none that is longer', () => {
    expect(refusal({ t: 'cmd:exec', id: 'x'.repeat(idLength) }).id).toBe('x'.repeat(idLength))
    expect(refusal({ t: 'cmd:exec', id: 'x'.repeat(idLength + 1) })).not.toHaveProperty('id')
  })

  it.each([1, null, '', ['r'], {}, true])('names no id that is %j', (id) => {
    expect(refusal({ t: 'cmd:exec', id })).not.toHaveProperty('id')
  })
})

const MARK = 'Zq7Xw'
const marked = fc.string({ maxLength: 300 }).map((text) => `${MARK}${text}`)
/** Any JSON that has the mark in all its texts and names. */
const markedJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    marked,
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(marked, tie('value'), { maxKeys: 3 }),
  ),
})).value
const clientTypes = Object.keys(CLIENT_SAMPLES) as ClientFrame['t'][]
const anyType = fc.constantFrom(...clientTypes, ...Object.keys(SERVER_SAMPLES))

describe('whatever comes', () => {
  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          for (const decoded of [decodeClientFrame(text), decodeServerFrame(text)]) expect(decoded.ok).toBe(false)
        },
      ),
    )
  })

  it('under a known name never throws, and only whole frames come through', () => {
    fc.assert(
      fc.property(anyType, fc.dictionary(fc.string(), fc.jsonValue()), (t, fields) => {
        const decoded = decodeClient({ ...fields, t })
        if (decoded.ok) expect(decodeClientFrame(encodeFrame(decoded.frame))).toEqual(decoded)
      }),
    )
  })

  it('is never quoted back in the error', () => {
    const broken = fc.tuple(fc.constantFrom(...clientTypes), fc.nat(), markedJson).map(([t, index, value]) => {
      const frame = sampleOf(t, {})
      const fields = Object.keys(frame)
      return { ...frame, [fields[index % fields.length] as string]: value }
    })
    let refused = 0
    fc.assert(
      fc.property(fc.oneof(broken, markedJson), (value) => {
        const decoded = decodeClient(value)
        if (decoded.ok) return
        refused++
        expect(decoded.error).not.toContain(MARK)
        expect(decoded.error).not.toContain('\n')
        expect(decoded.error.length).toBeLessThan(200)
        expect(decoded.id?.length ?? 0).toBeLessThanOrEqual(idLength)
      }),
      { numRuns: runsOf(500) },
    )
    expect(refused).toBeGreaterThan(runsOf(500) / 5)
  })

  it('is not quoted back when it is no JSON either', () => {
    fc.assert(
      fc.property(marked, (text) => {
        expect(decodeClientFrame(`{"t":${text}`)).toEqual({ ok: false, error: 'the frame is not JSON' })
      }),
    )
  })
})
