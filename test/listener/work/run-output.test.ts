// The frames of a run's output: however they are put together, they are those that the wire's own encoder makes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runOutputSink } from '../../../src/listener/sessions/run-output.ts'
import { FanOut } from '../../../src/listener/topics/fan-out.ts'
import { encodeFrame } from '../../../src/protocol/decode.ts'
import type { RunRequest } from '../../../src/runs/run.ts'

const KINDS = ['print', 'success', 'warn', 'error', 'info'] as const
const text = fc.string({ unit: 'binary' })

function sinkOf(sent: string[]) {
  return runOutputSink({
    hide: (text) => text,
    fanOut: new FanOut(),
    sessionOf: () => ({ sendText: (frame) => void sent.push(frame), understands: () => false }),
    onDone: () => {},
  })
}

const run = (replyId: string): RunRequest => ({ runId: 'r', source: 'web', command: 'c', sessionId: '1', replyId })

describe('output frames', () => {
  it('are those of the encoder, whatever runs speak in turn, of whatever kind', () => {
    const runs = ['a', '"quoted"', '\u2028'].map(run)
    const line = fc.record({ of: fc.constantFrom(...runs), kind: fc.constantFrom(...KINDS), text })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const sent: string[] = []
        const sink = sinkOf(sent)
        for (const each of lines) sink.output?.(each.of, each.kind, each.text)
        const expected = lines.map(({ of, kind, text }) =>
          encodeFrame({ t: 'cmd:output', id: of.replyId ?? '', kind, text }),
        )
        expect(sent).toEqual(expected)
      }),
    )
  })

  it('and that of its end are those of the encoder', () => {
    const optional = fc.option(text, { nil: undefined })
    const end = fc.record({ success: fc.boolean(), error: optional, outcome: optional, warned: fc.boolean() })
    fc.assert(
      fc.property(text, end, (id, { success, error, outcome, warned }) => {
        const sent: string[] = []
        const result = error === undefined ? { success } : { success, error }
        const mark = warned ? { warned } : {}
        sinkOf(sent).done?.(run(id), { ...result, ...mark }, { acceptedAt: 1, endedAt: 2, outcome })
        const brought = outcome === undefined ? {} : { outcome }
        expect(sent).toEqual([encodeFrame({ t: 'cmd:done', id, ...result, ...brought, ...mark })])
      }),
    )
  })
})
