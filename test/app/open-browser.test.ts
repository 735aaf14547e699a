import { describe, expect, it } from 'vitest'
import { hasBrowser, withoutMarks } from '../../src/app/open-browser.ts'

describe('a browser', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['linux', {}, false],
    ['linux', { DISPLAY: '' }, false],
    ['linux', { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
    ['darwin', {}, true],
    ['darwin', { SSH_TTY: '/dev/ttys001' }, false],
    ['win32', {}, true],
  ] as const)('on %s with %j: %s', (platform, env, expected) => {
    expect(hasBrowser(platform, env)).toBe(expected)
  })

  it('gets an address without marks that mean something to a shell', () => {
    const address = new URL('https://id.example.com/a b"c\'d&calc|x?q=$(y)`z`;w#<e>').href
    expect(withoutMarks(address)).not.toMatch(/[\s`'"$()|;\\<>]/)
    expect(withoutMarks('https://id.example.com/device?user_code=WDJB-MJHT&x=1')).toBe(
      'https://id.example.com/device?user_code=WDJB-MJHT&x=1',
    )
  })
})
