import { describe, expect, it } from 'vitest'
import { pageAction } from '../../src/web/page-keys.ts'
import { readKey } from '../../src/web/terminal/keys.ts'

const paste = (text: string) => `\x1b[200~${text}\x1b[201~`

describe('keys of the terminal', () => {
  it.each([
    ['\r', { kind: 'enter' }],
    ['\x1b[A', { kind: 'older' }],
    ['\x15', { kind: 'kill-to-start' }],
    ['a', { kind: 'text', text: 'a' }],
    ['😀', { kind: 'text', text: '😀' }],
    ['\x1b[15~', undefined],
    ['\x16', undefined],
    [paste('price'), { kind: 'text', text: 'price' }],
    [paste('price\r'), { kind: 'text', text: 'price' }],
    [paste('a\tb'), { kind: 'text', text: 'a b' }],
    [paste('price\r\n\r\norders'), { kind: 'paste', lines: ['price', 'orders'] }],
    ['price\rorders', { kind: 'paste', lines: ['price', 'orders'] }],
  ])('reads %j', (data, key) => expect(readKey(data)).toEqual(key))

  it('runs nothing of what is pasted without asking', () => {
    for (const text of ['a\rb', 'a\nb\n', '\ra', 'a\r\n']) expect(readKey(paste(text))?.kind).not.toBe('enter')
  })
})

const pressed = (key: string, more = {}) => ({
  ...{ key, code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false },
  ...more,
})

describe('keys of the page', () => {
  it.each([
    [pressed('/'), false, { kind: 'terminal' }],
    [pressed('/'), true, undefined],
    [pressed('?', { shiftKey: true }), false, { kind: 'help' }],
    [pressed('k', { code: 'KeyK', ctrlKey: true }), true, { kind: 'terminal' }],
    [pressed('k', { code: 'KeyK', metaKey: true }), true, { kind: 'terminal' }],
    [pressed('F6'), true, { kind: 'cycle', by: 1 }],
    [pressed('F6', { shiftKey: true }), true, { kind: 'cycle', by: -1 }],
    [pressed('¡', { code: 'Digit1', altKey: true }), true, { kind: 'panel', id: 'portfolio' }],
    [pressed('5', { code: 'Digit5', altKey: true }), true, { kind: 'panel', id: 'cross-trade' }],
    [pressed('6', { code: 'Digit6', altKey: true }), true, undefined],
    [pressed('1', { code: 'Digit1', altKey: true, ctrlKey: true }), true, undefined],
  ])('%j, typing: %s', (event, isTyping, action) => expect(pageAction(event, isTyping)).toEqual(action))
})
