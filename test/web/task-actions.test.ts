import { describe, expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'
import { actionsOf, resumeLine, warningOf } from '../../src/web/pages/trade/tasks.ts'

const verbs = (task: Parameters<typeof actionsOf>[0]) => actionsOf(task).map(({ verb }) => verb)

describe('what a page may ask of a task', () => {
  it.each([
    ['running', undefined, ['pause', 'cancel']],
    ['running', true, ['cancel']],
    ['interrupted', undefined, ['cancel']],
    ['done', undefined, []],
    ['failed', undefined, []],
    ['cancelled', undefined, []],
    ['of-a-later-version', undefined, []],
  ])('one that is %s, paused: %s', (status, paused, expected) => {
    expect(verbs({ status, ...defined({ paused }) })).toEqual(expected)
  })

  it('has a line for the terminal where it waits, and only the terminal resumes it', () => {
    const id = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
    expect(resumeLine({ id, status: 'interrupted' })).toBe('tasks resume 3f9c2a71')
    expect(resumeLine({ id, status: 'running', paused: true })).toBe('tasks resume 3f9c2a71')
    expect(resumeLine({ id, status: 'running' })).toBeUndefined()
  })

  it('is warned of before it is cancelled: what it protected is bare then', () => {
    const [, cancel] = actionsOf({ status: 'running' })
    expect(cancel && warningOf({ kind: 'trail', protective: true }, cancel)).toContain(
      'this trail no longer protects the position',
    )
    expect(cancel && warningOf({ kind: 'twap' }, cancel)).toContain('What has filled stays')
  })

  it('ends an alert at once, and says of a condition that its line no longer runs', () => {
    const [, cancel] = actionsOf({ status: 'running' })
    expect(cancel && warningOf({ kind: 'alert', protective: true }, cancel)).toBeUndefined()
    expect(cancel && warningOf({ kind: 'when', protective: true }, cancel)).toBe('Its line no longer runs by itself.')
  })

  it('is done at once where it takes nothing away', () => {
    const [pause] = actionsOf({ status: 'running' })
    expect(pause && warningOf({ kind: 'trail', protective: true }, pause)).toBeUndefined()
  })
})
