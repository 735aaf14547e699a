// What each example of `help` and of README needs around it, and what it must print there: the stage for `examples.test.ts`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandSession, SessionOptions } from '../../harness/commands/command-session.ts'
import type { StartedRun } from '../../harness/commands/started-run.ts'
import type { RunSummary } from '../../src/runs/run.ts'
import { CROSS_TRADE_STAGES } from './cross-trade-stages.ts'
import { type ExampleStage, priceGoes, restingOrders } from './example-stage.ts'
import { EXIT_STAGES } from './exit-stages.ts'
import { GUARD_STAGES } from './guard-stages.ts'
import { hookCareStages } from './hook-care-stages.ts'
import { HOOK_STAGES } from './hook-stages.ts'
import { KEY_STAGES } from './key-stages.ts'
import { LISTENER_STAGES } from './listener-stages.ts'
import { NOTICE_STAGES } from './notice-stages.ts'
import { ORDER_STAGES } from './order-stages.ts'
import { SIGN_IN_STAGES } from './sign-in-stages.ts'
import { TASK_STAGES } from './task-stages.ts'

export type { ExampleStage } from './example-stage.ts'

const ID = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const HOOK_ID = ID.replaceAll('-', '')

const hooks = ({ directory }: CommandSession): void => {
  mkdirSync(directory, { recursive: true })
  const row = { id: HOOK_ID, name: 'dip', secret: 'a'.repeat(32), command: 'echo ok', createdAt: 1 }
  writeFileSync(join(directory, 'hooks.json'), JSON.stringify({ hooks: [row] }))
}

/** And a little more: a run that repeats lets the event loop turn between two rounds. */
const timePasses = (ms: number) => async (session: CommandSession, run: StartedRun) => {
  await session.advance(ms)
  for (let more = 0; more < 10 && !run.ended; more += 1) await session.advance(1_000)
}

const asked = new Set<string>()
/** Notes what it is told to do, and has two lines in its history. */
const terminal = {
  askHidden: async () => '',
  clear: () => void asked.add('clear'),
  history: () => ['price', 'buy $250'],
  quit: () => void asked.add('quit'),
  show: async () => void asked.add('show'),
  times: { zone: 'utc' as const },
}
const atPrompt = { options: { terminal } }

const RUN: RunSummary = {
  runId: '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90',
  source: 'hook',
  origin: 'dip',
  command: 'buy $250',

  account: 'paper',
  state: 'failed',
  error: 'no money',
  startedAt: Date.UTC(2026, 10, 21, 15),
  finishedAt: Date.UTC(2026, 10, 21, 16),
}
const { finishedAt: _finishedAt, error: _error, ...UNDER_WAY } = RUN
const running: SessionOptions = { runs: [{ ...UNDER_WAY, runId: ID, hookId: 'a'.repeat(32), state: 'running' }] }
/** The market's clock begins at the first day of the year. */
const ran: SessionOptions = { runs: [RUN] }
const justRan: SessionOptions = { runs: [{ ...RUN, startedAt: Date.UTC(2026, 0, 1) }] }

