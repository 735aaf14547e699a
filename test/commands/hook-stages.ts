// Examples about what a hook would do, and what it did.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandSession, SessionOptions } from '../../harness/commands/command-session.ts'
import type { ExampleStage } from './example-stage.ts'

const HOOK_ID = '3f9c2a71'.repeat(4)

const hooks = ({ directory }: CommandSession): void => {
  mkdirSync(directory, { recursive: true })
  const row = { id: HOOK_ID, name: 'dip', secret: 'a'.repeat(32), command: 'echo ok', createdAt: 1 }
  writeFileSync(join(directory, 'hooks.json'), JSON.stringify({ hooks: [row] }))
}

const hookRan: SessionOptions = {
  runs: [
    {
      runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90',
      source: 'hook',
      origin: 'dip',
      hookId: HOOK_ID,
      command: 'buy $250',
      account: 'paper',
      state: 'failed',
      error: 'no money',
      startedAt: Date.UTC(2026, 10, 21, 15),
      finishedAt: Date.UTC(2026, 10, 21, 16),
    },
  ],
  kept: { output: { lines: [[12, 'print', 'one']], steps: [], leftOut: 0 } },
}
const LOGGED = /^print 2026-11-21 15:00:00 UTC {2}5a0e81c2 {2}failed in 1h\nprint \+12ms +one\nwarn failed: no money$/m

const fires: SessionOptions = {
  fireHook: async () => ({ runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90' }),
}
const ALERT = 'hook create alert "buy {size:usd<=500} {symbol:in(BTCUSDT,ETHUSDT)}"'
const TRIGGERED = 'hook create dip "buy $250 BTCUSDT stop -2%" --when "close(1h) crosses above sma(3)"'
const TESTED = [/^print 1 +BTCUSDT +buy +market +0.003 BTC/m, /^success hook alert would run now; nothing was sent$/m]

export const HOOK_STAGES: Readonly<Record<string, ExampleStage>> = {
  'hook test dip': {
    before: ['hook create dip "buy $250 stop -2%"'],
    after: ['positions'],
    prints: [/^print 1 +BTCUSDT +buy +market +0.003 BTC .* 63,700.0 \(-\$4.11\)/m, /no open positions/],
  },
  'hook test alert size=250 symbol=BTCUSDT': { before: [ALERT], prints: TESTED },
  'hook test alert \'{"size": 250, "symbol": "BTCUSDT"}\'': { before: [ALERT], prints: TESTED },
  'hook replay dip --since 90d': {
    before: [TRIGGERED],
    prints: [/^print hook dip on BTCUSDT, 2,160 candles of 1h$/m, /^info nothing was sent/m],
  },
  'hook replay dip --candles examples/candles/chop.csv': {
    before: ['hook create dip "buy $250 BTCUSDT stop -2%" --when "last < 64500"'],
    prints: [/^print hook dip on BTCUSDT, 360 candles of 1m$/m, /^print fires +[1-9]/m],
  },
  'hook replay --when "rsi(14, 1m) crosses above 35" "buy $1000 BTCUSDT stop -0.5% tp 1%" --candles examples/candles/chop.csv':
    {
      prints: [/^print a line on BTCUSDT, 360 candles of 1m$/m, /^print fires +[1-9]/m],
    },
  'hook replay dip --since 7d --frame 1m': {
    before: [TRIGGERED],
    prints: [/^print hook dip on BTCUSDT, 10,080 candles of 1m$/m],
  },
  'hook fire dip': {
    options: fires,
    before: ['hook create dip "buy $250 stop -2%"'],
    prints: [/^success fired hook dip: `runs show 5a0e81c2` shows the result$/],
  },
  'hook fire alert size=250 symbol=BTCUSDT': {
    options: fires,
    before: [ALERT],
    prints: [/^success fired hook alert: /],
  },
  'hook logs dip': { options: hookRan, prepare: hooks, prints: [LOGGED] },
  'hook logs dip --limit 1': { options: hookRan, prepare: hooks, prints: [LOGGED] },
  'hook logs dip --follow': {
    options: hookRan,
    prepare: hooks,
    prints: [LOGGED],
    fails: 'Ctrl-C ends it',
    meanwhile: async (session, run) => {
      await session.settle()
      run.abort()
      await session.advance(1_000)
    },
  },
}
