// The body of an alert: whatever it says, the slots of its hook hold values that they declare, or nothing.

import { AlertError, alertTermsOf, takeAlert } from '../../../src/hooks/alert.ts'
import { bindSlots, parseHookChain } from '../../../src/language/hook-chain.ts'
import { printChain } from '../../../src/language/print.ts'
import { bytesOf, type OpenTarget, promise } from '../target.ts'

const COMMAND =
  'buy {size:usd>=1<=500} {symbol:in(BTCUSDT,ETHUSDT)} at {price:number>=1<=100000}; echo {side:in(buy,sell)} {target:in(long,short,flat)}'
const BOUND =
  /^buy \$\d{1,3}(\.\d{1,18})? (BTCUSDT|ETHUSDT) at \d{1,6}(\.\d{1,18})?; echo (buy|sell) (long|short|flat)$/
const TERMS = alertTermsOf(COMMAND)
const CHAIN = parseHookChain(COMMAND)

export const open: OpenTarget = () => ({
  units: 'bytes',
  seeds: [
    '{"size":"250","symbol":"BINANCE:BTCUSDT.P","price":65000.5,"side":"buy","target":"long"}',
    'size=1 symbol=ethusdt price=1.5 side=SELL target=flat',
    bytesOf(
      '{"size":500,"symbol":"ETHUSDT","price":1,"side":"sell","target":"short","note":"é \\u00e9","__proto__":null}',
    ),
  ],
  dictionary: [
    '"',
    '":',
    ',"',
    '{',
    '}',
    'size',
    'symbol',
    'price',
    'side',
    'target',
    '=',
    'BTCUSDT',
    '500',
    '1e3',
    '$last',
    '@x',
    '; nuke',
    '--dry',
  ],
  json: true,
  maxLength: 70_000,
  batch: 500,
  run(input) {
    const values = filled(Buffer.from(input, 'latin1'))
    if (values === undefined) return
    promise(BOUND.test(printChain(bindSlots(CHAIN, values))), 'each slot is one word of its type')
    promise(Number(values.size) >= 1 && Number(values.size) <= 500, 'a size is within its bounds')
    promise(Number(values.price) >= 1 && Number(values.price) <= 100_000, 'a price is within its bounds')
  },
})

function filled(body: Uint8Array): Readonly<Record<string, string>> | undefined {
  try {
    return takeAlert(TERMS, body).values
  } catch (error) {
    if (!(error instanceof AlertError)) throw error
    promise(/^[^\p{Cc}\n]{1,300}$/u.test(error.message), 'a refusal is one line')
    return undefined
  }
}