export const STAGES: Readonly<Record<string, ExampleStage>> = {
  ...ORDER_STAGES,
  ...EXIT_STAGES,
  'buy $1000 BTCUSDT': { prints: [/^success bought 0.015 BTCUSDT/] },
  'buy 0.01 at -1%': { prints: [/^success order p1: buy 0.01 BTCUSDT at 64,350.0 is open$/] },
  'buy $100 BTCUSDT,ETHUSDT': { prints: [/^success bought 0.001 BTCUSDT/, /success bought 0.03 ETHUSDT/] },
  'buy 50% best po': { prints: [/^success order p1: buy 0.\d+ BTCUSDT at 64,999.9 is open, post-only$/m] },
  'buy $1000 stop -2%': {
    prints: [/^success bought 0.015 BTCUSDT/, /success order p2: stop sell 0.015 BTCUSDT .* is open, reduce-only$/m],
  },
  'buy 0.01 at -1% stop -1.5% tp +3%': {
    prints: [
      /^success order p1: buy 0.01 BTCUSDT at 64,350.0 is open\ninfo stop 63,384.8 and target 66,280.5 are placed on fill/,
    ],
  },
  'sell $250 BTCUSDT': { prints: [/^success sold 0.003 BTCUSDT/] },
  'sell 50% at +1% reduce': {
    before: ['buy 0.01'],
    prints: [/^success order p2: sell 0.005 BTCUSDT at 65,650.0 is open, reduce-only$/],
  },
  'sell 0.05 flip': {
    before: ['buy 0.02'],
    prints: [/^success sold 0.05 BTCUSDT/, /^warn the sell closes 0.02 BTC and opens a short of 0.03 BTC$/m],
  },
  'sell $500 at $ask +10 po': { prints: [/^success order p1: sell 0.007 BTCUSDT at 65,010.1 is open, post-only$/m] },
  'stop at -2%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: stop sell 0.01 BTCUSDT at 63,700.0 is open, reduce-only$/],
  },
  'stop at -1% replace': {
    before: ['buy 0.01 stop -2%'],
    prints: [
      /^success order p3: stop sell 0.01 BTCUSDT at 64,350.0 is open, reduce-only\nsuccess canceled order p2: stop sell 0.01 BTCUSDT at 63,700.0, reduce-only/,
    ],
  },
  'stop breakeven +0.1%': {
    before: ['sell 0.01'],
    prepare: async ({ market }) => market.setPrice('BTCUSDT', '64000'),
    prints: [
      /^success order p2: stop buy 0.01 BTCUSDT at 64,934.9 is open, reduce-only\ninfo at 64,934.9 the position loses about \$0.0\d after fees: `stop BTCUSDT breakeven \+fees` covers them$/,
    ],
  },
  'stop breakeven +fees': {
    before: ['sell 0.01'],
    prepare: async ({ market }) => market.setPrice('BTCUSDT', '64000'),
    prints: [/^success order p2: stop buy 0.01 BTCUSDT at 64,928.4 is open, reduce-only$/],
  },
  flip: {
    before: ['buy 0.01'],
    prints: [
      /^success sold 0.01 BTCUSDT[^\n]*\nsuccess sold 0.01 BTCUSDT[^\n]*\n[a-z]+ the BTCUSDT short of 0.01 BTC has no stop/,
    ],
  },
  'flip BTCUSDT stop +2%': {
    before: ['buy 0.01'],
    prints: [
      /^success sold 0.01 BTCUSDT[^\n]*\nsuccess sold 0.01 BTCUSDT[^\n]*\nsuccess order p\d: stop buy 0.01 BTCUSDT at 66,300.0/,
    ],
  },
  'stop 50% at $entry -3%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: stop sell 0.005 BTCUSDT at 63,050.1 is open, reduce-only$/],
  },
  'stop buy $250 at +100': { prints: [/^success order p1: stop buy 0.003 BTCUSDT at 65,100.0 is open$/m] },
  close: { before: ['buy 0.01'], prints: [/^success sold 0.01 BTCUSDT/] },
  'close BTCUSDT 50%': { before: ['buy 0.01'], prints: [/^success sold 0.005 BTCUSDT/] },
  'close longs': { before: ['buy 0.01; sell 1 ETHUSDT'], prints: [/^success sold 0.01 BTCUSDT[^\n]*$/] },
  cancel: { before: ['buy 0.01 at -1%'], prints: [/^success canceled order p1: /] },
  'cancel p17,p18': {
    prepare: restingOrders(18),
    prints: [/^success canceled order p17: .*\nsuccess canceled order p18: .*$/],
  },
  'cancel ETHUSDT': { before: ['buy 1 ETHUSDT at -1%'], prints: [/^success canceled order p1: .* ETHUSDT/] },
  'cancel entries': {
    before: ['buy 0.01 stop -2%', 'buy 0.01 at -1%'],
    prints: [/^success canceled order p3: buy 0\.01 BTCUSDT at 64,350.0$/],
  },
  'cancel stops': {
    before: ['buy 0.01 stop -2%'],
    prints: [/^success canceled order p2: stop sell 0\.01 BTCUSDT/],
  },
  'cancel all': {
    before: ['buy 1 ETHUSDT at -1%; buy 0.01 BTCUSDT at -1%'],
    prints: [/order p1: .* ETHUSDT/, /order p2: .* BTCUSDT/],
  },
  symbol: { prints: [/^print BTCUSDT 65,000\.0$/] },
  'symbol ETHUSDT': { after: ['price'], prints: [/^print ETHUSDT 3,000/, /\nprint ETHUSDT/] },
  markets: { prints: [/BTCUSDT/, /ETHUSDT/] },
  'markets btc': { prints: [/BTCUSDT/, /^(?![\s\S]*ETHUSDT)/] },
  exchanges: {
    prints: [
      /binance +stand-in(?: \d+ %)? +spot linear inverse +yes/,
      /bybit/,
      /own page are reported within 5 s\n/,
      /kraken, streams down: within 12 s\n/,
      /unproven: .*bitstamp/s,
    ],
  },
  'exchanges okx': { prints: [/okx +stand-in(?: \d+ %)? +spot linear inverse/, /myokx/, /^(?![\s\S]*binance)/] },
  price: { prints: [/^print BTCUSDT .*65,000/] },
  'price BTCUSDT,ETHUSDT': { prints: [/BTCUSDT .*65,000/, /ETHUSDT .*3,000/] },
  balance: { prints: [/USDT .*\$10,000.00/] },
  book: { prints: [/ask +65,000\.1/, /bid +64,999\.9/, /spread 0\.2/] },
  'book ETHUSDT 5': { prints: [/ask +3,000\.01/, /bid +2,999\.99/, /ETHUSDT spread/] },
  watch: { ...atPrompt, does: () => asked.has('show'), prints: [/^$/] },
  'watch --once': { before: ['buy 0.01'], prints: [/BTCUSDT +long .* bare/, /no open orders/] },
  'positions BTCUSDT': { before: ['buy 0.01; buy 1 ETHUSDT'], prints: [/BTCUSDT +long(?![\s\S]*ETHUSDT)/] },
  positions: { before: ['buy 0.01; buy 1 ETHUSDT'], prints: [/BTCUSDT +long/, /ETHUSDT +long/] },
  orders: { before: ['buy 0.01 at -1%; buy 1 ETHUSDT at -1%'], prints: [/BTCUSDT/, /ETHUSDT/] },
  'orders BTCUSDT': {
    before: ['buy 0.01 at -1%; buy 1 ETHUSDT at -1%'],
    prints: [/BTCUSDT +buy/, /^(?![\s\S]*ETHUSDT)/],
  },
  account: { prints: [/\* {2}paper +paper +none/] },
  'account add practice paper': {
    after: ['account'],
    prints: [/^success added account practice on paper/, /practice +paper/],
  },
  ...KEY_STAGES,
  'account use paper': { after: ['account'], prints: [/^success trading on paper$/m, /\* {2}paper/] },
  'account reset paper': {
    fails: 'it asks first, which is what it shows',
    prints: [/^error needs-yes: .* a reset ends all of it/],
  },
  'account reset paper --yes': { after: ['balance'], prints: [/^success paper starts again/, /USDT +\$10,000.00/] },
  'account reset practice $50000 --yes': {
    before: ['account add practice paper'],
    prints: [/^success practice starts again with \$50,000.00$/],
  },
  'account remove practice': {
    before: ['account add practice paper; hook create dip "echo ok" --account practice'],
    prints: [/^success removed account practice/, /failing now: dip$/],
  },
  'paper faults': { prints: [/lost-answers +off/] },
  'paper faults lost-answers 3': { after: ['paper faults'], prints: [/lost-answers +one in 3/] },
  'paper faults lost-orders on': { after: ['paper faults'], prints: [/lost-orders +every one/] },
  'paper faults gap 10': { prints: [/^success gap: /] },
  'paper faults latency 250': { prints: [/^success latency: 250 ms/] },
  'paper replay examples/candles/crash.csv --speed 60': {
    meanwhile: async (session, run) => {
      // Its file is read before its time begins.
      while (run.lines.length === 0) await session.settle()
      await session.advance(361_000)
    },
    prints: [
      /^success replaying 360 candles of BTCUSDT, the symbol in focus, on account replay at 60 times their speed for 6m, from \$10,000.00$/m,
      /^print BTCUSDT 55,\d+.*, 180 of 360 candles, account worth \$10,000.00, running$/m,
      /\nprint BTCUSDT 57,479.7, 360 of 360 candles, account worth \$10,000.00, ended$/,
    ],
  },
  'paper replay examples/candles/trend.csv ETHUSDT --background': {
    after: ['account use replay', 'symbol ETHUSDT'],
    prints: [
      /^success replaying 360 candles of ETHUSDT/,
      /^success trading on replay$/m,
      /^print ETHUSDT 65,000\.00$/m,
    ],
  },
  'paper replay status': {
    before: ['paper replay examples/candles/crash.csv --background'],
    prints: [/^print BTCUSDT 65,000.0, 0 of 360 candles, account worth \$10,000.00, running$/],
  },
  'paper replay stop': {
    before: ['paper replay examples/candles/crash.csv --background'],
    prints: [/^print BTCUSDT 65,000.0, 0 of 360 candles, account worth \$10,000.00, stopped$/],
  },
  'paper faults off': { prints: [/^success all faults are off$/] },
  'sleep 5s; echo done': { meanwhile: timePasses(5000), prints: [/^print done$/] },
  'sleep 250ms': { meanwhile: timePasses(1000), prints: [/^$/] },
  'wait price > +1%; buy $250': {
    meanwhile: priceGoes('66000'),
    prints: [/^success bought 0.003 BTCUSDT at 66,000/],
  },
  'wait price < -1% for=5s timeout=10m': { meanwhile: priceGoes('64000', 7000), prints: [/^$/] },
  'wait fill p17; stop at -2%': {
    prepare: async (session) => {
      await restingOrders(16)(session)
      await session.run('buy 0.01 at -1%')
    },
    meanwhile: priceGoes('64000'),
    prints: [/success order p18: stop sell 0.01 BTCUSDT at 62,720.0 is open, reduce-only$/],
  },
  'wait flat; echo flat': {
    before: ['buy 0.01'],
    meanwhile: async (session, run) => {
      run.lines.push('info closing now')
      await session.run('close')
    },
    prints: [/^info closing now\nprint flat$/],
  },
  'wait rsi(14, 1m) < 80 and last > 60000 timeout=10m; buy $250': { prints: [/^success bought/m] },
  'wait time 1430': { meanwhile: timePasses(14.5 * 3_600_000), prints: [/^$/] },
  'echo ok': { prints: [/^print ok$/] },
  'echo last is $last': { prints: [/^print last is 65000$/] },
  'echo "costs $last; really"': { prints: [/^print costs \$last; really$/] },
  'set @size $250': { after: ['buy @size'], prints: [/^success @size = \$250$/m, /^success bought 0.003 BTCUSDT/m] },
  'set @floor $last -1%': { prints: [/^success @floor = 64350$/] },
  set: { before: ['set @size $250'], prints: [/^print @size +\$250$/] },
  'unset @size': {
    before: ['set @size $250'],
    after: ['set'],
    prints: [/^success removed @size$/m, /^info no variables/m],
  },
  'alias z "cancel; close"': {
    after: ['z'],
    prints: [/^success z = cancel; close$/m, /^info no position on BTCUSDT$/m],
  },
  'alias lg "buy @1 stop @2"': {
    after: ['lg $250 -2%'],
    prints: [/^success lg = buy @1 stop @2$/m, /stop sell 0.003 BTCUSDT at 63,700.0 is open/m],
  },
  'alias dip "buy $250 stop -2%"': {
    after: ['dip ETHUSDT'],
    prints: [/^success bought 0.08 ETHUSDT/m, /^success order p2: stop sell 0.08 ETHUSDT/m],
  },
  'alias --remove z': { before: ['alias z close'], prints: [/^success removed alias z$/] },
  'unalias z': { before: ['alias z close'], prints: [/^success removed alias z$/] },
  'repeat 3 (buy $100; sleep 1s)': {
    meanwhile: timePasses(3000),
    prints: [
      /^(success bought 0.001 BTCUSDT[^\n]*\ninfo [^\n]* rounded down to the lot size of [^\n]*\ninfo [^\n]* has no stop: [^\n]*\n?){3}$/,
    ],
  },
  'repeat 2 (price & balance)': { prints: [/(BTCUSDT[\s\S]*){2}/, /(USDT +\$10,000[\s\S]*){2}/] },
  'repeat 5 (buy $100 || sleep 1s)': {
    before: ['paper faults refusals 2'],
    meanwhile: timePasses(5000),
    prints: [/^success bought/, /^error unavailable/m, /(success bought[\s\S]*){3}/],
  },
  hooks: { before: ['hook create dip "echo ok"'], prints: [/dip +<hidden>/] },
  'hook create dip "buy $250 BTCUSDT stop -2%"': { prints: [/^success created hook dip$/m, /curl /] },
  "hook create flat 'cancel all; close all' --account paper": {
    prints: [/^success created hook flat$/m, /account +paper/],
  },
  'hook show dip': { prepare: hooks, prints: [/^print hook dip runs: echo ok$/m] },
  'hook show 3f9c2a71': { prepare: hooks, prints: [/^print hook dip runs: echo ok$/m, /token +a{32}/] },
  'hook rotate dip': { prepare: hooks, prints: [/^success hook dip has a new token/, new RegExp(HOOK_ID)] },
  'hook revoke dip': { prepare: hooks, prints: [/^success revoked hook dip/] },
  'hook revoke --all': { prepare: hooks, prints: [/^success revoked 1 hook$/] },
  'hook create tv "buy {size:usd<=500} BTCUSDT stop -2% -- {id:key} {at:time<=30s}"': {
    prints: [/^success created hook tv$/m, /id=\{\{ticker\}\}-\{\{timenow\}\} at=\{\{timenow\}\}/],
  },
  'hook create scalp "buy $100 BTCUSDT" --parallel 1 --max-age 5s': { prints: [/^success created hook scalp$/m] },
  'runs stop 3f9c2a71': {
    options: running,
    prints: [/^success stopped 1 run here; other hooklines .* within a second$/],
  },
  ...hookCareStages(hooks),
  'runs stop dip': {
    options: running,
    prepare: hooks,
    prints: [/^success stopped 1 run here; other hooklines .* within a second$/],
  },
  'runs stop --all': {
    options: running,
    prints: [/^success stopped 1 run here; other hooklines .* within a second$/],
  },
  panic: { after: ['status'], prints: [/panic/] },
  resume: { before: ['panic'], prints: [/^success /] },
  ...GUARD_STAGES,
  ...TASK_STAGES,
  ...CROSS_TRADE_STAGES,
  ...HOOK_STAGES,
  ...LISTENER_STAGES,
  ...NOTICE_STAGES,
  ...SIGN_IN_STAGES,
  status: { prints: [/files/, /listening/] },
  audit: { before: ['alias z "close"'], prints: [/alias set +terminal +name z, text close/] },
  'audit 100 --since 2h': { before: ['alias z "close"'], prints: [/alias set +terminal +name z, text close/] },
  'audit verify': { before: ['alias z "close"'], prints: [/1 entry is as written/] },
  help: { prints: [/Trading +buy sell/, /`help all`/] },
  'help all': { prints: [/Trading/, /A failed step ends its chain/] },
  'help buy': { prints: [/^print buy/, /for example/] },
  'help sizes': { prints: [/Sizes: \$250/, /free balance/] },
  'help hook create': { prints: [/hook create <name>/] },
  history: { ...atPrompt, prints: [/^print price\nprint buy \$250$/] },
  'history 100': { ...atPrompt, prints: [/^print price\nprint buy \$250$/] },
  runs: { options: ran, prints: [/buy \$250/] },
  'runs 100 --since 2h': { options: justRan, prints: [/buy \$250/] },
  'runs --hook dip --failed': { options: ran, prints: [/buy \$250/, /no money/] },
  'runs --since 2026-11-21T14:30': { options: ran, prints: [/buy \$250/] },
  'runs show 5a0e81c2': { options: ran, prints: [/command +buy \$250/, /no output/] },
  'runs show dip': { options: ran, prints: [/command +buy \$250/] },
  'times local': { ...atPrompt, prints: [/times are shown in .+: it is 2026-01-01 .* [+-]\d\d:\d\d; typed times/] },
  'times Europe/Berlin': {
    ...atPrompt,
    prints: [/times are shown in Europe\/Berlin: it is 2026-01-01 .* \+01:00; typed times/],
  },
  'times utc': { ...atPrompt, prints: [/times are shown in UTC/] },
  clear: { ...atPrompt, does: () => asked.has('clear'), prints: [/^$/] },
  exit: { ...atPrompt, does: () => asked.has('quit'), prints: [/^$/] },
}

