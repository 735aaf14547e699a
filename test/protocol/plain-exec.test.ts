// Commands that need no schema: they are taken, or refused, as the schema would.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { decodeClientFrame } from '../../src/protocol/decode.ts'
import { clientFrame, WIRE_LIMITS } from '../../src/protocol/frames.ts'

const { idLength, commandLength } = WIRE_LIMITS
const OPTIONAL = ['account', 'symbol', 'detach']
const NAMES = ['id', 'command', ...OPTIONAL, '__proto__', 'other']

it('a command is what the schema makes of it, though most are not shown to it', () => {
  const lengths = [idLength, idLength + 1, commandLength, commandLength + 1]
  const odd = fc.constantFrom<unknown>('', null, 1, true, ...lengths.map((length) => 'x'.repeat(length)))
  const field = fc.tuple(fc.constantFrom(...NAMES), fc.oneof(fc.string(), odd))
  fc.assert(
    fc.property(fc.array(field, { maxLength: 4 }), fc.boolean(), (fields, isWhole) => {
      const all = isWhole ? [['id', '1'] as const, ['command', 'echo'] as const, ...fields] : fields
      const text = `{"t":"cmd:exec"${all.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`).join('')}}`
      const value = JSON.parse(text) as Record<string, unknown>
      // What is null or empty counts as absent.
      for (const name of OPTIONAL) if (value[name] === null || value[name] === '') delete value[name]
      const { success, data } = clientFrame.safeParse(value)
      const decoded = decodeClientFrame(text)
      expect(decoded.ok ? decoded.frame : undefined).toEqual(success ? data : undefined)
    }),
    { numRuns: runsOf(500) },
  )
})
