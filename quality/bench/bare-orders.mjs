// Bare ccxt in a process of its own: places an order each time it is told to, and says when it began and when it had its answer.
import { bareBinance } from '../../harness/venues/bare-ccxt.ts'

const SYMBOL = 'BTC/USDT:USDT'
const [key = '', secret = ''] = process.argv.slice(2)
const ccxt = await bareBinance({ key, secret })
await ccxt.loadMarkets()

process.on('message', async (/** @type {readonly ('buy' | 'sell')[]} */ sides) => {
  const beganAt = process.hrtime.bigint()
  for (const side of sides) await ccxt.createOrder(SYMBOL, 'market', side, 0.002)
  process.send?.({ beganAt: String(beganAt), endedAt: String(process.hrtime.bigint()) })
})
process.send?.('ready')
