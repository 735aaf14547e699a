// Which notices are told outside of the page, by which tab.
import { describe, expect, it } from 'vitest'
import type { NoticeRow } from '../../src/protocol/rows.ts'
import {
  groupOf,
  type Notices,
  newAmong,
  noticeText,
  notificationsOf,
  withNotices,
} from '../../src/web/notifications/notices.ts'
import { ANSWER_MS, TabLeader, type TabLeaderPorts } from '../../src/web/notifications/os-notifications.ts'
import { GROUPS } from '../../src/web/state/preferences.ts'

const NONE: Notices = { notices: [], lastId: 0 }
const row = (id: number, more: Partial<NoticeRow> = {}): NoticeRow => ({
  id,
  at: 1_000 * id,
  kind: 'fill',
  severity: 'info',
  text: `told ${id}`,
  count: 1,
  ...more,
})
const ids = (rows: readonly NoticeRow[]) => rows.map(({ id }) => id)

describe('what is new', () => {
  it('is nothing of the first frame, then each row once, and again where it was said again', () => {
    expect(ids(newAmong(NONE, [row(1), row(2)]))).toEqual([])
    const seen = withNotices(NONE, [row(1), row(2)])
    expect(ids(newAmong(seen, [row(1), row(2)]))).toEqual([])
    expect(ids(newAmong(seen, [row(1, { count: 2 }), row(2), row(3)]))).toEqual([1, 3])
  })

  it('is all that another process tells', () => {
    expect(ids(newAmong(withNotices(NONE, [row(7)]), [row(1), row(2)]))).toEqual([1, 2])
  })

  it('is nothing of what was pushed out of the list and comes again', () => {
    const rows = Array.from({ length: 60 }, (_, index) => row(index + 1))
    expect(ids(newAmong(withNotices(NONE, rows), rows))).toEqual([])
  })
})

describe('a notice', () => {
  it.each([
    [{ kind: 'failed-hook', severity: 'warn' }, 'failures'],
    [{ kind: 'unknown-order', severity: 'urgent' }, 'failures'],
    [{ kind: 'task', severity: 'info' }, undefined],
    [{ kind: 'of-a-later-hookline', severity: 'urgent' }, 'failures'],
    [{ kind: 'halt', severity: 'info' }, 'guards'],
    [{ kind: 'stop', severity: 'info' }, 'stops'],
  ])('%o is of the group %s', (notice, group) => {
    expect(groupOf(notice)).toBe(group)
  })

  it('is told where its group was chosen, cut, and more than three at once are one', () => {
    expect(notificationsOf([row(1), row(2, { kind: 'stop' })], ['stops']).map(({ text }) => text)).toEqual(['told 2'])
    expect(notificationsOf([row(1, { text: 'x'.repeat(900) })], GROUPS)[0]?.text).toHaveLength(200)
    const many = notificationsOf([row(1), row(2, { kind: 'failed-hook', severity: 'warn' }), row(3), row(4)], GROUPS)
    expect(many).toMatchObject([{ group: 'failures', text: '4 notices; the last: told 4' }])
  })
})

describe('the text of a notice', () => {
  it.each([
    [{ text: 'stop of 0.02 BTCUSDT filled', account: 'swing' }, 'paper', 'swing: stop of 0.02 BTCUSDT filled'],
    [{ text: 'stop of 0.02 BTCUSDT filled', account: 'paper' }, 'paper', 'stop of 0.02 BTCUSDT filled'],
    [{ text: 'account swing is halted', account: 'swing' }, 'paper', 'account swing is halted'],
    [{ text: 'account swing-2 is halted', account: 'swing' }, 'paper', 'swing: account swing-2 is halted'],
    [{ text: 'hook dip is paused' }, 'paper', 'hook dip is paused'],
    [{ text: 'stop filled', account: 'paper' }, undefined, 'paper: stop filled'],
  ])('%o beside account %s is %s', (notice, shown, text) => {
    expect(noticeText(notice, shown)).toBe(text)
  })

  it('outside of the page names its account', () => {
    const told = (shown: string) =>
      notificationsOf([row(1, { account: 'swing' })], GROUPS, shown).map(({ text }) => text)
    expect([told('paper'), told('swing')]).toEqual([['swing: told 1'], ['told 1']])
  })
})

/** Tabs of one browser, with its one lock. */
function openTabs() {
  const waiting: (() => void)[] = []
  let isHeld = false
  const handlers: ((message: unknown) => void)[] = []
  const timers: (() => void)[] = []
  const pass = () => {
    isHeld = false
    waiting.shift()?.()
  }
  const open = (facts: { isInFront: boolean }) => {
    const own: ((message: unknown) => void)[] = []
    const ports: TabLeaderPorts = {
      hold: (until, begun) =>
        new Promise((resolve) => {
          const take = () => {
            isHeld = true
            begun()
            void until.then(pass).then(resolve)
          }
          if (isHeld) waiting.push(take)
          else take()
        }),
      post: (message) => {
        for (const handler of handlers) if (!own.includes(handler)) handler(message)
      },
      onMessage: (handler) => {
        own.push(handler)
        handlers.push(handler)
      },
      isInFront: () => facts.isInFront,
      after: (ms, callback) => {
        expect(ms).toBe(ANSWER_MS)
        timers.push(callback)
      },
    }
    return new TabLeader(ports)
  }
  return { open, wait: () => timers.splice(0).forEach((due) => void due()) }
}

describe('of several tabs', () => {
  it('the first that is connected tells, and the next once it is not', async () => {
    const { open } = openTabs()
    const [first, second] = [open({ isInFront: false }), open({ isInFront: false })]
    first.setConnected(true)
    second.setConnected(true)
    second.setConnected(true)
    expect([first.isLeading, second.isLeading]).toEqual([true, false])
    first.setConnected(false)
    await Promise.resolve().then(() => Promise.resolve())
    expect([first.isLeading, second.isLeading]).toEqual([false, true])
  })

  it('one that gave up while it waited does not tell when its turn comes', async () => {
    const { open } = openTabs()
    const [first, second] = [open({ isInFront: false }), open({ isInFront: false })]
    first.setConnected(true)
    second.setConnected(true)
    second.setConnected(false)
    first.setConnected(false)
    await Promise.resolve().then(() => Promise.resolve())
    expect([first.isLeading, second.isLeading]).toEqual([false, false])
  })

  it('any that is in front is being looked at; none answers: nobody looks', async () => {
    const { open, wait } = openTabs()
    const other = { isInFront: true }
    const [behind] = [open({ isInFront: false }), open(other)]
    expect(await behind?.isLookedAt()).toBe(true)
    other.isInFront = false
    const asked = behind?.isLookedAt()
    wait()
    expect(await asked).toBe(false)
    expect(await open({ isInFront: true }).isLookedAt()).toBe(true)
  })
})
