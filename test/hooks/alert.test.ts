// What the body of an alert says, and what becomes of it (behaviour 44).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { AlertError, alertTermsOf, readAlert, slotsOf, takeAlert, whyNotFresh } from '../../src/hooks/alert.ts'
import { alertMessage } from '../../src/language/alert.ts'
import { bindSlots, parseHookChain } from '../../src/language/hook-chain.ts'
import { printChain } from '../../src/language/print.ts'

const COMMAND = 'buy {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)} at {price:number}; echo {side:in(buy,sell)}'
const bytes = (text: string) => new TextEncoder().encode(text)
const said = (text: string) => Object.fromEntries(readAlert(bytes(text)))

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof AlertError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the body of an alert', () => {
  it.each([
    [
      '{"size":"250","n":65000.50,"big":123456789012345678901234567890}',
      { size: '250', n: '65000.50', big: '123456789012345678901234567890' },
    ],
    [' {\r\n"a" : "\\u0042\\n" , "b":true,"c":null}\n', { a: 'B\n', b: 'true', c: 'null' }],
    ['{}', {}],
    ['{"n":1e5,"m":-0.5}', { n: '1e5', m: '-0.5' }],
    ['size=250 symbol=BINANCE:BTCUSDT.P', { size: '250', symbol: 'BINANCE:BTCUSDT.P' }],
    ['size=250\r\nnote=a=b\n', { size: '250', note: 'a=b' }],
  ])('%s is read', (text, fields) => {
    expect(said(text)).toEqual(fields)
  })

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['buy now', 'key=value'],
    ['=5', 'key=value'],
    ['a=1 a=2', 'twice'],
    ['{"a":1,"a":2}', 'twice'],
    ['{"a":1,"\\u0061":2}', 'twice'],
    ['{"a":{"b":1}}', 'neither text nor number'],
    ['{"a":[1]}', 'neither text nor number'],
    ['{"a":NaN}', 'neither text nor number'],
    ['{"a":01}', '} is missing'],
    ['{"a":1,}', 'a text is missing'],
    ['{"a":1', '} is missing'],
    ['{"a" 1}', ': is missing'],
    ['{"a":"b', 'a text is missing'],
    ['{a:1}', 'a text is missing'],
    ['{"a":1} {"a":2}', 'continues after'],
    ['[{"a":1}]', 'key=value'],
    ['\ufeff[]', 'key=value'],
  ])('%j is refused: %s', (text, why) => {
    expect(refusal(() => said(text))).toContain(why)
  })

  it('as JSON says what any reader of JSON finds in it', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('"', '\\', 'a', '\n', 'é') }),
    )
    fc.assert(
      fc.property(fc.dictionary(text, text), fc.constantFrom('', ' ', '\t'), (fields, indent) => {
        expect(said(JSON.stringify(fields, undefined, indent))).toEqual(fields)
      }),
    )
  })

  it('that is no UTF-8 is refused', () => {
    expect(refusal(() => readAlert(Uint8Array.of(0x61, 0x3d, 0xff)))).toBe('the body is not UTF-8')
  })

  it('of 64 KiB is read or refused at once', () => {
    for (const text of ['{"a":"', '{"a":"\\', '{', ' ', '=', 'a=1 ', '"', '{"a":1,']) {
      const began = performance.now()
      expect(refusal(() => said(text.repeat(65_536 / text.length)))).not.toBe('')
      expect(performance.now() - began).toBeLessThan(1_000)
    }
  })
})

describe('the slots of a hook', () => {
  const terms = alertTermsOf(COMMAND)

  it('are filled by name, and nothing else of the body counts', () => {
    const body = '{"size":250,"symbol":"BINANCE:BTCUSDT.P","price":"65000.5","side":"SELL","command":"nuke","at":"x"}'
    expect(takeAlert(terms, bytes(body)).values).toEqual({
      size: '250',
      symbol: 'BTCUSDT',
      price: '65000.5',
      side: 'sell',
    })
  })

  it.each([
    ['size=250 symbol=BTCUSDT price=1', 'side is missing'],
    ['size=501 symbol=BTCUSDT price=1 side=buy', 'size `501` is above 500'],
    ['size=1 symbol=DOGEUSDT price=1 side=buy', 'symbol `DOGEUSDT` is not one of BTCUSDT, ETHUSDT'],
    ['size=1 symbol=BTCUSDT price=1e5 side=buy', 'price `1e5` is not a number in plain digits'],
    ['Size=1 symbol=BTCUSDT price=1 side=buy', 'size is missing'],
  ])('%s fills nothing: %s', (body, why) => {
    expect(refusal(() => takeAlert(terms, bytes(body)))).toBe(why)
  })

  it.each(['echo ok', 'echo {x}', 'echo "{size:usd<=5}"', 'buy {size:usd} BTCUSDT'])('%s has none', (command) => {
    expect(slotsOf(command)).toEqual([])
  })

  it('no body makes a command of other words than its values', () => {
    const word = fc.constantFrom(
      '250',
      '500.01',
      'BTCUSDT',
      'buy',
      '; nuke',
      '--dry',
      '$last',
      '@x',
      '{size:usd<=500}',
      '1e9',
      '"',
      ')',
    )
    const fields = fc.dictionary(
      fc.constantFrom('size', 'symbol', 'price', 'side', '__proto__', 'x'),
      fc.oneof(word, fc.string(), fc.double()),
    )
    const body = fc.oneof(
      fields.map((each) => JSON.stringify(each)),
      fields.map((each) =>
        Object.entries(each)
          .map((pair) => pair.join('='))
          .join(' '),
      ),
      fc.string({ maxLength: 60 }),
    )
    const chain = parseHookChain(COMMAND)
    let filled = 0
    fc.assert(
      fc.property(fc.oneof(body, fc.constant('size=1.5 symbol=ethusdt price=2 side=buy')), (text) => {
        let values: Readonly<Record<string, string>>
        try {
          values = takeAlert(terms, bytes(text)).values
        } catch (error) {
          if (error instanceof AlertError) return
          throw error
        }
        filled += 1
        expect(printChain(bindSlots(chain, values))).toMatch(
          /^buy \$\d+(\.\d+)? (BTCUSDT|ETHUSDT) at \d+(\.\d+)?; echo (buy|sell)$/,
        )
        expect(Number(values.size)).toBeLessThanOrEqual(500)
      }),
      { numRuns: runsOf(2_000) },
    )
    expect(filled).toBeGreaterThan(runsOf(2_000) / 20)
  })
})

