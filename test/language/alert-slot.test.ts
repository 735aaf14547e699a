// Slots in the bodies of hooks (behaviour 44): what may stand where, and what they become.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { parseAlertSlot, readSlotValue } from '../../src/language/alert.ts'
import { bindSlots, parseHookChain, sampleValues, slotsIn } from '../../src/language/hook-chain.ts'
import { parseChain } from '../../src/language/parse.ts'
import { parsePrice } from '../../src/language/price.ts'
import { printChain } from '../../src/language/print.ts'
import { parseSize } from '../../src/language/size.ts'
import { anyUnits } from './arbitraries.ts'
import { refusalOf } from './refusal.ts'

const BODY = 'buy {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)} at {price:number>=1<=100000}'

describe('a slot', () => {
  it.each([
    ['{size:usd<=500}', { type: 'usd', name: 'size', max: '500' }],
    ['{size:usd>=10<=500.5}', { type: 'usd', min: '10', max: '500.5' }],
    ['{price:number}', { type: 'number', name: 'price' }],
    ['{p:number<=9>=1}', { type: 'number', name: 'p', min: '1', max: '9' }],
    ['{symbol:in(btcusdt,ETHUSDT)}', { type: 'symbol', choices: ['BTCUSDT', 'ETHUSDT'] }],
    ['{side:in(buy,SELL)}', { type: 'side', choices: ['buy', 'sell'] }],
    ['{target:in(long,short,flat)}', { type: 'target', choices: ['long', 'short', 'flat'] }],
  ])('%s declares what may fill it', (text, expected) => {
    expect(parseAlertSlot(text, 1)).toMatchObject({ text, ...expected })
  })

  it.each([
    ['{size:usd}', 'bad-slot@7'],
    ['{size:usd>=5}', 'bad-slot@7'],
    ['{size:usd<=0}', 'bad-slot@12'],
    ['{size:usd<=-5}', 'bad-slot@12'],
    ['{size:usd<=1e9}', 'bad-slot@12'],
    ['{size:usd<=5<=6}', 'bad-slot@13'],
    ['{size:usd<500}', 'bad-slot@10'],
    ['{size:usd>=9<=1}', 'bad-slot@10'],
    ['{symbol}', 'bad-slot@9'],
    ['{symbol:text}', 'bad-slot@9'],
    ['{symbol:in()}', 'bad-argument@12'],
    ['{symbol:in(BTCUSDT,btcusdt)}', 'bad-argument@20'],
    ['{symbol:in(BTCUSDT,reduce)}', 'bad-slot@20'],
    ['{symbol:in(100)}', 'bad-argument@12'],
    ['{side:in(buy,long)}', 'bad-slot@10'],
    ['{x}', 'bad-slot@1'],
    ['{x:}', 'bad-slot@4'],
  ])('%s is refused where it is wrong', (text, refusal) => {
    expect(refusalOf(() => parseAlertSlot(text, 1))).toBe(refusal)
  })
})

describe('the body of a hook', () => {
  it.each([
    ['{side:in(buy,sell)} $100', 'bad-slot@1'],
    ['buy $100 {{ticker}}', 'bad-slot@10'],
    ['buy x{{size}} BTCUSDT', 'bad-slot@6'],
    ['{{strategy.order.action}} $100', 'bad-slot@1'],
    ['position {{strategy.market_position}} $100', 'bad-slot@10'],
    ['echo a; {side:in(buy,sell)} $100', 'bad-slot@9'],
    ['echo a && {side:in(buy,sell)}', 'bad-slot@11'],
    ['buy x={size:usd<=5}', 'bad-slot@7'],
    ['buy {size:usd<=5}{symbol:in(A,B)}', 'bad-slot@18'],
    ['buy {size:usd<=5', 'bad-slot@5'],
    ['buy $5 --account {a:in(MAIN)}', 'bad-slot@18'],
    ['buy $5 --account={a:in(MAIN)}', 'bad-slot@18'],
    ['buy {size:number<=5}', 'bad-slot@5'],
    ['buy $5 {price:number}', 'bad-slot@8'],
    ['buy {size:usd<=5}; sell {size:usd<=6}', 'bad-slot@25'],
    ['x{size:usd<=5} $5', 'bad-slot@2'],
    ['buy {id:key}', 'bad-slot@9'],
    ['buy $5 at {at:time<=30s}', 'bad-slot@15'],
    ['buy $5 -- {id:key} {x:key}', 'bad-slot@20'],
    ['buy $5 -- {at:time}', 'bad-slot@11'],
    ['buy $5 -- {at:time<=2x}', 'bad-duration@21'],
    ['buy $5 -- {at:time<=500ms}', 'bad-slot@21'],
    ['buy $5 -- {at:time<=2000m}', 'bad-duration@21'],
    ['buy $5 -- {id:key}; sell $5', 'bad-slot@19'],
    ['buy $5 -- {id:key} now', 'bad-slot@20'],
    ['repeat 2 (buy $5 -- {id:key})', 'bad-slot@29'],
    ['buy {size:usd<=5} -- {size:key}', 'bad-slot@22'],
    ['buy $5 -- {a:key} {a:time<=5s}', 'bad-slot@19'],
    ['buy $5 -- {size:usd<=5}', 'bad-slot@11'],
  ])('%s is refused with its place', (line, refusal) => {
    expect(refusalOf(() => parseHookChain(line))).toBe(refusal)
  })

  it('keeps a slot with parentheses whole inside a group', () => {
    const chain = parseHookChain('repeat 2 (buy {size:usd<=5} {symbol:in(A1,B1)})')
    const bound = bindSlots(chain, { size: '5', symbol: 'B1' })
    expect(printChain(bound)).toBe('repeat 2 (buy $5 B1)')
  })

  it.each(['echo "{size:usd<=5}"', 'echo "{{ticker}}"', 'echo {} {1} {a,b} {a-b:c}', 'echo x="{size:usd<=5}"'])(
    '%s has no slots',
    (line) => {
      expect(parseHookChain(line)).toEqual(parseChain(line))
      expect(slotsIn(parseHookChain(line))).toEqual([])
    },
  )

  it('has what an alert says of itself behind all commands, and none of it in a command', () => {
    const line = 'buy {size:usd<=5}; sell $1 -- {id:key} {at:time<=30s}'
    const chain = parseHookChain(line)
    expect(printChain(chain)).toBe(line)
    expect(chain.stamps).toEqual({
      key: { name: 'id', text: '{id:key}' },
      time: { name: 'at', text: '{at:time<=30s}', maxAgeMs: 30_000 },
    })
    expect(slotsIn(chain).map(({ name }) => name)).toEqual(['size'])
    expect(printChain(bindSlots(chain, { size: '2' }))).toBe('buy $2; sell $1')
    expect(printChain(parseHookChain('echo a -- b'))).toBe('echo a -- b')
  })

  it('takes a slot of one name in several places as one value', () => {
    const chain = parseHookChain('buy {size:usd<=5} & sell {size:usd<=5} || echo {size:usd<=5}')
    expect(slotsIn(chain)).toHaveLength(1)
    expect(printChain(bindSlots(chain, { size: '2.50' }))).toBe('buy $2.50 & sell $2.50 || echo $2.50')
  })

  it('is tried with every choice and both ends of each bound', () => {
    const tried = sampleValues(slotsIn(parseHookChain(BODY)))
    expect(tried.map(({ symbol }) => symbol)).toContain('ETHUSDT')
    expect(tried.map(({ price }) => price)).toEqual(expect.arrayContaining(['1', '100000']))
    for (const values of tried) expect(() => bindSlots(parseHookChain(BODY), values)).not.toThrow()
  })
})

