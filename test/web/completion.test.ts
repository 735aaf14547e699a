import { describe, expect, it } from 'vitest'
import { complete } from '../../src/web/terminal/completion.ts'

const COMMANDS = [
  { names: ['buy'], forms: [] },
  { names: ['balance', 'bal'], forms: [] },
  { names: ['cancel'], forms: [] },
  { names: ['hook', 'hooks'], forms: ['list', 'create', 'revoke'] },
  { names: ['account', 'accounts'], forms: ['list'] },
  { names: ['help', '?'], forms: [] },
]
const SEEN = {
  symbols: ['BTCUSDT', 'BTCUSDC', 'ETHUSDT'],
  accounts: ['paper', 'swing'],
  hookIds: ['7ec98fd5'],
  orderIds: ['p17'],
}
const completed = (line: string) => {
  const found = complete(line, COMMANDS, SEEN)
  return found && { line: line.slice(0, found.start) + found.text, choices: found.choices }
}

describe('completion', () => {
  it.each([
    ['bu', 'buy ', []],
    ['b', 'b', ['bal', 'balance', 'buy']],
    ['bal', 'bal', ['bal', 'balance']],
    ['BU', 'buy ', []],
    ['buy $250 bt', 'buy $250 BTCUSD', ['BTCUSDC', 'BTCUSDT']],
    ['buy $250 ETHUSDT,btcusdt', 'buy $250 ETHUSDT,BTCUSDT ', []],
    ['cancel p', 'cancel p17 ', []],
    ['cancel al', 'cancel all ', []],
    ['price; bu', 'price; buy ', []],
    ['hook r', 'hook revoke ', []],
    ['hook revoke 7', 'hook revoke 7ec98fd5 ', []],
    ['hook create dip "bu', 'hook create dip "bu', undefined],
    ['hook create dip "buy" --account s', 'hook create dip "buy" --account swing ', []],
    ['help ba', 'help bal', ['bal', 'balance']],
    ['nonsense a', 'nonsense a', undefined],
  ])('of %s is %s', (typed, line, choices) => {
    expect(completed(typed)).toEqual(choices === undefined ? undefined : { line, choices })
  })
})
