import { describe, expect, it } from 'vitest'
import type { TextStorage } from '../../src/client/text-storage.ts'
import { openTypedHistory } from '../../src/web/terminal/typed-history.ts'

function memory(): TextStorage {
  const texts = new Map<string, string>()
  return { getItem: (key) => texts.get(key) ?? null, setItem: (key, value) => void texts.set(key, value) }
}

const forbidden: TextStorage = {
  getItem() {
    throw new DOMException('forbidden', 'SecurityError')
  },
  setItem() {
    throw new DOMException('forbidden', 'SecurityError')
  },
}

describe('typed history', () => {
  it('keeps lines for the next page, without blanks, repeats and those that begin with a space', () => {
    const storage = memory()
    const history = openTypedHistory(storage)
    for (const line of ['price', 'price', ' secret', '  ', 'orders', 'price']) history.add(line)
    expect(openTypedHistory(storage).lines()).toEqual(['price', 'orders', 'price'])
  })

  it('keeps no keys, passphrases and tokens, and shows none that a page before this one has kept', () => {
    const storage = memory()
    const token = 'deadbeef'.repeat(4)
    const secrets = [`account add main binance KEY ${token}`, 'vault unlock the passphrase', `hook fire dip ${token}`]
    storage.setItem('hookline.history', JSON.stringify(secrets))
    const shown = ['account add main binance <hidden>', 'vault unlock <hidden>', 'hook fire dip <hidden>']
    expect(openTypedHistory(storage).lines()).toEqual(shown)
    const history = openTypedHistory(memory())
    for (const line of secrets) history.add(line)
    expect(history.lines()).toEqual(shown)
  })

  it('keeps the last 500', () => {
    const history = openTypedHistory(memory())
    for (let n = 0; n < 510; n++) history.add(`echo ${n}`)
    expect(history.lines()).toHaveLength(500)
    expect(history.lines()[0]).toBe('echo 10')
  })

  it('lasts as long as the page where storage is forbidden', () => {
    const history = openTypedHistory(forbidden)
    history.add('price')
    expect(history.lines()).toEqual(['price'])
  })

  it('is gone for a page that is still open once it was deleted, also with its next line', () => {
    const texts = new Map<string, string>()
    const storage = {
      getItem: (key: string) => texts.get(key) ?? null,
      setItem: (key: string, text: string) => texts.set(key, text),
    }
    const history = openTypedHistory(storage)
    for (const line of ['vault unlock', 'price']) history.add(line)
    texts.clear()
    expect(history.lines()).toEqual([])
    history.add('orders')
    expect([...texts.values()]).toEqual(['["orders"]'])
  })

  it('lasts as long as the page where storage is full', () => {
    const full: TextStorage = { getItem: () => null, setItem: forbidden.setItem }
    const history = openTypedHistory(full)
    for (const line of ['price', 'orders']) history.add(line)
    expect(history.lines()).toEqual(['price', 'orders'])
  })

  it('begins anew where somebody else has written', () => {
    const storage = memory()
    storage.setItem('hookline.history', '{"not":"ours"}')
    expect(openTypedHistory(storage).lines()).toEqual([])
  })
})
