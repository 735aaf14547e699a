import { expect, it } from 'vitest'
import type { NoticeRow } from '../../src/protocol/rows.ts'
import { type Notices, seenOf, withNotices } from '../../src/web/notifications/notices.ts'

const NONE: Notices = { notices: [], lastId: 0 }
const row = (id: number, more: Partial<NoticeRow> = {}): NoticeRow => ({
  id,
  at: 1_000 * id,
  kind: 'said',
  severity: 'info',
  text: `told ${id}`,
  count: 1,
  ...more,
})
const shown = ({ notices }: Notices) =>
  notices.map(({ text, isSeen, times }) => `${text}${isSeen ? '' : ' new'} ×${times}`)

it('what was told before the page came counts as seen, what comes later is new', () => {
  const first = withNotices(NONE, [row(1), row(2)])
  expect(shown(first)).toEqual(['told 2 ×1', 'told 1 ×1'])
  expect(shown(withNotices(first, [row(1), row(2), row(3)]))).toEqual(['told 3 new ×1', 'told 2 ×1', 'told 1 ×1'])
})

it('what was new before a reload is new after it', () => {
  const before = withNotices(withNotices(NONE, [row(1)]), [row(1), row(2), row(3)])
  const rows = [row(1), row(2), row(3)]
  const reloaded = ({ notices }: Pick<Notices, 'notices'>) => {
    const seen = seenOf(notices)
    return withNotices({ ...NONE, ...(seen === undefined ? {} : { seen }) }, rows)
  }
  const after = reloaded(before)
  expect(shown(after)).toEqual(['told 3 new ×1', 'told 2 new ×1', 'told 1 ×1'])
  const seen = before.notices.map((each) => ({ ...each, isSeen: true }))
  expect(shown(reloaded({ notices: seen }))).toEqual(['told 3 ×1', 'told 2 ×1', 'told 1 ×1'])
  const third = before.notices.map((each) => ({ ...each, isSeen: each.id !== before.notices[1]?.id }))
  expect(shown(reloaded({ notices: third }))).toEqual(['told 3 ×1', 'told 2 new ×1', 'told 1 ×1'])
  expect(seenOf([])).toBeUndefined()
})

it('the same again is counted in its place in time, and keeps its id', () => {
  const first = withNotices(NONE, [row(1), row(2)])
  const again = withNotices(first, [row(1, { at: 9_000, count: 4 }), row(2)])
  expect(shown(again)).toEqual(['told 1 ×4', 'told 2 ×1'])
  expect(again.notices[0]?.id).toBe(first.notices[1]?.id)
})

it('another process tells its own from the first id on, and what the last one told stays', () => {
  const before = withNotices(withNotices(NONE, [row(7)]), [row(7), row(8)])
  const after = withNotices(before, [row(1, { at: 20_000, text: 'anew' })])
  expect(shown(after)).toEqual(['anew new ×1', 'told 8 new ×1', 'told 7 ×1'])
})

it('a halt that has ended asks for no look, and one that came again does', () => {
  const halt = { kind: 'halt', severity: 'urgent', account: 'paper' } as const
  const rows = [row(1, halt), row(2, { ...halt, account: 'swing' }), row(3, { ...halt, severity: 'info' })]
  const first = withNotices(withNotices(NONE, [row(0)]), rows)
  expect(shown(first)).toEqual(['told 3 new ×1', 'told 2 new ×1', 'told 1 ×1', 'told 0 ×1'])
  const again = withNotices(withNotices(NONE, [row(0)]), [row(1, { ...halt, at: 9_000, count: 2 }), ...rows.slice(1)])
  expect(shown(again)[0]).toBe('told 1 new ×2')
})

it.each([
  ['halt', 'urgent', false],
  ['guard', 'warn', false],
  ['stop', 'warn', false],
  ['task', 'warn', true],
  ['unknown-order', 'urgent', true],
])('a %s that is %s marks its page as one that failed: %s', (kind, severity, isFailure) => {
  expect(withNotices(NONE, [row(1, { kind, severity })]).notices[0]).toMatchObject({ isFailure })
})

it.each([
  [
    { kind: 'paused-hook', hook: 'a b', severity: 'urgent' },
    { page: 'hooks', href: '/hooks/a%20b', tone: 'error' },
  ],
  [
    { kind: 'fill', severity: 'info' },
    { page: 'trade', tone: 'info' },
  ],
  [
    { kind: 'a later word', severity: 'a later word' },
    { page: 'trade', tone: 'warn' },
  ],
])('%j leads to %j', (more, expected) => {
  expect(withNotices(NONE, [row(1, more)]).notices[0]).toMatchObject(expected)
})

it('no more than 50 are kept', () => {
  const rows = Array.from({ length: 50 }, (_, index) => row(index + 1))
  const state = withNotices(
    withNotices(NONE, rows),
    rows.map((each) => ({ ...each, id: each.id + 50, at: each.at + 60_000 })),
  )
  expect(state.notices).toHaveLength(50)
  expect(state.notices[0]?.text).toBe('told 50')
})
