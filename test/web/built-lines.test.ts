// Lines that buttons, the ticket, the palette and completion make of ids, symbols and names: whatever is in those, a line is the one command that
// it was made to be, with them as its arguments.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { faultOf, offersAt } from '../../src/commands/complete-line.ts'
import type { Argument, CommandCall } from '../../src/language/chain.ts'
import { callsIn } from '../../src/language/expansion.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'
import { typedLine } from '../../src/language/print.ts'
import type { Portfolio } from '../../src/protocol/frames.ts'
import { disableLine, enableLine } from '../../src/web/pages/copy/pairs.ts'
import { moveLine } from '../../src/web/pages/trade/chart/chart-model.ts'
import {
  breakEvenLine,
  cancelAllLine,
  cancelLine,
  closeLine,
  moveOrderLine,
  reverseLine,
  stopLine,
  trailLine,
} from '../../src/web/pages/trade/position-lines.ts'
import { resumeLine, taskLine } from '../../src/web/pages/trade/tasks.ts'
import { EMPTY_TICKET, TICKET_KINDS } from '../../src/web/pages/trade/ticket/ticket.ts'
import { writeTicket } from '../../src/web/pages/trade/ticket/ticket-line.ts'
import { linesFor } from '../../src/web/palette/palette.tsx'
import { haltAndFlattenLine, haltLine } from '../../src/web/shell/flatten.tsx'
import { complete } from '../../src/web/terminal/completion.ts'

const HOSTILE = [
  'p1||buy $777 BTCUSDT',
  'p1; buy $777 BTCUSDT',
  'p1 & buy $777 BTCUSDT',
  'p1&&buy $777 BTCUSDT',
  'p1 buy',
  'p1,ETHUSDT',
  '--all',
  '-2%',
  '@mine',
  '$last',
  '{size:usd<=500}',
  'a="b c"',
  "a='b",
  '"',
  "'",
  `"'`,
  '(',
  ')',
  'p1\nbuy $777 BTCUSDT',
  'p1\u00a0buy',
  '\u202ep1',
  '',
  ' ',
  'all',
]
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'ab1 ;&|()"\'@$={},-%\n'), maxLength: 12 }),
)

/** A text that no line can hold: a string has no escape. */
const cannotBeTyped = (text: string) =>
  (text.includes('"') && text.includes("'")) || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)

function onlyCall(line: string): CommandCall {
  const { stages } = parseChain(line)
  const calls = callsIn({ stages })
  expect(stages).toHaveLength(1)
  expect(calls).toHaveLength(1)
  return calls[0] as CommandCall
}

/** As text, or as a word in which nothing is replaced. */
function textOf(argument: Argument | undefined): string | undefined {
  if (argument === undefined || argument.kind === 'group') return undefined
  if (argument.kind === 'word') expect(argument.text).toMatch(/^[\w$+-][\w/:.%-]*$/)
  return argument.text
}

const position = (symbol: string) => ({ symbol, side: 'long', amount: '0.5' })

interface Built {
  readonly line: (text: string) => string | undefined
  readonly words: (text: string) => readonly string[]
}

const BUILT: Readonly<Record<string, Built>> = {
  'a line': { line: (text) => typedLine`x ${text} y ${text}`, words: (text) => ['x', text, 'y', text] },
  cancel: { line: cancelLine, words: (id) => ['cancel', id] },
  'cancel of a symbol': { line: cancelAllLine, words: (symbol) => ['cancel', symbol] },
  move: { line: (id) => moveOrderLine(id, '65000.5'), words: (id) => ['move', id, 'to', '65000.5'] },
  'move to': { line: (price) => moveOrderLine('p1', price), words: (price) => ['move', 'p1', 'to', price] },
  amend: {
    line: (orderId) => moveLine({ orderId, what: 'takeProfit' }, '65000'),
    words: (id) => ['amend', id, 'tp', '65000'],
  },
  close: { line: (symbol) => closeLine({ symbol }), words: (symbol) => ['close', symbol] },
  'close of a part': { line: (symbol) => closeLine({ symbol }, '50'), words: (symbol) => ['close', symbol, '50%'] },
  reverse: { line: (symbol) => reverseLine(position(symbol)), words: (symbol) => ['position', 'short', '0.5', symbol] },
  stop: {
    line: (symbol) => stopLine(position(symbol), { stops: [], uncovered: '0.5' }),
    words: (symbol) => ['stop', symbol, 'at', '-2%'],
  },
  'stop at the entry': {
    line: (symbol) => breakEvenLine({ symbol }),
    words: (symbol) => ['stop', symbol, 'breakeven'],
  },
  'a stop beyond the fees': {
    line: (symbol) => breakEvenLine({ symbol }, true),
    words: (symbol) => ['stop', symbol, 'breakeven', '+fees'],
  },
  'a stop that trails': {
    line: (symbol) => trailLine({ symbol }, undefined),
    words: (symbol) => ['trail', '1%', symbol],
  },
  'a stop that trails instead of others': {
    line: (symbol) => trailLine({ symbol }, { stops: [{} as never], uncovered: '0' }),
    words: (symbol) => ['trail', '1%', symbol, 'replace'],
  },
  'end of a task': {
    line: (id) => taskLine({ id }, { verb: 'cancel', title: 'Cancel' }),
    words: (id) => ['tasks', 'cancel', id],
  },
  'resume of a task': {
    line: (id) => resumeLine({ id, status: 'interrupted' }),
    words: (id) => ['tasks', 'resume', id.slice(0, 8)],
  },
  'row that copies no more': { line: (id) => disableLine({ id }), words: (id) => ['cross-trade', 'disable', id] },
  'row that copies': { line: (id) => enableLine({ id }), words: (id) => ['cross-trade', 'enable', id] },
}

