import { describe, expect, it } from 'vitest'
import { type KeyContext, type PressedKey, pageAction } from '../../src/web/shell/page-keys.tsx'
import { placeOf, symbolIn, tradePath } from '../../src/web/shell/routes.ts'

const FREE: KeyContext = { isTyping: false, isAfterPrefix: false, hasLetterKeys: true }

function press(key: string, context: Partial<KeyContext> = {}, modifiers: Partial<PressedKey> = {}) {
  const code = modifiers.code ?? `Key${key.toUpperCase()}`
  const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
  return pageAction({ key, code, ...none, ...modifiers }, { ...FREE, ...context })
}

describe('a key of the page', () => {
  it('goes to a page by G and its letter, or by Alt and its place', () => {
    expect(press('g')).toEqual({ kind: 'prefix' })
    expect(press('j', { isAfterPrefix: true })).toEqual({ kind: 'page', id: 'journal' })
    expect(press('a', { isAfterPrefix: true })).toEqual({ kind: 'account' })
    expect(press('2', {}, { altKey: true, code: 'Digit2' })).toEqual({ kind: 'page', id: 'hooks' })
  })

  it('is a letter where one types, and where letters are switched off', () => {
    for (const context of [{ isTyping: true }, { hasLetterKeys: false }])
      expect([press('g', context), press('s', context), press('?', context)]).toEqual([undefined, undefined, undefined])
    expect(press('`', { isTyping: true })).toBeUndefined()
    expect(press('`', { hasLetterKeys: false })).toEqual({ kind: 'terminal' })
  })

  it('fills in the ticket, or shows the line that closes the position', () => {
    expect([press('b'), press('V', {}, { shiftKey: true })]).toEqual([
      { kind: 'ticket-side', side: 'buy' },
      { kind: 'ticket-side', side: 'sell' },
    ])
    expect([press('l'), press('m')]).toEqual([
      { kind: 'ticket-kind', order: 'limit' },
      { kind: 'ticket-kind', order: 'market' },
    ])
    expect(press('x')).toEqual({ kind: 'close-position' })
    expect([press('3'), press('0')]).toEqual([{ kind: 'ticket-size', at: 3 }, { kind: 'ticket-focus' }])
    expect([press('3', { isTyping: true }), press('3', { hasLetterKeys: false })]).toEqual([undefined, undefined])
    for (const key of 'bvlmx0')
      expect([
        press(key, { isTyping: true }),
        press(key, { hasLetterKeys: false }),
        press(key, { isAfterPrefix: true }),
      ]).toEqual([undefined, undefined, undefined])
  })

  it('with Ctrl works where one types, too', () => {
    expect(press('k', { isTyping: true }, { ctrlKey: true })).toEqual({ kind: 'palette' })
    expect(press('.', { isTyping: true }, { ctrlKey: true })).toEqual({ kind: 'halt' })
    expect(press('F6', { isTyping: true }, { shiftKey: true })).toEqual({ kind: 'cycle', by: -1 })
  })

  it('never trades: no single key has an action that sends an order', () => {
    const kinds = [...'abcdefghijklmnopqrstuvwxyz/?`'].map((key) => press(key)?.kind)
    expect([...new Set(kinds)].sort()).toEqual([
      'close-position',
      'filter',
      'help',
      'prefix',
      'symbol',
      'terminal',
      'ticket-kind',
      'ticket-side',
      undefined,
    ])
  })
})

describe('an address', () => {
  it('says which page and which symbol', () => {
    expect([placeOf('/hooks/dip'), placeOf('/'), placeOf('/elsewhere')]).toEqual(['hooks', 'trade', 'trade'])
    expect([symbolIn('/trade/btcusdt'), symbolIn('/trade'), symbolIn('/hooks/BTCUSDT')]).toEqual([
      'BTCUSDT',
      undefined,
      undefined,
    ])
  })

  it('holds any symbol, and one that stands for nothing is none', () => {
    expect(symbolIn(tradePath('A/B:C'))).toBe('A/B:C')
    expect(tradePath('BTCUSDT', '1m')).toBe('/trade/BTCUSDT?interval=1m')
    expect(symbolIn('/trade/%E0%A4%A')).toBeUndefined()
  })
})
