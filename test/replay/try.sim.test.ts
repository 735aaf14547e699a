import { test } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'

test('try', async () => {
  const session = await createSession()
  const t = performance.now()
  const lines = await session.run('hook replay --when "rsi(14, 1m) crosses above 45" "buy $1000 BTCUSDT stop -0.5% tp 1%" --candles examples/candles/chop.csv', { source: 'exec' })
  console.log(lines.join('\n'), performance.now() - t)
  console.log((await session.run('hook replay --when "rsi(14, 1m) crosses above 45" "buy $1000 BTCUSDT stop -0.5% tp 1%" --candles examples/candles/chop.csv --csv', { source: 'exec' })).join('\n'))
}, 60000)