describe('the value of a slot', () => {
  it.each([
    ['{s:in(BTCUSDT)}', 'BINANCE:BTCUSDT.P', 'BTCUSDT'],
    ['{s:in(BTCUSDT)}', 'btcusdt', 'BTCUSDT'],
    ['{s:in(ETH/USDT:USDT)}', 'eth/usdt:usdt', 'ETH/USDT:USDT'],
    ['{s:in(buy,sell)}', 'BUY', 'buy'],
    ['{s:usd<=500}', '500', '$500'],
    ['{s:usd<=500}', '0.10', '$0.10'],
    ['{s:number>=1}', '65000.5', '65000.5'],
  ])('%s of %s is the word %s', (slot, text, word) => {
    expect(readSlotValue(parseAlertSlot(slot, 1), text)).toMatchObject({ ok: true, word })
  })

  it.each([
    [
      '{s:usd<=500}',
      [
        '500.01',
        '0',
        '-1',
        '+1',
        '1e2',
        '5 0',
        '$5',
        '5%',
        '1,000',
        'NaN',
        'Infinity',
        '',
        '０',
        '500\n',
        '1'.repeat(19),
      ],
    ],
    ['{s:number>=1}', ['0.99', '-5', '1e5', '@x', '$last']],
    ['{s:in(BTCUSDT)}', ['ETHUSDT', 'BTCUSDT,ETHUSDT', 'BTCUSDT; nuke', '', 'A:B:BTCUSDT', 'BTCUSDT.P.P']],
    ['{s:in(buy,sell)}', ['buy ', 'close', 'buу', 'x:buy']],
  ])('%s is none of what does not fit', (slot, texts) => {
    for (const text of texts) expect([text, readSlotValue(parseAlertSlot(slot, 1), text).ok]).toEqual([text, false])
  })

  it('is never anything but what its slot declares, whatever an alert says', () => {
    const usd = parseAlertSlot('{s:usd>=10<=500}', 1)
    const price = parseAlertSlot('{s:number>=1<=100000}', 1)
    const symbol = parseAlertSlot('{s:in(BTCUSDT,ETHUSDT)}', 1)
    const pieces = fc.constantFrom(...'0123456789.$%-+,e@;&()={}'.split(''), 'BTCUSDT', 'ethusdt', 'X:', '.P', ' ', '"')
    const text = fc.oneof(
      anyUnits(12),
      fc.array(pieces, { maxLength: 8 }).map((some) => some.join('')),
      fc.double().map(String),
    )
    fc.assert(
      fc.property(text, (said) => {
        const size = readSlotValue(usd, said)
        if (size.ok) {
          const { kind, ...rest } = parseSize(size.word, 1)
          expect(kind).toBe('quote')
          expect(Number('amount' in rest && rest.amount)).toSatisfy((amount: number) => amount >= 10 && amount <= 500)
        }
        const at = readSlotValue(price, said)
        if (at.ok) {
          const read = parsePrice([{ kind: 'word', text: at.word, column: 1 }], 0).price
          expect(read).toEqual({ base: { kind: 'absolute', price: at.word } })
          expect(Number(at.word)).toSatisfy((number: number) => number >= 1 && number <= 100_000)
        }
        const name = readSlotValue(symbol, said)
        if (name.ok) expect(['BTCUSDT', 'ETHUSDT']).toContain(name.word)
      }),
      { numRuns: runsOf(3_000) },
    )
  })

  it('that is missing or does not fit binds nothing', () => {
    const chain = parseHookChain(BODY)
    expect(refusalOf(() => bindSlots(chain, { size: '5', symbol: 'BTCUSDT' }))).toBe('bad-slot@53')
    expect(refusalOf(() => bindSlots(chain, { size: '501', symbol: 'BTCUSDT', price: '5' }))).toBe('bad-slot@5')
  })
})
