import { describe, expect, it } from 'vitest'
import { preferencesIn } from '../../src/web/state/preferences.ts'

describe('what this browser keeps of a person’s wishes', () => {
  it('is taken where it can be used, and left out where it cannot', () => {
    const kept = {
      timeZone: 'utc',
      density: 'tiny',
      terminalFont: 16,
      groups: ['fills', 'gossip'],
      hasSounds: true,
      other: 1,
    }
    expect(preferencesIn(JSON.stringify(kept))).toEqual({ timeZone: 'utc', terminalFont: 16, hasSounds: true })
    expect(preferencesIn('{"groups":["fills"],"drawerHeight":1e999}')).toEqual({ groups: ['fills'] })
    // As it was named before.
    expect(preferencesIn('{"told":["fills"]}')).toEqual({ groups: ['fills'] })
  })

  it.each([[null], ['not JSON'], ['7'], ['null'], ['{"constructor":true,"__proto__":{"hasSounds":true}}']])(
    'is nothing in %s',
    (text) => {
      expect(preferencesIn(text)).toEqual({})
    },
  )
})
