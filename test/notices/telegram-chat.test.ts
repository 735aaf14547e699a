// Which updates of the Bot API are the operator's: every other one is dropped.
import { describe, expect, it } from 'vitest'
import { readUpdate } from '../../src/notices/telegram-chat.ts'

const NOW = 1_800_000_000_000
const CHAT = '42'
const message = (change: object = {}) => ({
  update_id: 7,
  message: {
    message_id: 1,
    date: NOW / 1_000,
    chat: { id: 42, type: 'private' },
    from: { id: 42, is_bot: false },
    text: 'positions',
    ...change,
  },
})
const press = (change: object = {}) => ({
  update_id: 8,
  callback_query: {
    id: 'c1',
    from: { id: 42 },
    message: { message_id: 9, chat: { id: 42, type: 'private' } },
    data: 'x',
    ...change,
  },
})

describe('an update', () => {
  it('with words of the proven chat is read', () => {
    expect(readUpdate(message(), CHAT, NOW)).toEqual({ type: 'words', text: 'positions' })
    expect(readUpdate(message(), CHAT, NOW + 60_000)).toEqual({ type: 'words', text: 'positions' })
  })

  it('with a press in the proven chat is read', () => {
    expect(readUpdate(press(), CHAT, NOW)).toEqual({ type: 'press', data: 'x', callback: 'c1', message: 9 })
  })

  it('that took more than a minute, or is from the future, is late', () => {
    expect(readUpdate(message(), CHAT, NOW + 60_001)).toEqual({ type: 'late', ageMs: 60_001 })
    expect(readUpdate(message(), CHAT, NOW - 60_001)).toEqual({ type: 'late', ageMs: -60_001 })
  })

  it.each([
    ['of another chat', message({ chat: { id: 43, type: 'private' }, from: { id: 43 } })],
    ['of another person', message({ from: { id: 43 } })],
    ['of a person with the number of a group', message({ chat: { id: 42, type: 'group' } })],
    ['of a channel', message({ chat: { id: 42, type: 'channel' }, from: undefined })],
    ['of a bot', message({ from: { id: 42, is_bot: true } })],
    ['of nobody', message({ from: undefined })],
    ['forwarded', message({ forward_origin: { type: 'user' } })],
    ['forwarded, in an older form', message({ forward_date: 1 })],
    ['forwarded from a channel', message({ forward_from_chat: { id: 1 } })],
    ['by another bot', message({ via_bot: { id: 9 } })],
    ['in the name of a channel', message({ sender_chat: { id: 42 } })],
    ['without text', message({ text: undefined })],
    ['with too much text', message({ text: 'p'.repeat(201) })],
    ['edited', { update_id: 7, edited_message: message().message }],
    ['in a channel', { update_id: 7, channel_post: message().message }],
    ['without a date', message({ date: undefined })],
    ['with a press of another person', press({ from: { id: 43 } })],
    ['with a press in another chat', press({ message: { message_id: 9, chat: { id: 43, type: 'private' } } })],
    ['with a press without its message', press({ message: undefined })],
    ['with a press without data', press({ data: undefined })],
    ['without a number', { message: message().message }],
    ['of no kind', { update_id: 7 }],
    ['that is text', 'update'],
    ['that is null', null],
  ])('%s is dropped', (_what, update) => {
    expect(readUpdate(update, CHAT, NOW)).toBeUndefined()
  })
})
