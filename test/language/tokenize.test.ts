import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { MAX_GROUP_DEPTH, MAX_LINE_LENGTH, type Token, tokenize } from '../../src/language/tokenize.ts'
import { refusalOf } from './refusal.ts'

const word = (text: string, column: number): Token => ({ kind: 'word', text, column, end: column + text.length })
const string = (text: string, column: number): Token => ({
  kind: 'string',
  text,
  column,
  end: column + text.length + 2,
})
const mark = (kind: ';' | '&' | '(' | ')', column: number): Token => ({ kind, column, end: column + 1 })
const double = (kind: '&&' | '||', column: number): Token => ({ kind, column, end: column + 2 })
const quoted = (text: string, column: number, quotedFrom: number): Token => ({
  kind: 'word',
  text,
  column,
  end: column + text.length + 2,
  quotedFrom,
})

describe('tokenize', () => {
  test.each<[string, Token[]]>([
    ['', []],
    [' \t\n ', []],
    ['buy $250', [word('buy', 1), word('$250', 5)]],
    ['a;b', [word('a', 1), mark(';', 2), word('b', 3)]],
    ['a&b', [word('a', 1), mark('&', 2), word('b', 3)]],
    ['a&&b', [word('a', 1), double('&&', 2), word('b', 4)]],
    ['a || b', [word('a', 1), double('||', 3), word('b', 6)]],
    ['a|b |', [word('a|b', 1), word('|', 5)]],
    ['a&&&b', [word('a', 1), double('&&', 2), mark('&', 4), word('b', 5)]],
    ['"a"||b', [string('a', 1), double('||', 4), word('b', 6)]],
    ["echo it's done", [word('echo', 1), word("it's", 6), word('done', 11)]],
    ["don't;x", [word("don't", 1), mark(';', 6), word('x', 7)]],
    ["traders' a''b", [word("traders'", 1), word("a''b", 10)]],
    ["it's='x y'", [quoted("it's=x y", 1, 5)]],
    ["(it's)", [mark('(', 1), word("it's", 2), mark(')', 6)]],
    ['a\u00a0b\ufeffc', [word('a', 1), word('b', 3), word('c', 5)]],
    ['😀 b', [word('😀', 1), word('b', 4)]],
    ['a\u0000b', [word('a\u0000b', 1)]],
    ['"a; b & (c)"', [string('a; b & (c)', 1)]],
    [`'it "is"'`, [string('it "is"', 1)]],
    [`"it's"`, [string("it's", 1)]],
    ['""', [string('', 1)]],
    ['"a";b', [string('a', 1), mark(';', 4), word('b', 5)]],
    ['"a"&b', [string('a', 1), mark('&', 4), word('b', 5)]],
    ['"a\\" b', [string('a\\', 1), word('b', 6)]],
    ['--account="my acc" x', [quoted('--account=my acc', 1, 10), word('x', 20)]],
    ["timeout='5s';b", [quoted('timeout=5s', 1, 8), mark(';', 13), word('b', 14)]],
    ['a=b="c d"', [quoted('a=b=c d', 1, 4)]],
    ['a=""', [quoted('a=', 1, 2)]],
    ['="x"', [quoted('=x', 1, 1)]],
    ['r (a b)', [word('r', 1), mark('(', 3), word('a', 4), word('b', 6), mark(')', 7)]],
    ['r ("a")', [word('r', 1), mark('(', 3), string('a', 4), mark(')', 7)]],
    ['(x="a")', [mark('(', 1), quoted('x=a', 2, 2), mark(')', 7)]],
    ['((a))', [mark('(', 1), mark('(', 2), word('a', 3), mark(')', 4), mark(')', 5)]],
    ['f(x) :)', [word('f(x)', 1), word(':)', 6)]],
    ['(f(x)', [mark('(', 1), word('f(x', 2), mark(')', 5)]],
  ])('reads %j', (line, tokens) => {
    expect(tokenize(line)).toEqual(tokens)
  })

  test.each([
    ['echo "abc', 'unclosed-quote@6'],
    ['echo \'abc"', 'unclosed-quote@6'],
    ['a="', 'unclosed-quote@3'],
    ["echo 'tis", 'unclosed-quote@6'],
    ["x='it's'", 'quote-inside-word@7'],
    ['"a"|b', 'quote-inside-word@4'],
    ['a"b"', 'quote-inside-word@2'],
    ['a= b"', 'quote-inside-word@5'],
    ['"a"b', 'quote-inside-word@4'],
    ['"a""b"', 'quote-inside-word@4'],
    ['"a"(b)', 'quote-inside-word@4'],
    ['x="a"b', 'quote-inside-word@6'],
    ['r (a', 'unclosed-group@3'],
    ['r (a (b)', 'unclosed-group@3'],
    ['r (a (b', 'unclosed-group@6'],
    ['a )', 'unopened-group@3'],
    [')', 'unopened-group@1'],
    ['r (a) )', 'unopened-group@7'],
    ['"a")', 'unopened-group@4'],
    ['(f(x))', 'unopened-group@6'],
    [`r ${'('.repeat(MAX_GROUP_DEPTH + 1)}`, `too-deep@${MAX_GROUP_DEPTH + 3}`],
    ['a'.repeat(MAX_LINE_LENGTH + 1), `too-long@${MAX_LINE_LENGTH + 1}`],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => tokenize(line))).toBe(refusal)
  })

  test('takes a line of exactly the longest length and groups of exactly the greatest depth', () => {
    expect(tokenize('a'.repeat(MAX_LINE_LENGTH))).toHaveLength(1)
    const nested = '('.repeat(MAX_GROUP_DEPTH) + ')'.repeat(MAX_GROUP_DEPTH)
    expect(tokenize(nested)).toHaveLength(2 * MAX_GROUP_DEPTH)
  })

  test('gives every apostrophe inside a word to the word, and every operator outside quotes to the chain', () => {
    const plain = fc.constantFrom("it's", "don't", 'a|b', "x'", 'buy')
    const operator = fc.constantFrom<';' | '&' | '&&' | '||'>(';', '&', '&&', '||')
    const text = fc.constantFrom('a; b', 'x && y', 'p || q', "it's", 'a & b')
    const part = fc.oneof(
      plain.map((typed) => ({ typed, token: { kind: 'word', text: typed } })),
      operator.map((typed) => ({ typed, token: { kind: typed } })),
      text.map((typed) => ({ typed: `"${typed}"`, token: { kind: 'string', text: typed } })),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const line = parts.map(({ typed }) => typed).join(' ')
        const tokens = tokenize(line)
        expect(tokens).toMatchObject(parts.map(({ token }) => token))
        expect(tokens.map(({ column, end }) => line.slice(column - 1, end - 1))).toEqual(
          parts.map(({ typed }) => typed),
        )
      }),
      { numRuns: runsOf(500) },
    )
  })
})
