// A recording is made to be shared: it has what was asked and answered, and nothing that names or signs for the account.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { type RecordedExchange, recordTransport } from '../../../src/exchanges/ccxt/recording.ts'
import type { WireRequest } from '../../../src/exchanges/ccxt/transport.ts'

const SECRET = 'S3cret+of/the=account&0123456789'
const KEY = 'K3yOfTheAccount0123456789'

async function recorded(request: WireRequest, text: string, status = 200): Promise<RecordedExchange> {
  const kept: RecordedExchange[] = []
  const transport = recordTransport({
    transport: async () => ({ status, headers: {}, text }),
    secrets: [KEY, SECRET],
    now: () => 1_000,
    keep: (row) => kept.push(row),
  })
  await transport(request)
  const [row] = kept
  if (row === undefined) throw new Error('nothing was kept')
  return row
}

const HEADERS = { 'X-MBX-APIKEY': KEY }

describe('a recorded exchange', () => {
  it('has the request and the answer, without headers and signature', async () => {
    const url = 'https://demo-fapi.binance.com/fapi/v1/order?symbol=BTCUSDT&quantity=0.01&timestamp=17&signature=abc123'
    const row = await recorded({ url, method: 'POST', headers: HEADERS }, '{"orderId":7,"status":"NEW"}')
    expect(row).toEqual({
      at: 1_000,
      tookMs: 0,
      method: 'POST',
      url: 'https://demo-fapi.binance.com/fapi/v1/order?symbol=BTCUSDT&quantity=0.01&timestamp=17&signature=<hidden>',
      status: 200,
      answer: { orderId: 7, status: 'NEW' },
    })
  })

  it('hides who the account is at any depth, and keeps ids of orders', async () => {
    const id = '0123456789abcdef0123456789abcdef'
    const answer = {
      uid: 12345,
      data: [{ userId: 'u-1', email: 'a@b.c', ips: ['10.0.0.1'], order_id: id, label: id, apiKey: KEY, note: 'mine' }],
      result: { label: 'Ann', account: { accountAlias: 'SgsR' } },
    }
    const row = await recorded({ url: 'https://v.example/a', method: 'GET', headers: {} }, JSON.stringify(answer))
    expect(row.answer).toEqual({
      uid: '<hidden>',
      data: [
        {
          userId: '<hidden>',
          email: '<hidden>',
          ips: '<hidden>',
          order_id: id,
          label: id,
          apiKey: '<hidden>',
          note: '<hidden>',
        },
      ],
      result: { label: '<hidden>', account: { accountAlias: '<hidden>' } },
    })
  })

  it('has no secret in any spelling, wherever the venue repeats it', async () => {
    const spellings = [
      SECRET,
      encodeURIComponent(SECRET),
      Buffer.from(SECRET).toString('base64'),
      JSON.stringify(SECRET),
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...spellings),
        fc.string(),
        fc.constantFrom('x', 'msg', 'orderId'),
        async (spelt, text, name) => {
          const form = `${name}=${encodeURIComponent(text)}${spelt}`
          const row = await recorded(
            {
              url: `https://v.example/o?${form}`,
              method: 'POST',
              headers: HEADERS,
              body: JSON.stringify({ [name]: `${text}${spelt}` }),
            },
            JSON.stringify({ [name]: [text, { [spelt]: spelt }] }),
          )
          const all = JSON.stringify(row)
          for (const each of spellings) expect(all).not.toContain(each)
        },
      ),
      { numRuns: runsOf(200) },
    )
  })

  it('says that no whole answer came, and lets the failure through', async () => {
    const kept: RecordedExchange[] = []
    const lost = new Error('reset')
    const transport = recordTransport({
      transport: () => Promise.reject(lost),
      secrets: [],
      now: () => 5,
      keep: (row) => kept.push(row),
    })
    await expect(transport({ url: 'https://v.example/o', method: 'GET', headers: {} })).rejects.toBe(lost)
    expect(kept).toEqual([{ at: 5, tookMs: 0, method: 'GET', url: 'https://v.example/o' }])
  })
})
