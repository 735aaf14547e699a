// Rows that clients give hookline to keep (behaviour 17).
import { describe, expect, it } from 'vitest'
import { CLIENT_SAMPLES, whole } from '../../harness/wire/frame-samples.ts'
import { decodeClientFrame } from '../../src/protocol/decode.ts'

type MutatesRow = 'mutate:account' | 'mutate:cross-trade-config'
const frameOf = (t: MutatesRow, fields: object) => ({ ...whole([t, CLIENT_SAMPLES[t]]), ...fields })
const decode = (t: MutatesRow, fields: object) => decodeClientFrame(JSON.stringify(frameOf(t, fields)))

describe('a row to keep', () => {
  const timeIn = (updatedAt: unknown) => {
    const decoded = decode('mutate:account', { updatedAt })
    return decoded.ok && decoded.frame.t === 'mutate:account' ? decoded.frame.updatedAt : decoded
  }

  it('has its time in milliseconds, with a fraction, or as ISO text', () => {
    const at = Date.UTC(2026, 10, 22, 12, 30)
    expect([at, at + 0.75, '2026-11-22T12:30:00Z', '2026-11-22T13:30:00.000+01:00'].map(timeIn)).toEqual([
      at,
      at,
      at,
      at,
    ])
  })

  it('keeps what hookline does not know of it, and no prototype', () => {
    const config = { ...(CLIENT_SAMPLES['mutate:cross-trade-config'].optional?.config as object), note: { mine: 1 } }
    const account = {
      name: 'a',
      exchange: 'bybit',
      uid: '7',
      testnet: false,
      options: { defaultType: 'swap' },
      apiKey: null,
    }
    const frames = [frameOf('mutate:account', { account }), frameOf('mutate:cross-trade-config', { config })]
    for (const frame of frames) expect(decodeClientFrame(JSON.stringify(frame))).toEqual({ ok: true, frame })
    const text = JSON.stringify(frames[0]).replace('"name":"a"', '"name":"a","__proto__":{"secret":"s"}')
    const decoded = decodeClientFrame(text)
    const taken = decoded.ok && decoded.frame.t === 'mutate:account' ? decoded.frame.account : undefined
    expect([taken?.name, taken?.secret]).toEqual(['a', undefined])
  })
})
