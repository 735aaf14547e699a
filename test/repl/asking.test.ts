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
  'acount add main binance',
  'accuont add main binance',
  'acct add main binance',
  'accountadd main binance',
  'account-add main binance',
  '/account add main binance',
  '\ufeffaccount add main binance',
  'vualt unlock',
  'vaul change',
  'open unlock',
  'nonsense add main binance',
  'prise; acount add main binance',
])('`%s` may ask for secrets', (line) => {
  expect(mayAsk(line, known)).toBe(true)
})

it.each([
  'price',
  'account',
  'account check main',
  'plain',
  'vault lock',
  'nonsense "',
  'echo account add',
  'bye $5',
  'prise',
  'ehco hi',
  '',
])('`%s` asks for none', (line) => {
  expect(mayAsk(line, known)).toBe(false)
})
