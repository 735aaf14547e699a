// Bare ccxt in a process of its own: places an order each time it is told to, and says when it began and when it had its answer. And the least
// server that keeps what hookline promises of an order: it answers a POST, has a line on the disk while ccxt signs, and then lets the bytes go.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { bareBinance } from '../../harness/venues/bare-ccxt.ts'

const SYMBOL = 'BTC/USDT:USDT'
const AMOUNT = 0.002
const [key = '', secret = '', port = '', path = ''] = process.argv.slice(2)
const ccxt = await connected()

process.on('message', async (/** @type {readonly ('buy' | 'sell')[]} */ sides) => {
  const beganAt = process.hrtime.bigint()
  for (const side of sides) await ccxt.createOrder(SYMBOL, 'market', side, AMOUNT)
  process.send?.({ beganAt: String(beganAt), endedAt: String(process.hrtime.bigint()) })
})
await serve()
process.send?.('ready')

async function connected() {
  const client = await bareBinance({ key, secret })
  await client.loadMarkets()
  return client
}

/** `POST /buy` and `POST /sell`. */
async function serve() {
  const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = constants
  const journal = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_DSYNC)
  const client = /** @type {typeof ccxt & { fetch: (...request: unknown[]) => Promise<unknown> }} */ (await connected())
  const send = client.fetch.bind(client)
  /** @type {Promise<unknown>} */
  let written = Promise.resolve()
  // ccxt has signed the request by then.
  client.fetch = async (...request) => {
    await written
    return send(...request)
  }
  const server = createServer((request, response) => {
    request.resume()
    response.end('{"ok":true}')
    const side = request.url === '/buy' ? 'buy' : 'sell'
    const order = { symbol: SYMBOL, type: 'market', side, amount: AMOUNT, at: Date.now() }
    written = journal.write(`${JSON.stringify(order)}\n`)
    void client.createOrder(SYMBOL, 'market', side, AMOUNT)
  })
  await new Promise((listening) => server.listen(Number(port), '127.0.0.1', () => listening(undefined)))
}