/** README's, beyond those that `help` has too. */
export const README_STAGES: Readonly<Record<string, ExampleStage>> = {
  'stop breakeven': {
    before: ['sell 0.01'],
    prepare: async ({ market }) => market.setPrice('BTCUSDT', '64000'),
    prints: [
      /^success order p2: stop buy 0.01 BTCUSDT at 64,999.9 is open, reduce-only\ninfo at 64,999.9 the position loses about \$0.7\d after fees: `stop BTCUSDT breakeven \+fees` covers them$/,
    ],
  },
  'buy ETHUSDT 50%': { prints: [/^success bought \d+\.\d+ ETHUSDT/] },
  'sell 0.01': { prints: [/^success sold 0.01 BTCUSDT/] },
  'buy $100 BTCUSDT,ETHUSDT at -1% po': {
    prints: [/p1: buy 0.001 BTCUSDT .* post-only$/m, /p2: buy 0.03 ETHUSDT .* post-only$/m],
  },
  'close 50%': { before: ['buy 0.01'], prints: [/^success sold 0.005 BTCUSDT/] },
  'wait price > +1% timeout=10m; close': {
    before: ['buy 0.01'],
    meanwhile: priceGoes('65651'),
    prints: [/^success sold 0.01 BTCUSDT at 65,650.9/],
  },
  'alias dip "buy @size stop -2%"': {
    before: ['set @size $250'],
    after: ['dip'],
    prints: [/^success bought 0.003 BTCUSDT/m, /^success order p2: stop sell/m],
  },
}
