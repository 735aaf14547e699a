import { describe, expect, test } from 'vitest'
import { findLiveNames, replaceLive, replaceVariables } from '../../src/language/expansion.ts'
import { printArgument } from '../../src/language/print.ts'
import { refusalOf } from './refusal.ts'
import { argumentsOf } from './words.ts'

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['x', '250'],
  ['_long_Name2', 'BTCUSDT'],
  ['self', '@self'],
  ['spaced', '$last -1%'],
  ['empty', ''],
  ['big', 'b'.repeat(5000)],
])
const lookup = (name: string) => VARIABLES.get(name)

describe('replaceVariables', () => {
  test.each([
    ['@x', '250'],
    ['$@x', '$250'],
    ['+@x -@x', '+250 -250'],
    ['timeout=@x', 'timeout=250'],
    ['@_long_Name2,@_long_Name2', 'BTCUSDT,BTCUSDT'],
    ['f(@x', 'f(250'],
    ['price>@x <@x', 'price>250 <250'],
    ['@x%', '250%'],
    ['@x@x', '250@x'],
    ['me@x a.@x', 'me@x a.@x'],
    ['@ @1 @-', '@ @1 @-'],
    ['@self', '@self'],
    ['@spaced', '"$last -1%"'],
    ['a=@empty', 'a='],
    ['"@x" (echo @x)', '"@x" (echo @x)'],
    ['a=@x="@x"', 'a=250="@x"'],
  ])('turns %j into %j', (line, printed) => {
    expect(replaceVariables(argumentsOf(line), lookup).map(printArgument).join(' ')).toBe(printed)
  })

  test('keeps a replaced word one word at its column', () => {
    expect(replaceVariables(argumentsOf('a @spaced'), lookup)[1]).toEqual({
      kind: 'word',
      text: '$last -1%',
      column: 3,
    })
  })

  test('leaves a quoted value alone and still knows where it begins', () => {
    expect(replaceVariables(argumentsOf('a,@x="@x"'), lookup)).toEqual([
      { kind: 'word', text: 'a,250=@x', column: 1, quotedFrom: 6 },
    ])
  })

  test.each([
    ['@nope', 'unknown-variable@1'],
    ['a $@nope', 'unknown-variable@4'],
    ['a,@x,@nope', 'unknown-variable@6'],
    ['@constructor', 'unknown-variable@1'],
    ['a @big,@big', 'too-long@3'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => replaceVariables(argumentsOf(line), lookup))).toBe(refusal)
  })
})

describe('live values', () => {
  test.each([
    ['', []],
    ['$last', ['last']],
    ['pnl $PNL, $bid/$ask $pnl', ['pnl', 'bid', 'ask']],
    ['$entry. $lastly last $ last $last_ $250', ['entry']],
  ])('are found in %j', (text, names) => {
    expect(findLiveNames(text)).toEqual(names)
  })

  test('are filled in where known and left as typed where not', () => {
    expect(replaceLive('$last $LAST $bid $lastly', { last: '$bid' })).toBe('$bid $bid $bid $lastly')
    expect(replaceLive('$last', { last: '$&' })).toBe('$&')
  })
})