describe('the name and the age of an alert', () => {
  const terms = alertTermsOf('buy {size:usd<=500} -- {id:key} {at:time<=30s}')

  it.each([
    ['2026-11-28T17:40:00Z', 1795887600000],
    ['2026-11-28T18:40:00.250+01:00', 1795887600250],
    ['1795887600', 1795887600000],
    ['1795887600250', 1795887600250],
    ['1795887600.25', 1795887600000],
  ])('are in its body: %s', (at, ms) => {
    const body = JSON.stringify({ size: '1', id: 'BTC-1', at })
    expect(takeAlert(terms, bytes(body))).toEqual({
      values: { size: '1' },
      key: 'BTC-1',
      sent: { at: ms, maxAgeMs: 30_000 },
    })
  })

  it.each([
    ['size=1 at=1795887600', 'id is missing'],
    ['size=1 id=a', 'at is missing'],
    ['{"size":1,"id":"","at":1795887600}', 'id is empty'],
    [`size=1 id=${'a'.repeat(257)} at=1795887600`, 'id is longer than 256 characters'],
    ['size=1 id={{timenow}} at=1795887600', 'id `{{timenow}}` was not filled in by its sender'],
    ['size=1 id=a at={{timenow}}', 'at `{{timenow}}` is not a time such as 2026-11-28T17:40:00Z or 1795887600'],
    ['size=1 id=a at=17:40', 'at `17:40` is not a time such as 2026-11-28T17:40:00Z or 1795887600'],
    [
      'size=1 id=a at=2026-13-28T17:40:00Z',
      'at `2026-13-28T17:40:00Z` is not a time such as 2026-11-28T17:40:00Z or 1795887600',
    ],
  ])('%s is refused: %s', (body, why) => {
    expect(refusal(() => takeAlert(terms, bytes(body)))).toBe(why)
  })

  it('are not asked for by hand', () => {
    expect(takeAlert(terms, bytes('size=1'), true)).toEqual({ values: { size: '1' } })
    expect(takeAlert(alertTermsOf('echo a -- {id:key}'), bytes(''), true)).toEqual({ values: {} })
  })

  it.each([
    [0, undefined],
    [30_000, undefined],
    [-30_000, undefined],
    [43_000, '43 s old'],
    [600_000, '10 min old'],
    [90_000_000, '25 h old'],
    [-43_000, 'its time is 43 s ahead of the clock here'],
  ])('%d ms after it was sent: %s', (ageMs, why) => {
    expect(whyNotFresh({ at: 1_000_000, maxAgeMs: 30_000 }, 1_000_000 + ageMs)).toBe(why)
  })
})

describe('the message of an alert', () => {
  it("has a charting platform's placeholders in both forms", () => {
    const slots = slotsOf(
      'echo {size:usd<=500} {symbol:in(BTCUSDT)} {side:in(buy,sell)} {target:in(long,flat)} {previous:in(long,flat)}',
    )
    expect(alertMessage(slots)).toEqual({
      json: '{"size":"500","symbol":"{{ticker}}","side":"{{strategy.order.action}}","target":"{{strategy.market_position}}","previous":"{{strategy.prev_market_position}}"}',
      pairs:
        'size=500 symbol={{ticker}} side={{strategy.order.action}} target={{strategy.market_position}} previous={{strategy.prev_market_position}}',
    })
    expect(alertMessage(slotsOf('buy $5 at {price:number}'))?.pairs).toBe('price={{close}}')
    expect(alertMessage([])).toBeUndefined()
  })

  it('names itself and its time where the hook asks for them; each order of a strategy has a name of its own', () => {
    const messageOf = (command: string) => {
      const { slots, stamps } = alertTermsOf(command)
      return alertMessage(slots, stamps)?.pairs
    }
    expect(messageOf('buy $5 -- {id:key} {at:time<=30s}')).toBe('id={{ticker}}-{{timenow}} at={{timenow}}')
    expect(messageOf('echo {side:in(buy,sell)} -- {n:key}')).toBe(
      'side={{strategy.order.action}} n={{ticker}}-{{timenow}}-{{strategy.order.id}}-{{strategy.order.action}}',
    )
  })
})
