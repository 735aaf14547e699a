// MEXC's protobuf, read by the field numbers of its public .proto files: what is in a message, what is not listened to, and what was cut.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../../src/exchanges/ccxt/venues/mexc.ts'
import { number, text } from './protobuf.ts'

const DEAL = Buffer.concat([text(1, '60000'), text(2, '0.5'), number(3, 2), number(4, 1_754_737_941_062)])

describe('a push of MEXC', () => {
  it('has its fields by name, numbers as text', () => {
    const push = Buffer.concat([
      text(1, 'spot@public.aggre.deals.v3.api.pb@100ms@BTCUSDT'),
      text(3, 'BTCUSDT'),
      text(314, Buffer.concat([text(1, DEAL), text(1, DEAL), text(2, 'deals')])),
      number(6, 1_754_737_941_100),
    ])
    const deal = { price: '60000', quantity: '0.5', tradeType: '2', time: '1754737941062' }
    expect(readMessage(push)).toEqual({
      channel: 'spot@public.aggre.deals.v3.api.pb@100ms@BTCUSDT',
      symbol: 'BTCUSDT',
      publicAggreDeals: { deals: [deal, deal], eventType: 'deals' },
      sendTime: '1754737941100',
    })
  })

  it('may have fields that nothing here listens to, of every kind', () => {
    const fixed = (field: number, wire: number, size: number) =>
      Buffer.concat([Buffer.from([(field << 3) | wire]), Buffer.alloc(size)])
    const push = Buffer.concat([fixed(9, 1, 8), fixed(10, 5, 4), text(310, 'x'), number(12, 7), text(3, 'BTCUSDT')])
    expect(readMessage(push)).toEqual({ symbol: 'BTCUSDT' })
  })

  it('that was cut or forged is read as far as it goes or refused, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(DEAL.length), (noise, length) => {
        for (const data of [noise, Buffer.concat([DEAL.subarray(0, length), noise])]) {
          try {
            expect(typeof readMessage(data)).toBe('object')
          } catch (error) {
            expect(String(error)).toMatch(/was cut|has no end|no known kind/)
          }
        }
      }),
    )
  })
})
