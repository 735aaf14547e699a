// What holds of the language whatever is typed: refusals are LanguageErrors that point into the line and are safe to show.
import type { Argument, Chain, CommandCall, Step } from '../../src/language/chain.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { promise } from './target.ts'

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
/** Messages quote at most 40 units, some of them twice. */
const LONGEST_MESSAGE = 300

/** What `read` returns; undefined when it refuses soundly. @param lineLength in units, of the line that the columns are of */
export function refusedOr<T>(read: () => T, lineLength: number): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    checkRefusal(error, lineLength)
    return undefined
  }
}

export function checkRefusal({ code, column, message, hint = '' }: LanguageError, lineLength: number): void {
  promise(Number.isInteger(column), `the column of ${code} is a whole number`)
  promise(column >= 1 && column <= lineLength + 1, `the column of ${code} lies within the line`)
  promise(!UNPRINTABLE.test(message) && !UNPRINTABLE.test(hint), `the message of ${code} steers no terminal`)
  promise(message.length + hint.length <= LONGEST_MESSAGE, `the message of ${code} is short`)
}

export function callsOf(chain: Chain): readonly CommandCall[] {
  const all = (step: Step) => [step, ...(step.links ?? []).map(({ call }) => call)]
  return chain.stages.flatMap(({ commands }) =>
    commands.flatMap(all).flatMap((call) => [call, ...call.args.flatMap(inner)]),
  )
}

function inner(argument: Argument): readonly CommandCall[] {
  return argument.kind === 'group' ? callsOf(argument.chain) : []
}

/** The same chain with all columns 0. */
export function withoutColumns(chain: Chain): Chain {
  const argument = (arg: Argument): Argument =>
    arg.kind === 'group' ? { ...arg, chain: withoutColumns(arg.chain), column: 0 } : { ...arg, column: 0 }
  const call = (typed: CommandCall): CommandCall => ({ ...typed, args: typed.args.map(argument), column: 0 })
  const step = (typed: Step): Step =>
    typed.links === undefined
      ? call(typed)
      : { ...call(typed), links: typed.links.map((link) => ({ ...link, call: call(link.call) })) }
  return { stages: chain.stages.map((stage) => ({ commands: stage.commands.map(step) })) }
}

export const LINES: readonly string[] = [
  'buy $250 BTCUSDT at -1% po stop -2%',
  'sell 0.01 ETHUSDT,BTCUSDT at $bid +0.1% reduce; echo "done; yes"',
  'stop sell 50% at $entry -2% & close longs 25%pos',
  'wait price BTCUSDT >= +1% timeout=1m for=5s; cancel p17,p18 BTCUSDT',
  "repeat 3 (buy 10$ best po; sleep 250ms); wait time 14:30; hook create a 'buy $1'",
  'wait pnl < -50; wait flat; wait fill p1; close all; cancel all; wait 1.5m; wait anyposition',
  "cancel && close || echo it's open & price; repeat 2 (buy $1 || sleep 1s) && echo don't",
  'scale buy $1000 BTCUSDT into 5 from -1% to -3% skew 0.5 sizeskew -1 po; swarm sell 50% into 4 irregular reduce',
  'move p17 to 64000; move p17 -1% replace; bump +10; bump p17,BTCUSDT -0.1% replace; nuke positions --yes',
  'close BTCUSDT 50%bal; stop at 65000 -100; wait bid != 1 ; x key="a value"',
]

export const WORDS: readonly string[] = [
  'buy',
  'sell',
  'stop',
  'close',
  'cancel',
  'wait',
  'repeat',
  'sleep',
  'echo',
  'at',
  'po',
  'best',
  'reduce',
  'scale',
  'swarm',
  'move',
  'bump',
  'nuke',
  'into',
  'from',
  'to',
  'skew',
  'sizeskew',
  'irregular',
  'replace',
  'long',
  'longs',
  'short',
  'shorts',
  'all',
  'allpos',
  'flat',
  'fill',
  'time',
  'price',
  'last',
  'bid',
  'ask',
  'pnl',
  'position',
  'anyposition',
  'timeout=',
  'for=',
  '$last',
  '$bid',
  '$ask',
  '$entry',
  '$pnl',
  '@x',
  '$@x',
  'BTCUSDT',
  'ETHUSDT',
  'BTC/USDT:USDT',
  'p17',
  '$250',
  '250$',
  '0.01',
  '50%',
  '50%bal',
  '50%pos',
  '+100',
  '-0.5%',
  '>',
  '<',
  '>=',
  '<=',
  '==',
  '!=',
  '=',
  '=>',
  '<>',
  ';',
  '&',
  '&&',
  '||',
  '|',
  "it's",
  '(',
  ')',
  '"',
  "'",
  '="',
  ',',
  '5s',
  '250ms',
  '2m',
  '1430',
  '14:30',
  '1e5',
  '1,000',
  '999999999999999999',
  '.5',
  '0',
  '-100%',
  '😀',
  '\u202e',
  '\u2028',
  ' ',
]
