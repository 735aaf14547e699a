import { describe, expect, it } from 'vitest'
import type { CompletionNames } from '../../src/commands/kit/command.ts'
import { completeLine } from '../../src/repl/completer.ts'

const live: CompletionNames = {
  symbols: ['BTCUSDT', 'BNBUSDT', 'ETHUSDT'],
  accounts: ['paper', 'main'],
  hooks: [{ id: '0123456789abcdef0123456789abcdef', name: 'dip' }],
  variables: ['risk', 'size'],
  runs: [],
  tasks: [],
  aliases: ['scalp'],
  commands: ['buy', 'balance', 'hook', 'help', 'symbol'],
}

describe('the Tab key', () => {
  it.each([
    ['offers commands and aliases', 's', ['scalp', 'symbol'], 's'],
    ['brings the space after the only candidate', 'sy', ['symbol '], 'sy'],
    ['starts again after a separator', 'buy $250; ho', ['hook '], 'ho'],
    ['offers a form of a family', 'hook rot', ['rotate '], 'rot'],
    ['finds live symbols in either case', 'symbol b', ['BNBUSDT', 'BTCUSDT'], 'b'],
    ['completes the last symbol of a list', 'buy $250 BTCUSDT,eth', ['ETHUSDT '], 'eth'],
    ['offers hooks by id', 'hook show 01', ['0123456789abcdef0123456789abcdef '], '01'],
    ['offers variables inside a word', 'buy $@r', ['$@risk '], '$@r'],
    ['offers nothing for a command it does not know', 'frobnicate x', [], 'x'],
  ])('%s', (_name, line, candidates, fragment) => {
    expect(completeLine(line, live)).toEqual([candidates, fragment])
  })
})
