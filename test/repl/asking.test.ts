import { expect, it } from 'vitest'
import { lookup } from '../../src/commands/catalogue.ts'
import { mayAsk } from '../../src/repl/asking.ts'

const known = { lookup, aliases: () => ({ mine: 'echo hello; account add main binance', plain: 'price' }) }

it.each([
  'account add main binance',
  'ACCOUNTS add main binance --demo',
  'account keys main --to vault',
  'vault unlock',
  'vault change',
  'echo one; vault unlock',
  'price & account add main binance',
  'mine',
  'repeat 2 (account add main binance)',
  // Mistyped: what follows are keys all the same.
  'account ad main binance',
  'account add main "binance',
  'vault unlok',
])('`%s` may ask for secrets', (line) => {
  expect(mayAsk(line, known)).toBe(true)
})

it.each(['price', 'account', 'account check main', 'plain', 'vault lock', 'nonsense "', 'echo account add', ''])(
  '`%s` asks for none',
  (line) => {
    expect(mayAsk(line, known)).toBe(false)
  },
)
