import { describe, expect, it } from 'vitest'
import { isConsolePage } from '../../src/protocol/console.ts'

describe('an address of the console', () => {
  it.each(['/', '/trade', '/trade/', '/trade/BTCUSDT', '/hooks/a%20b', '/copy/a/b', '/settings/clients'])(
    '%s is a page',
    (path) => {
      expect(isConsolePage(path)).toBe(true)
    },
  )

  it.each([
    '',
    '/console',
    '/Trade',
    '/trade//x',
    '/copy/a/b/c',
    '/hook/x',
    '/assets/index.js',
    '/index.html',
    '//trade',
  ])('%s is none', (path) => {
    expect(isConsolePage(path)).toBe(false)
  })
})
