import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BUSY_MS } from '../../harness/patience.ts'
import { runsOf } from '../../harness/tiers/runs.ts'
import { parseAmend, parseBump, parseMove } from '../../src/language/amend.ts'
import type { Argument } from '../../src/language/chain.ts'
import { completionTarget } from '../../src/language/completion.ts'
import { parseWait } from '../../src/language/condition.ts'
import { findLiveNames, replaceLive, replaceVariables } from '../../src/language/expansion.ts'
import { parseSymbols } from '../../src/language/names.ts'
import { parseCancel, parseClose, parseOrder, parseStop } from '../../src/language/order.ts'
import { parseChain } from '../../src/language/parse.ts'
import { parseScale, parseSwarm } from '../../src/language/placing.ts'
import { parsePrice } from '../../src/language/price.ts'
import { printChain } from '../../src/language/print.ts'
import { isSizeShaped, parseSize } from '../../src/language/size.ts'
import { parseChase, parseOco, parseTrail, parseTwap } from '../../src/language/task-intents.ts'
import { parseDuration, parseLongDuration } from '../../src/language/time.ts'
import { MAX_LINE_LENGTH, tokenize } from '../../src/language/tokenize.ts'
import { nearest } from '../../src/language/typo-match.ts'
import { anyText } from './arbitraries.ts'
import { assertRefusal } from './refusal.ts'

const word = (text: string): Argument => ({ kind: 'word', text, column: 1 })
const lookup = (name: string) => (name === 'x' ? '@x $last -1%' : undefined)

/** Everything that takes a text, and everything that takes the arguments of a command. */
const TEXT_PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  tokenize,
  parseChain,
  reprint: (text) => printChain(parseChain(text)),
  parseSize: (text) => parseSize(text, 1),
  parseDuration: (text) => parseDuration(text, 1),
  parseLongDuration: (text) => parseLongDuration(text, 1),
  parseSymbols: (text) => parseSymbols(text, 1),
  parsePrice: (text) => parsePrice([{ kind: 'word', text, column: 1 }], 0),
  isSizeShaped,
  findLiveNames,
  replaceLive: (text) => replaceLive(text, { last: '1' }),
  completionTarget: (text) => completionTarget(text, text.length),
  nearest: (text) => nearest(text, ['price', text, text.slice(1)]),
}
const ARGUMENT_PARSERS: Readonly<Record<string, (args: readonly Argument[]) => unknown>> = {
  parseOrder,
  parseStop,
  parseClose,
  parseCancel,
  parseAmend,
  parseMove,
  parseBump,
  parseScale,
  parseTrail,
  parseOco,
  parseSwarm,
  parseWait,
  parseChase,
  parseTwap,
  replaceVariables: (args) => replaceVariables(args, lookup),
}

/** Lets `run` succeed or refuse at a column up to `maxColumn`; anything else fails the test. */
function survives(run: () => unknown, maxColumn = Number.POSITIVE_INFINITY): void {
  try {
    run()
  } catch (error) {
    expect(assertRefusal(error).column).toBeLessThanOrEqual(maxColumn)
  }
}

describe('hostile input', () => {
  test.each(Object.entries(TEXT_PARSERS))('makes %s throw nothing but a LanguageError', (_, parse) => {
    fc.assert(
      fc.property(anyText, (text) => survives(() => parse(text), text.length + 1)),
      { numRuns: runsOf(1500) },
    )
  })

  test.each(Object.entries(ARGUMENT_PARSERS))('makes %s throw nothing but a LanguageError', (_, parse) => {
    const string = anyText.map((text): Argument => ({ kind: 'string', text, column: 1 }))
    const group: Argument = { kind: 'group', chain: { stages: [] }, column: 1 }
    const argument = fc.oneof({ weight: 20, arbitrary: anyText.map(word) }, string, fc.constant(group))
    const typed = anyText.map((line) => line.split(/\s+/).map(word))
    fc.assert(
      fc.property(fc.oneof(typed, fc.array(argument, { maxLength: 6 })), (args) => survives(() => parse(args))),
      { numRuns: runsOf(1500) },
    )
  })

  const full = (piece: string) => piece.repeat(Math.floor(MAX_LINE_LENGTH / piece.length))
  const PIECES = [
    'a',
    '1',
    '1,',
    ',',
    '1.',
    '0',
    '$',
    '$last',
    '%',
    '+',
    '+1',
    '$0+',
    '/$1',
    '*9',
    '-$equity',
    '25% 1R, ',
    '@1',
    '-',
    '=',
    '="',
    "'",
    '"',
    '(',
    ')',
    '()',
    '(a)',
    'a;',
    ';',
    'a&',
    'a ',
    ' ',
    '@',
    '@x',
    ',@x',
    '>',
    '>=',
    'a>',
    'timeout=',
    'a,b,',
    '1,000',
    '\u0000',
    '😀',
    'a="b" ',
    'a b;',
    'r (a',
    '"a" ',
    '$1 ',
    'at 1 ',
  ]

  test.each(PIECES)('as long as a line may be, made of %j, is answered at once', (piece) => {
    const line = full(piece)
    const startedAt = performance.now()
    for (const parse of Object.values(TEXT_PARSERS)) survives(() => parse(line))
    for (const parse of Object.values(ARGUMENT_PARSERS)) {
      survives(() => parse([word(line)]))
      survives(() => parse(line.split(' ').map(word)))
    }
    // Takes under 100 ms; work that grows with the cube of the length would take hours.
    expect(performance.now() - startedAt).toBeLessThan(BUSY_MS)
  })
})
