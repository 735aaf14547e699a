// Stages of the examples of orders beyond the plainest, and of what happened.
import type { Terminal } from '../../src/commands/kit/ports.ts'
import { type ExampleStage, restingOrders } from './example-stage.ts'
import { TRADED_STAGES } from './traded-stages.ts'

export const SILENT: Terminal = { askHidden: async () => '', clear: () => {}, history: () => [], quit: () => {} }

export const ORDER_STAGES: Readonly<Record<string, ExampleStage>> = {
  ...TRADED_STAGES,
  'buy risk 1% stop -2%': {
    prints: [
      /^info 0.072 BTC risks \$98.70 of \$100.00 if stopped at 63,700, fees included\nsuccess bought 0.072 BTCUSDT/,
      /stop sell 0.072 BTCUSDT at 63,700 is open/,
    ],
  },
  'buy $1000 stop -2% tp 2R': {
    prints: [/^success bought 0.015 BTCUSDT/, /stop sell 0.015 BTCUSDT at 63,700 tp 67,600 is open/],
  },
  'buy $900 stop -2% tp 30% 1R, 30% 2R': {
    prints: [
      /^success bought 0.003 BTCUSDT/,
      /stop sell 0.003 BTCUSDT at 63,700 tp 66,300 is open/,
      /stop sell 0.004 BTCUSDT at 63,700 tp 67,600 is open/,
      /stop sell 0.006 BTCUSDT at 63,700 is open/,
    ],
  },
  'buy $equity/10': { prints: [/^success bought 0.015 BTCUSDT/] },
  'buy $250 stop -2% tp +4%': {
    prints: [
      /^success bought 0.003 BTCUSDT/,
      /success order p2: stop sell 0.003 BTCUSDT at 63,700 tp 67,600 is open, reduce-only$/m,
    ],
  },
  'orders settle f4b1527f3fb5 never': {
    fails: 'no order is unsettled here',
    prints: [/^error not-found: no unsettled order has this id: `f4b1527f3fb5`/],
  },
  'orders settle f4b1527f3fb5 placed 8389765': {
    fails: 'no order is unsettled here',
    prints: [/^error not-found: no unsettled order has this id: `f4b1527f3fb5`/],
  },
  'position long $500 BTCUSDT': {
    prints: [/^success bought 0.007 BTCUSDT at 65,000.1/],
    after: ['position long $500 BTCUSDT'],
  },
  'position flat': { before: ['buy 0.01'], prints: [/^success sold 0.01 BTCUSDT/] },
  'position short $500 from flat --out-of-sync flatten': {
    before: ['buy 0.01'],
    prints: [/^warn BTCUSDT is long, not flat as expected: closed the position\nsuccess sold 0.01 BTCUSDT/],
  },
  'buy $250 at +0.1% ioc': { prints: [/^success bought 0.003 BTCUSDT at 65,000.1/] },
  'stop at -2% limit -0.2%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: stop-limit sell 0.01 BTCUSDT at 63,700 limit 63,572.6 is open, reduce-only$/],
  },
  'take at +4%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: take-profit sell 0.01 BTCUSDT at 67,600 is open, reduce-only$/],
  },
  'take 50% at 2R': {
    before: ['buy 0.01 stop -2%'],
    prints: [/^success order p\d: take-profit sell 0.005 BTCUSDT at 67,600.3 is open, reduce-only$/],
  },
  'take 50% BTCUSDT at $entry +5%': {
    before: ['buy 0.01'],
    prints: [/^success order p2: take-profit sell 0.005 BTCUSDT at 68,250.1 is open, reduce-only$/],
  },
  'take at +6% replace': {
    before: ['buy 0.01', 'take at +4%'],
    prints: [
      /^success order p3: take-profit sell 0.01 BTCUSDT at 68,900 is open, reduce-only$/m,
      /^success canceled order p2: take-profit sell 0.01 BTCUSDT at 67,600, reduce-only$/m,
    ],
  },
  'amend p17 at -0.5%': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,675$/],
  },
  'amend BTCUSDT 0.02': {
    prepare: restingOrders(1),
    prints: [/^success order p1 is now: buy 0.02 BTCUSDT at 61,750$/],
  },
  'amend p17 at -1% replace': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,350$/],
  },
  'amend p17 stop -3% tp +5%': {
    prepare: async (session) => {
      await restingOrders(16)(session)
      await session.run('buy 0.001 at 64000 stop 60000 tp 66000')
    },
    prints: [/^success order p17 is followed by: stop at 62,080, take-profit at 67,200$/],
  },
  'move p17 to -1%': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,350$/],
  },
  'move BTCUSDT to $bid': {
    prepare: restingOrders(1),
    prints: [/^success order p1 is now: buy 0.001 BTCUSDT at 64,999.9$/],
  },
  'move p17 -0.5%': {
    prepare: restingOrders(17),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 64,675$/],
  },
  'bump +10': {
    prepare: restingOrders(2),
    prints: [/^success order p1 is now: buy 0.001 BTCUSDT at 61,760$/m, /^success order p2 is now: .* at 61,760$/m],
  },
  'bump p17 -0.1%': {
    prepare: restingOrders(18),
    prints: [/^success order p17 is now: buy 0.001 BTCUSDT at 61,688.3$/],
  },
  'bump BTCUSDT -50': { prepare: restingOrders(1), prints: [/^success order p1 is now: buy 0.001 BTCUSDT at 61,700$/] },
  'scale buy $1000 into 5 from -1% to -3% stop -4% tp +6%': {
    prints: [/; each has its own stop \(61,776 to 60,528\) and take-profit \(68,211 to 66,833\)$/m],
  },
  'scale buy $1000 into 5 from -1% to -3%': {
    prints: [
      /^success order p1: buy 0.003 BTCUSDT at 64,350 is open$/m,
      /^success order p5: buy 0.003 BTCUSDT at 63,050 is open$/m,
      /^success scaled: buy 0.015 BTCUSDT in 5 orders, \$955.50 at 63,700 on average if all fill$/m,
    ],
  },
  'scale sell 50% BTCUSDT into 4 from +1% to +4% reduce po': {
    before: ['buy 0.04'],
    prints: [
      /^success order p2: sell 0.005 BTCUSDT at 65,650 is open, post-only, reduce-only$/m,
      /^success scaled: sell 0.02 BTCUSDT in 4 orders, \$1,332.50 at 66,625 on average if all fill$/m,
    ],
  },
  'scale buy $5000 into 8 from -1% to -4% skew 0.5 sizeskew 0.5': {
    prints: [
      /^success order p1: buy 0.005 BTCUSDT at 64,350 is open$/m,
      /^success order p8: buy 0.015 BTCUSDT at 62,400/m,
    ],
  },
  'swarm buy $1000 into 5': {
    prints: [/^success swarm: bought 0.015 BTCUSDT in 5 orders, \$975.00 at 65,000.1 on average$/m],
  },
  'swarm sell 100% BTCUSDT into 4 irregular reduce': {
    before: ['buy 0.04'],
    prints: [/^success swarm: sold 0.04 BTCUSDT in 4 orders, /m],
    after: ['positions'],
  },
  nuke: {
    before: ['buy 0.01', 'buy 0.01 at -1%'],
    options: { terminal: { ...SILENT, confirm: async () => true } },
    prints: [/^success sold 0.01 BTCUSDT/m, /^success account paper: canceled 1 order$/m],
  },
  'nuke positions --yes': { before: ['buy 0.01'], prints: [/^success sold 0.01 BTCUSDT/] },
  'nuke --everywhere --dry': {
    before: ['account add practice paper', 'buy 0.01'],
    prints: [/account paper: simulated: would place sell 0.01 BTCUSDT at the market, reduce-only$/m],
  },
  leverage: { prints: [/^print BTCUSDT 10x, cross margin, at most 100x$/] },
  'leverage BTCUSDT 5': { after: ['leverage'], prints: [/^success BTCUSDT at 5x, was 10x\nprint BTCUSDT 5x,/] },
  margin: { prints: [/^print BTCUSDT 10x, cross margin, at most 100x$/] },
  'margin BTCUSDT isolated': {
    fails: 'the paper market has cross margin only',
    prints: [/^error not-supported: hookline cannot set the margin mode on paper: BTCUSDT is on cross margin$/],
  },
  'orders --all --since 7d': {
    before: ['buy 0.01 stop -2%', 'close'],
    prints: [
      /p1 +BTCUSDT +buy +market +0.01 +0.01 +65,000.1 +terminal +filled$/m,
      /p2 +BTCUSDT +sell +stop +0.01 +63,700.0 +0 +terminal +canceled/m,
    ],
  },
  fills: {
    before: ['buy 0.01', 'close'],
    prints: [
      /BTCUSDT +buy +0.01 +65,000.1 +\$0.36 +p1 +terminal$/m,
      /BTCUSDT +sell +0.01 .* -\$0.00\d+ +p2 +terminal$/m,
    ],
  },
  'fills BTCUSDT --since 2d': {
    before: ['buy 0.01', 'buy 1 ETHUSDT'],
    prints: [/BTCUSDT +buy/, /^(?![\s\S]*ETHUSDT)/],
  },
  'fills --since 2026-01-01 --csv': {
    before: ['buy 0.01'],
    prints: [
      /^print time,symbol,side,amount,price,fee,/,
      /Z,BTCUSDT,buy,0.01,65000.1,0.3575\d+,USDT,0,USDT,p1,terminal,/,
    ],
  },
  trades: {
    before: ['buy 0.01', 'close', 'sell 1 ETHUSDT'],
    prints: [/BTCUSDT +long +0.01 +65,000.1 +64,999.9 /, /open +ETHUSDT +short +1 /],
  },
  'trades --since 7d': { before: ['buy 0.01', 'close'], prints: [/BTCUSDT +long +0.01 /] },
  'trades #breakout': {
    before: ['buy 0.01 #breakout', 'close', 'buy 1 ETHUSDT #dip', 'close ETHUSDT'],
    prints: [/BTCUSDT +long +0.01 .*#breakout$/m],
  },
  'session #breakout --since 30d': {
    before: ['buy 0.01 #breakout', 'close', 'buy 1 ETHUSDT', 'close ETHUSDT'],
    prints: [/^print all +paper +1 /m, /^print tag +breakout +1 /m],
  },
  'buy $250 stop -2% #breakout': {
    after: ['trades'],
    prints: [/^success bought 0.003 BTCUSDT/, /BTCUSDT +long .* p1 +#breakout$/m],
  },
  'note p1 "late entry" #fomo': {
    before: ['buy 0.01 #breakout', 'close'],
    after: ['trades'],
    prints: [/^success order p1 on BTCUSDT: #breakout #fomo late entry$/m, / p1 +#breakout #fomo late entry$/m],
  },
  'note p1': { before: ['buy 0.01'], prints: [/^info order p1 on BTCUSDT: no note$/] },
  'note p1 --clear': {
    before: ['buy 0.01 #breakout', 'note p1 "late entry"'],
    prints: [/^info order p1 on BTCUSDT: no note$/],
  },
  'export --tax 2026': {
    before: ['buy 0.01 #breakout'],
    prints: [
      /^print time,day,account,exchange,practice,kind,symbol,/,
      /^print 2026-01-01T00:00:00.000Z,2026-01-01,paper,paper,yes,fill,BTCUSDT,linear,buy,0.01,BTC,65000.1,650.001,USDT,0.3575\d+,USDT,0,,USDT,p1,.*,terminal,,breakout,$/m,
      /^warn 2026 is not over: the rows end at 2026-01-01 /m,
    ],
  },
  'export --tax 2026 --zone Europe/Berlin': { before: ['buy 0.01'], prints: [/Z,2026-01-01,paper,/] },
  session: {
    before: ['buy 0.01 stop -2%', 'close'],
    prints: [
      /^print by +trades +won +lost +win rate +average R +best R +worst R +profit factor +currency +realized +fees +funding +net/m,
      /^print all +paper +1 +0 +1 +0.0% +-0.06R +-0.06R +-0.06R +0.00 +USDT +-\$0.002 +\$0.72 +\$0.00 +-\$0.72$/m,
      /^print from +terminal +1 /m,
      /^print symbol +BTCUSDT +1 /m,
    ],
  },
  'session --since 7d': { before: ['buy 0.01', 'close'], prints: [/^info closed trades since 2025-12-25 /] },
  'session BTCUSDT --since 30d --csv': {
    before: ['buy 0.01', 'close'],
    prints: [/^print by,key,trades,won,/, /^print all,paper,1,0,1,/m],
  },
  pnl: { before: ['buy 0.01', 'close'], prints: [/^print 2026-01-01 +USDT +-\$0.002 .*\s2$/m, /^print total +USDT/m] },
  'pnl --by hook --since 30d': {
    before: ['buy 0.01', 'close'],
    prints: [/^print from +currency/, /^print terminal +USDT +-\$0.002/m],
  },
  'pnl --by account': {
    before: ['account add practice paper', 'buy 0.01', 'close'],
    prints: [/^print paper +USDT +-\$0.002/m, /^(?![\s\S]*practice)/],
  },
}
