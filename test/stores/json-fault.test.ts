import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { runsOf } from '../../harness/tiers/runs.ts'
import { checkedBy, decodeJson } from '../../src/stores/json-decode.ts'

const schema = z.looseObject({
  hooks: z.array(z.looseObject({ id: z.string().check(z.minLength(2, 'is too short')), at: z.number() })),
})
const parse = checkedBy(schema)

test.each([
  ['', 1, 'is empty'],
  ['\n\n', 1, 'is empty'],
  ['{\n  "hooks": []\n  "x": 1\n}', 3, 'is not JSON: comma expected'],
  ['{\n  "hooks": [],\n}', 3, 'is not JSON: property name expected'],
  ['{\n  "hooks": [\n', 2, 'is not JSON: close bracket expected'],
  ['{"hooks":\n[]', 2, 'is not JSON: close brace expected'],
  ['{\n  "hooks": "abc\n}', 2, 'is not JSON: unexpected end of string'],
  ['{\n  // mine\n  "hooks": []\n}', 2, 'is not JSON: invalid comment token'],
  ['{\r\n  "hooks": [],\r\n  "n": 01\r\n}', 3, 'is not JSON: comma expected'],
  ["{\n\n'hooks': []}", 3, 'is not JSON: invalid symbol'],
  ['[]', 1, 'the whole must be an object'],
  ['{\n  "hook": []\n}', 1, 'hooks is missing'],
  ['{\n  "hooks": {}\n}', 2, 'hooks must be an array'],
  ['{"hooks": [\n  {"id": "ab", "at": 1},\n  {"id": "a", "at": 1}\n]}', 3, 'hooks[1].id is too short'],
  ['{"hooks": [\n  {"id": "ab", "at": 1},\n  {\n    "id": "ab"\n  }\n]}', 3, 'hooks[1].at is missing'],
  ['{"hooks": [\n  {"id": "ab",\n   "at": null}\n]}', 3, 'hooks[0].at must be a number'],
])('%j is bad in line %i: %s', (text, line, message) => {
  expect(decodeJson(Buffer.from(text), parse)).toEqual({ fault: { line, message } })
})

test('bytes that are not UTF-8 are a fault', () => {
  expect(decodeJson(Buffer.from([0x7b, 0xff, 0x7d]), parse)).toEqual({ fault: { message: 'is not UTF-8 text' } })
})

test("an error that is not zod's own tells its message", () => {
  const fail = (): never => {
    throw new Error('wallet must not be negative')
  }
  expect(decodeJson(Buffer.from('{}'), fail)).toEqual({ fault: { message: 'wallet must not be negative' } })
})

test('takes exactly what JSON.parse takes, has a line for everything else, and quotes nothing of it', () => {
  const secret = 'f00dfeedf00dfeed'
  const valid = fc.json().map((json) => `[${json}, "${secret}"]`)
  const damaged = fc.tuple(valid, fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, noise]) => {
    const cut = at % text.length
    return text.slice(0, cut) + noise + text.slice(cut + 1)
  })
  fc.assert(
    fc.property(fc.oneof(valid, damaged), (text) => {
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      const decoded = decodeJson(Buffer.from(text), (value) => value)
      expect('value' in decoded).toBe(isJson)
      if ('fault' in decoded) {
        expect(decoded.fault.line).toBeGreaterThanOrEqual(1)
        expect(decoded.fault.message).not.toContain(secret)
      }
    }),
    { numRuns: runsOf(2_000) },
  )
})
