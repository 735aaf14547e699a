// The lines by which hookline tells the operator about itself.
import { describe, expect, it } from 'vitest'
import { activityNotice, interruptedNotice, problemNotice } from '../../src/app/notices.ts'

it.each([
  ['create', '[web:Console] created hook dip; `hook show 0a6f1c2e` prints its token'],
  ['rotate', '[web:Console] gave hook dip a new token; `hook show 0a6f1c2e` prints it'],
  ['revoke', '[web:Console] revoked hook dip'],
] as const)('a page’s %s of a hook is told with what to do next', (op, text) => {
  const activity = { type: 'hook', op, label: 'Console', name: 'dip', hookId: '0a6f1c2e'.padEnd(32, '0') } as const
  expect(activityNotice(activity)).toEqual({ kind: 'info', text })
})

it('shows nothing of a name or label as it came', () => {
  const activity = {
    type: 'hook',
    op: 'create',
    label: 'a\u001b[2Jb',
    name: 'd\u202eip',
    hookId: '0'.repeat(32),
  } as const
  expect(activityNotice(activity).text).not.toMatch(/[\u001b\u202e]/)
})

describe('an invalid file', () => {
  it('is named with its line and what becomes of it', () => {
    const { text } = problemNotice({
      kind: 'file',
      path: '/home/ann/.hookline/hooks.json',
      line: 3,
      message: 'is not JSON',
    })
    expect(text).toBe(
      "/home/ann/.hookline/hooks.json:3: is not JSON; hookline won't overwrite the file until you fix it",
    )
  })
})

describe('interrupted runs', () => {
  it('are counted, the last five shown, and nothing is said without any', () => {
    const run = { runId: 'r', source: 'hook', origin: 'dip', command: 'buy $10', account: 'paper', at: 0 }
    expect(interruptedNotice([])).toBeUndefined()
    const lines = interruptedNotice(Array.from({ length: 7 }, () => run))?.text.split('\n') ?? []
    expect(lines).toHaveLength(6)
    expect(lines[0]).toMatch(/^7 runs were interrupted when hookline stopped, the last 5 of them/)
    expect(lines[1]).toBe('  1970-01-01 00:00:00 UTC [hook:dip] buy $10 (account paper)')
  })
})
