import { describe, expect, it } from 'vitest'
import { hideTokens } from '../../src/language/printable.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const OTHER = 'f'.repeat(32)

const among =
  (...secrets: string[]) =>
  (candidate: string) =>
    secrets.includes(candidate)

describe('a token in a line', () => {
  it.each([
    ['echo $SECRET', 'echo <hidden>'],
    ['hook show $SECRET; echo x$SECRET', 'hook show <hidden>; echo x<hidden>'],
    ['echo $SECRET $SECRET', 'echo <hidden> <hidden>'],
    ['echo ab$SECRETcd', 'echo ab<hidden>cd'],
  ])('is hidden: %s', (line, hidden) => {
    expect(hideTokens(line.replaceAll('$SECRET', SECRET), among(OTHER, SECRET))).toBe(hidden)
    expect(hideTokens(line.replaceAll('$SECRET', SECRET.toUpperCase()), among(OTHER, SECRET))).toBe(hidden)
  })

  it.each(['.', 'e', 'e.', 'g0g'])('is hidden at every place between %j', (around) => {
    for (let place = 0; place <= 100; place += 1) {
      const before = around.repeat(100).slice(0, place)
      const after = around.repeat(100).slice(place, 100)
      expect(hideTokens(`${before}${SECRET}${after}`, among(SECRET))).toBe(`${before}<hidden>${after}`)
    }
  })

  it('is left where it is the id of a hook, or no hook has it', () => {
    const line = `hook show ${SECRET}; echo ${'a'.repeat(64)}`
    expect(hideTokens(line, among(OTHER))).toBe(line)
  })

  it.each([
    ['account add live bybit KEY SECRET', 'account add live bybit <hidden>'],
    ['echo a; Account  ADD live bybit "KEY" x', 'echo a; Account  ADD live bybit <hidden>'],
    ['account add live bybit', 'account add live bybit'],
    ['account add live paper; buy $250', 'account add live paper; buy $250'],
    ['account add live okx linear --demo --keys file', 'account add live okx linear --demo --keys file'],
    ['account add live okx linear --keys vault KEY', 'account add live okx linear --keys vault <hidden>'],
    ['account add live okx --keys=KEY', 'account add live okx <hidden>'],
    ['account add live paper --prices okx:linear', 'account add live paper --prices okx:linear'],
    ['vault unlock', 'vault unlock'],
    ['vault unlock two words', 'vault unlock <hidden>'],
    ['vault unlock --for 60m; price', 'vault unlock --for 60m; price'],
    ['vault unlock --for 60m two words', 'vault unlock --for 60m <hidden>'],
    ['vault change two words', 'vault change <hidden>'],
    ['vault lock x', 'vault lock <hidden>'],
    ['accounts add live bybit KEY', 'accounts add live bybit <hidden>'],
    ['acount add live bybit KEY SECRET', 'acount add live bybit <hidden>'],
    ['accuont ad live bybit KEY', 'accuont ad live bybit <hidden>'],
    ['acct add live bybit linear KEY', 'acct add live bybit linear <hidden>'],
    ['vualt unlock two words', 'vualt unlock <hidden>'],
    ['vaul unlock two words', 'vaul unlock <hidden>'],
    ['alias add a b c', 'alias add a b c'],
    ['account add a b c', 'account add a b <hidden>'],
  ])('is hidden as the keys after an exchange are: %s', (line, hidden) => {
    expect(hideTokens(line, among())).toBe(hidden)
  })

  it('is not looked for where there are fewer than 32 hex characters in a row', () => {
    const refuse = () => {
      throw new Error('asked for secrets')
    }
    for (const line of ['buy $250 BTCUSDT', SECRET.slice(1), `${SECRET.slice(16)} ${SECRET.slice(16)}`]) {
      expect(hideTokens(line, refuse)).toBe(line)
    }
  })
})
