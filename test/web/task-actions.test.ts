import { describe, expect, it } from 'vitest'
import { actionsOf, warningOf } from '../../src/web/pages/trade/task-actions.ts'

const verbs = (task: Parameters<typeof actionsOf>[0]) => actionsOf(task).map(({ verb }) => verb)

describe('what a page may ask of a task', () => {
  it.each([
    ['running', undefined, ['pause', 'cancel']],
    ['running', true, ['resume', 'cancel']],
    ['interrupted', undefined, ['resume', 'cancel']],
    ['done', undefined, []],
    ['failed', undefined, []],
    ['cancelled', undefined, []],
    ['of-a-later-version', undefined, []],
  ])('one that is %s, paused: %s', (status, paused, expected) => {
    expect(verbs({ status, ...(paused === undefined ? {} : { paused }) })).toEqual(expected)
  })

  it('is warned of before it is cancelled: what it protected is bare then', () => {
    const [, cancel] = actionsOf({ status: 'running' })
    expect(cancel && warningOf({ kind: 'trail', protective: true }, cancel)).toContain('no stop of it any more')
    expect(cancel && warningOf({ kind: 'twap' }, cancel)).toContain('What has filled stays')
  })

  it('is done at once where it takes nothing away', () => {
    const [pause] = actionsOf({ status: 'running' })
    expect(pause && warningOf({ kind: 'trail', protective: true }, pause)).toBeUndefined()
  })
})
