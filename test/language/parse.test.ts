import { describe, expect, test } from 'vitest'
import type { Argument, Chain, CommandCall, Step } from '../../src/language/chain.ts'
import { parseChain } from '../../src/language/parse.ts'
import { refusalOf } from './refusal.ts'

/** `[a 1 + b && c][d]`: two stages, the first of two steps, the second of them of two commands. Groups in `<>`, strings in `{}`. */
function shape(chain: Chain): string {
  return chain.stages.map(({ commands }) => `[${commands.map(stepShape).join(' + ')}]`).join('')
}

function stepShape(step: Step): string {
  return [callShape(step), ...(step.links ?? []).map(({ operator, call }) => `${operator} ${callShape(call)}`)].join(
    ' ',
  )
}

function callShape({ name, args }: CommandCall): string {
  return [name, ...args.map(argumentShape)].join(' ')
}

function argumentShape(argument: Argument): string {
  if (argument.kind === 'group') return `<${shape(argument.chain)}>`
  return argument.kind === 'string' ? `{${argument.text}}` : argument.text
}

describe('parseChain', () => {
  test.each([
    ['', ''],
    ['   ', ''],
    ['price', '[price]'],
    ['a ; b', '[a][b]'],
    ['a & b', '[a + b]'],
    ['a & b ; c', '[a + b][c]'],
    ['a ; b & c;d', '[a][b + c][d]'],
    ['a && b', '[a && b]'],
    ['a||b', '[a || b]'],
    ['a && b || c && d', '[a && b || c && d]'],
    ['a || b; c', '[a || b][c]'],
    ['a; b && c', '[a][b && c]'],
    ['a & b || c & d; e', '[a + b || c + d][e]'],
    ['a x||b y', '[a x || b y]'],
    ['a|b', '[a|b]'],
    ['a | b', '[a | b]'],
    ['repeat 2 (a || b) && c', '[repeat 2 <[a || b]> && c]'],
    ["echo it's done; b", "[echo it's done][b]"],
    ["echo don't; echo x", "[echo don't][echo x]"],
    ["echo don't && echo won't || x", "[echo don't && echo won't || x]"],
    ['echo "a && b" \'c || d\'', '[echo {a && b} {c || d}]'],
    ['a;', '[a]'],
    ['a & b ; ', '[a + b]'],
    ['buy $250 BTCUSDT; stop at -2%', '[buy $250 BTCUSDT][stop at -2%]'],
    ['hook create dip "buy $250; stop at -2%"', '[hook create dip {buy $250; stop at -2%}]'],
    ['echo "say \'b\'" & c', "[echo {say 'b'} + c]"],
    ['repeat 3 (a $10; b & c) ; d', '[repeat 3 <[a $10][b + c]>][d]'],
    ['repeat 2 (repeat 2 (a;))', '[repeat 2 <[repeat 2 <[a]>]>]'],
    ['r (a) (b)c', '[r <[a]> <[b]> c]'],
    ['hook create a b --account="my acc"', '[hook create a b --account=my acc]'],
  ])('reads %j', (line, expected) => {
    expect(shape(parseChain(line))).toEqual(expected)
  })

  test('keeps the column of every part', () => {
    expect(parseChain(' a "b" ;  c (d =) x="y"')).toEqual({
      stages: [
        { commands: [{ name: 'a', column: 2, args: [{ kind: 'string', text: 'b', column: 4 }] }] },
        {
          commands: [
            {
              name: 'c',
              column: 11,
              args: [
                {
                  kind: 'group',
                  column: 13,
                  chain: {
                    stages: [
                      { commands: [{ name: 'd', column: 14, args: [{ kind: 'word', text: '=', column: 16 }] }] },
                    ],
                  },
                },
                { kind: 'word', text: 'x=y', column: 19, quotedFrom: 2 },
              ],
            },
          ],
        },
      ],
    })
  })

  test.each([
    ['; a', 'empty-step@1'],
    [';', 'empty-step@1'],
    ['a ;; b', 'empty-step@4'],
    ['a ; ; b', 'empty-step@5'],
    ['a &', 'empty-step@3'],
    ['& a', 'empty-step@1'],
    ['a &&', 'empty-step@3'],
    ['a ||', 'empty-step@3'],
    ['&& a', 'empty-step@1'],
    ['|| a', 'empty-step@1'],
    ['a && || b', 'empty-step@6'],
    ['a && ; b', 'empty-step@6'],
    ['a && & b', 'empty-step@6'],
    ['a &&& b', 'empty-step@5'],
    ['a || b |||| c', 'empty-step@10'],
    ['a ; && b', 'empty-step@5'],
    ['r (a ||)', 'empty-step@6'],
    ['a || (b)', 'missing-command@6'],
    ['a || "b"', 'missing-command@6'],
    ['a & ; b', 'empty-step@5'],
    ['a ; & b', 'empty-step@5'],
    ['r (a &)', 'empty-step@6'],
    ['r (;)', 'empty-step@4'],
    ['r (a;;)', 'empty-step@6'],
    ['"buy" $5', 'missing-command@1'],
    ['a; (b)', 'missing-command@4'],
    ['x="a b" c', 'missing-command@1'],
    ['r ()', 'missing-command@3'],
    ['r ( )', 'missing-command@3'],
    ['a "b', 'unclosed-quote@3'],
  ])('refuses %j', (line, refusal) => {
    expect(refusalOf(() => parseChain(line))).toBe(refusal)
  })
})
