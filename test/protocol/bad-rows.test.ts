// Values that no page could show: they do not get past the wire, and take nothing with them but their row.
import { describe, expect, it } from 'vitest'
import { SERVER_SAMPLES, whole } from '../../harness/wire/frame-samples.ts'
import { decodeServerFrame } from '../../src/protocol/decode.ts'

const sample = (t: 'state:portfolio' | 'state:market' | 'state:fills') => whole([t, SERVER_SAMPLES[t]])
const decoded = (frame: object) => decodeServerFrame(JSON.stringify(frame))
const [position] = sample('state:portfolio').positions as readonly object[]

describe('a row', () => {
  it.each(['', 'NaN', 'Infinity', '1e9', '1e-8', '0x10', '1.', '.5', ' 1', '1'.repeat(81), null, 7])(
    'with the figure %j is set aside, and named',
    (amount) => {
      const frame = decoded({ ...sample('state:portfolio'), positions: [position, { ...position, amount }] })
      expect(frame).toMatchObject({
        ok: true,
        frame: { positions: [position] },
        setAside: [expect.stringMatching(/^positions: /)],
      })
    },
  )

  it.each([8.64e15 + 1, Number.MAX_SAFE_INTEGER, -1, 0.5, '2026', null])(
    'with the time %j is set aside',
    (timestamp) => {
      const whole = sample('state:fills')
      const [fill] = whole.fills as readonly object[]
      const frame = decoded({ ...whole, fills: [{ ...fill, timestamp }, fill] })
      expect(frame).toMatchObject({ ok: true, frame: { fills: [fill] } })
    },
  )

  it.each([null, 7, 'row', [], {}])('that is %j is named by its place', (row) => {
    expect(decoded({ ...sample('state:portfolio'), positions: [row] })).toMatchObject({
      setAside: ['positions: #1'],
    })
  })

  it('is named in one plain line, whatever its name is', () => {
    const id = `\u202e\u0000${'x'.repeat(500)}`
    expect(decoded({ ...sample('state:portfolio'), orders: [{ id }] })).toMatchObject({
      setAside: [`orders:   ${'x'.repeat(38)}`],
    })
  })
})

describe('what people type into files', () => {
  it('is text, and takes no row with it: a slippage in percent, dollars of a limit', () => {
    const [t, of] = ['state:cross-trade', 'state:hooks'] as const
    const engine = whole([t, SERVER_SAMPLES[t]])
    const [config] = engine.configs as readonly { readonly copiers: readonly object[] }[]
    const copiers = [{ ...config?.copiers[0], slippage: '0.2%' }]
    expect(decoded({ ...engine, configs: [{ ...config, copiers }] })).not.toHaveProperty('setAside')
    const hooks = whole([of, SERVER_SAMPLES[of]])
    const [hook] = hooks.hooks as readonly object[]
    expect(decoded({ ...hooks, hooks: [{ ...hook, limits: { max: '5e2' } }] })).not.toHaveProperty('setAside')
  })
})

describe('a frame', () => {
  it.each([
    { ...sample('state:portfolio'), last: 'NaN' },
    { ...sample('state:portfolio'), positions: 'none' },
    { ...sample('state:market'), book: { bids: [['1e9', '1']], asks: [], timestamp: 1 } },
    { ...sample('state:market'), market: { symbol: 'BTCUSDT', tick: '1e-8' } },
  ])('with a fault beside its rows says what it was to be: %j', (frame) => {
    expect(decoded(frame)).toMatchObject({ ok: false, t: expect.stringMatching(/^state:(portfolio|market)$/) })
  })

  it('with a list that is named after a prototype is read as any other', () => {
    const text = JSON.stringify(sample('state:portfolio')).replace('{', '{"constructor":[1],"__proto__":[2],')
    expect(decodeServerFrame(text)).toEqual({ ok: true, frame: sample('state:portfolio') })
  })
})
