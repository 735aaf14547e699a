import { expect, it } from 'vitest'
import { activityNotice } from '../../src/app/notices.ts'

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
