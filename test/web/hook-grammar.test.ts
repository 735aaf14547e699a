// What the editor marks, held against hookline's own tokenizer and parser.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chain, CommandCall } from '../../src/language/chain.ts'
import { parseHookChain } from '../../src/language/hook-chain.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { scanTokens } from '../../src/language/tokenize.ts'
import { asOneLine, faultIn, faultSpan, marksOf } from '../../src/web/pages/hooks/editor/grammar.ts'

const piece = fc.constantFrom(
  ...[
    'buy',
    'stop',
    'at',
    '$250',
    '-2%',
    'BTCUSDT',
    '{size:usd<=500}',
    '{side:in(buy,sell)}',
    '{size',
    '{',
    '}',
    '@last',
  ],
  ...['--dry', 'key="a b"', '"a; b"', "'it", ';', '&', '&&', '||', '(', ')', ' ', '\n', 'repeat 2 (', 'é', '💰'],
)
const line = fc.array(piece, { maxLength: 14 }).chain((pieces) => fc.constantFrom(pieces.join(' '), pieces.join('')))

interface Parts {
  readonly commands: readonly number[]
  readonly slots: readonly number[]
}

/** Columns, as the parser has them. */
function partsOf({ stages }: Chain): Parts {
  const calls = stages.flatMap(({ commands }) =>
    commands.flatMap((step): CommandCall[] => [step, ...(step.links ?? []).map(({ call }) => call)]),
  )
  const inner = calls.flatMap(({ args }) =>
    args.flatMap((each) => (each.kind === 'group' ? [partsOf(each.chain)] : [])),
  )
  const slots = calls.flatMap(({ args }) =>
    args.flatMap((each) => (each.kind === 'word' && each.slot !== undefined ? [each.column] : [])),
  )
  return {
    commands: [...calls.map(({ column }) => column), ...inner.flatMap(({ commands }) => commands)].sort(
      (a, b) => a - b,
    ),
    slots: [...slots, ...inner.flatMap((parts) => parts.slots)].sort((a, b) => a - b),
  }
}

describe('the grammar of the command editor', () => {
  it('marks each token of the tokenizer once, whatever is typed', () => {
    fc.assert(
      fc.property(line, (text) => {
        const tokens = scanTokens(text, () => {}, { withSlots: true })
        const spans = marksOf(text).map(({ from, to }) => [from + 1, to + 1])
        expect(spans).toEqual(tokens.map(({ column, end }) => [column, end]))
      }),
    )
  })

  it('calls commands and slots what the parser calls so', () => {
    fc.assert(
      fc.property(line, (text) => {
        let chain: Chain
        try {
          chain = parseHookChain(text)
        } catch (error) {
          fc.pre(!(error instanceof LanguageError))
          throw error
        }
        const marked = (kind: string) => marksOf(text).flatMap((mark) => (mark.kind === kind ? [mark.from + 1] : []))
        expect({ commands: marked('command'), slots: marked('slot') }).toEqual(partsOf(chain))
      }),
    )
  })

  it('underlines something inside the text for every fault, at its column', () => {
    fc.assert(
      fc.property(line, (text) => {
        const fault = faultIn(text)
        if (fault === undefined) return
        const { from, to } = faultSpan(text, fault)
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThan(from)
        expect(to).toBeLessThanOrEqual(text.length)
      }),
    )
    expect(faultSpan('buy {size} BTCUSDT', { message: '', column: 5 })).toEqual({ from: 4, to: 10 })
    expect(faultSpan('buy $250;', { message: '', column: 99 })).toEqual({ from: 8, to: 9 })
    expect(faultSpan('  ', { message: '' })).toEqual({ from: 0, to: 2 })
  })

  it('reads a break of a line as a space, and columns stay', () => {
    expect(asOneLine('buy $250\r\nBTCUSDT\nstop')).toBe('buy $250  BTCUSDT stop')
    expect(marksOf('buy\n$250').map(({ kind }) => kind)).toEqual(['command', 'figure'])
  })

  it('tells what is not a command yet from what it is', () => {
    const kinds = marksOf('buy {size:usd<=500} BTCUSDT --x @y "z"; (echo').map(({ kind }) => kind)
    expect(kinds).toEqual(['command', 'slot', 'word', 'option', 'variable', 'string', 'link', 'group', 'command'])
    expect(faultIn('')).toBeUndefined()
    expect(faultIn('buy {size} BTCUSDT')).toMatchObject({ column: 5 })
  })
})
