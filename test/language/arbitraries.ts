// Input for property tests: chains that can be typed, and lines made of the grammar's own pieces.
import fc from 'fast-check'
import type { Argument, Chain, CommandCall, Link, Stage, Step } from '../../src/language/chain.ts'

/** Any UTF-16 at all, half of it ASCII: controls, lone surrogates, unicode. */
export function anyUnits(maxLength: number): fc.Arbitrary<string> {
  const unit = fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }))
  return fc.array(unit, { maxLength }).map((units) => String.fromCharCode(...units))
}

const text = anyUnits(12)
/** An apostrophe inside a word is a letter of it, and so is a single `|`. */
const piece = fc.oneof({ weight: 3, arbitrary: text }, fc.constantFrom("it's", "don't'", 'a|b', '|'))
const bare = piece.filter((value) => value !== '' && !/[\s;&"()]|\|\||^'|='/.test(value))
const unquoted = text.filter((value) => !(value.includes('"') && value.includes("'")))

const word: fc.Arbitrary<Argument> = bare.map((value) => ({ kind: 'word', text: value, column: 0 }))
const string: fc.Arbitrary<Argument> = unquoted.map((value) => ({ kind: 'string', text: value, column: 0 }))
const quotedValue: fc.Arbitrary<Argument> = fc.tuple(bare, unquoted).map(([key, value]) => ({
  kind: 'word',
  text: `${key}=${value}`,
  column: 0,
  quotedFrom: key.length + 1,
}))

function chainOfDepth(depth: number, minLength: number): fc.Arbitrary<Chain> {
  const group: fc.Arbitrary<Argument>[] =
    depth === 0 ? [] : [chainOfDepth(depth - 1, 1).map((chain) => ({ kind: 'group', chain, column: 0 }))]
  const argument = fc.oneof(word, string, quotedValue, ...group)
  const call: fc.Arbitrary<CommandCall> = fc.record({
    name: bare,
    args: fc.array(argument, { maxLength: 4 }),
    column: fc.constant(0),
  })
  const link: fc.Arbitrary<Link> = fc.record({ operator: fc.constantFrom('&&', '||'), call })
  const links = fc.array(link, { minLength: 1, maxLength: 3 })
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: call },
    fc.tuple(call, links).map(([first, more]) => ({ ...first, links: more })),
  )
  const stage: fc.Arbitrary<Stage> = fc.record({ commands: fc.array(step, { minLength: 1, maxLength: 3 }) })
  return fc.record({ stages: fc.array(stage, { minLength, maxLength: 3 }) })
}

/** Chains as the parser makes them, with all columns 0. */
export const chainArbitrary: fc.Arbitrary<Chain> = chainOfDepth(2, 0)

const PIECES = [
  ' ',
  ' ',
  ' ',
  '\t',
  ';',
  '&',
  '&&',
  '||',
  '|',
  '(',
  ')',
  '"',
  "'",
  '=',
  ',',
  '$',
  '%',
  '+',
  '-',
  '@',
  '.',
  '>',
  '<',
  '!',
  ':',
  '0',
  '1',
  '100',
  '250',
  '0.01',
  '1,000',
  '65000',
  '1e5',
  '14:30',
  '1430',
  '999999999999999999999',
  'a',
  'at',
  'stop',
  'reduce',
  'po',
  'best',
  'buy',
  'sell',
  'longs',
  'all',
  'BTCUSDT',
  'ETHUSDT',
  'p17',
  'scale',
  'swarm',
  'bump',
  'into',
  'from',
  'to',
  'skew',
  'sizeskew',
  'irregular',
  'replace',
  '5',
  '-0.5',
  '+10',
  'time',
  'price',
  'pnl',
  'fill',
  'flat',
  'long',
  'anyposition',
  'timeout=',
  'for=',
  'ms',
  's',
  'm',
  '5s',
  '$last',
  '$bid',
  '$entry',
  '@x',
  '@y',
  'bal',
  'pos',
  'constructor',
  '__proto__',
  '\u0000',
  '\u2028',
  '😀',
  '\ud800',
]

/** Lines made of the grammar's own pieces, most of them wrong. */
export const grammarSoup: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 14 })
  .map((pieces) => pieces.join(''))

/** Any text at all, or the grammar's own pieces. */
export const anyText: fc.Arbitrary<string> = fc.oneof(grammarSoup, anyUnits(40))