describe('a line with a text of others in it', () => {
  it.each(Object.entries(BUILT))('%s: is one command with that argument, or is not written', (_, { line, words }) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const built = line(text)
        if (built === undefined) {
          expect(words(text).some(cannotBeTyped)).toBe(true)
          return
        }
        const { name, args } = onlyCall(built)
        expect([name, ...args.map(textOf)]).toEqual(words(text))
      }),
      { numRuns: runsOf(300) },
    )
  })

  it('halt names the account, or is of the account that it runs on', () => {
    fc.assert(
      fc.property(anyText, (account) => {
        const named = cannotBeTyped(account) ? [] : [account]
        expect(onlyCall(haltLine(account)).args.map(textOf)).toEqual(named)
        expect(onlyCall(haltAndFlattenLine(account)).args.map(textOf)).toEqual([...named, '--flatten', '--yes'])
      }),
      { numRuns: runsOf(300) },
    )
  })

  it.each(TICKET_KINDS)('the %s ticket of any symbol writes one command', (kind) => {
    const fields = { size: '100', price: '1', trigger: '1', slices: '5', lasts: '1h', from: '1', to: '2' }
    fc.assert(
      fc.property(anyText, (symbol) => {
        const written = writeTicket({ ...EMPTY_TICKET, ...fields, kind }, symbol)
        if (!('line' in written)) return
        expect(onlyCall(written.line).args.map(textOf)).toContain(symbol)
      }),
      { numRuns: runsOf(300) },
    )
  })

  it('the palette offers nothing else', () => {
    fc.assert(
      fc.property(anyText, (symbol) => {
        const positions = [position(symbol)] as unknown as Portfolio['positions']
        for (const { line } of linesFor('', { positions } as Portfolio)) onlyCall(line)
      }),
      { numRuns: runsOf(300) },
    )
  })
})

describe('completion', () => {
  const names = (text: string) => ({
    symbols: [text],
    accounts: [text],
    hooks: [{ id: 'a'.repeat(32), name: text }],
    runs: [],
    tasks: [],
    variables: [],
    aliases: [],
    commands: [],
  })
  const calls = (line: string) => {
    try {
      return callsIn(parseChain(line)).length
    } catch (error) {
      if (error instanceof LanguageError) return 0
      throw error
    }
  }

  it.each(['close ', 'buy $5 ', 'cancel ', 'account use ', 'buy $5 BTCUSDT --account ', 'close "'])(
    'of %j leaves one command, whatever the names are',
    (typed) => {
      fc.assert(
        fc.property(anyText, (name) => {
          const { texts } = offersAt(typed, names(name))
          for (const text of texts) expect(calls(`${typed}${text}`)).toBeLessThanOrEqual(1)
          const seen = { symbols: [name], accounts: [name], hookIds: [name], orderIds: [name] }
          const commands = [
            { names: ['close', 'buy', 'cancel'], forms: [] },
            { names: ['account'], forms: ['use'] },
          ]
          const found = complete(typed, commands, seen)
          if (found !== undefined) expect(calls(`${typed}${found.text}`)).toBeLessThanOrEqual(1)
        }),
        { numRuns: runsOf(200) },
      )
    },
  )

  it('puts a name with a space in quotes, also where its beginning is typed', () => {
    const live = { ...names('my account'), symbols: [] }
    expect(offersAt('account use my', live).texts).toEqual(['"my account"'])
    const line = 'account use "my account"'
    expect(faultOf({ line, source: 'repl', isHookBody: false, aliases: {} })).toBeUndefined()
  })
})
