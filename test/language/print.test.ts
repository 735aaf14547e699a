import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import type { Argument, Chain, CommandCall, Step } from '../../src/language/chain.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'
import { printArgument, printChain } from '../../src/language/print.ts'
import { MAX_LINE_LENGTH } from '../../src/language/tokenize.ts'
import { chainArbitrary, grammarSoup } from './arbitraries.ts'

/** The same chain with all columns 0. */
function withoutColumns(chain: Chain): Chain {
  const argument = (arg: Argument): Argument =>
    arg.kind === 'group' ? { ...arg, chain: withoutColumns(arg.chain), column: 0 } : { ...arg, column: 0 }
  const call = (typed: CommandCall): CommandCall => ({ ...typed, args: typed.args.map(argument), column: 0 })
  const step = (typed: Step): Step =>
    typed.links === undefined
      ? call(typed)
      : { ...call(typed), links: typed.links.map((link) => ({ ...link, call: call(link.call) })) }
  return { stages: chain.stages.map((stage) => ({ commands: stage.commands.map(step) })) }
}

function parsed(line: string): Chain | undefined {
  try {
    return parseChain(line)
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}

describe('printChain', () => {
  test.each([
    ['', ''],
    ['  a   b ;c&d;', 'a b; c & d'],
    ["echo 'a; b'", 'echo "a; b"'],
    [`echo 'say "b"'`, `echo 'say "b"'`],
    ['repeat 2(x', 'repeat 2(x'],
    ['repeat 2 (  buy $10;sleep 1s; )', 'repeat 2 (buy $10; sleep 1s)'],
    ["x a='b c' d=''", 'x a="b c" d=""'],
    ['a&&b||c x&d ;e', 'a && b || c x & d; e'],
    ["echo it's don't", "echo it's don't"],
    ['a|b |', 'a|b |'],
  ])('prints %j as %j', (line, printed) => {
    expect(printChain(parseChain(line))).toBe(printed)
  })

  test.each<[string, string]>([
    ['plain', 'plain'],
    ['two words', '"two words"'],
    ['', '""'],
    ['(x', '"(x"'],
    ['a;b', '"a;b"'],
    ['a"b', `'a"b'`],
    ["it's", "it's"],
    ["'tis", `"'tis"`],
    ["a='b", `"a='b"`],
    ['a||b', '"a||b"'],
    ['a|b', 'a|b'],
  ])('quotes the word %j only where it could not be typed', (text, printed) => {
    expect(printArgument({ kind: 'word', text, column: 1 })).toBe(printed)
  })

  test('parses back to the same chain, whatever the chain', () => {
    fc.assert(
      fc.property(chainArbitrary, (chain) => {
        const line = printChain(chain)
        fc.pre(line.length <= MAX_LINE_LENGTH)
        expect(withoutColumns(parseChain(line))).toEqual(chain)
      }),
      { numRuns: runsOf(500) },
    )
  })

  test('parses back to the same chain for every line that parses', () => {
    let kept = 0
    fc.assert(
      fc.property(grammarSoup, (line) => {
        const chain = parsed(line)
        if (chain === undefined) return
        kept += 1
        expect(withoutColumns(parseChain(printChain(chain)))).toEqual(withoutColumns(chain))
      }),
      { numRuns: runsOf(3000) },
    )
    expect(kept).toBeGreaterThan(runsOf(3000) / 30)
  })
})
