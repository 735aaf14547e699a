import { describe, expect, it } from 'vitest'
import type { ConnectionState } from '../../src/client/connection-state.ts'
import { QuietRechecks } from '../../src/web/console.ts'

const OTHER: ConnectionState = { name: 'other-listener', expected: 'a', got: 'b' }
const CONNECTING: ConnectionState = { name: 'connecting', failures: 0 }
const LOST: ConnectionState = { name: 'waiting-to-reconnect', retryAt: 1, failures: 1, why: 'unreachable' }

function stage({ isInFront = true } = {}) {
  const looks: string[] = []
  let due: (() => void) | undefined
  const rechecks = new QuietRechecks(() => looks.push('look'), {
    after: (_ms, callback) => {
      due = callback
      return () => {
        due = undefined
      }
    },
    isInFront: () => isInFront,
  })
  return { rechecks, looks, wait: () => due?.(), isWaiting: () => due !== undefined }
}

describe('while another hookline answers', () => {
  it('the page looks again, and does not show that it does', () => {
    const { rechecks, looks, wait } = stage()
    expect(rechecks.hides(OTHER)).toBe(false)
    wait()
    expect([looks, rechecks.hides(CONNECTING)]).toEqual([['look'], true])
    rechecks.hides(OTHER)
    wait()
    expect(looks).toHaveLength(2)
  })

  it('it does not look while nobody can see it', () => {
    const { rechecks, looks, wait } = stage({ isInFront: false })
    rechecks.hides(OTHER)
    wait()
    expect(looks).toEqual([])
  })

  it('any other answer is shown and ends it', () => {
    const { rechecks, wait, isWaiting } = stage()
    rechecks.hides(OTHER)
    wait()
    expect(rechecks.hides(LOST)).toBe(false)
    expect([isWaiting(), rechecks.hides(CONNECTING)]).toEqual([false, false])
  })

  it('a person’s wish is not lost in a look', () => {
    const { rechecks, wait } = stage()
    const accepted: string[] = []
    rechecks.hides(OTHER)
    wait()
    rechecks.afterLook(() => accepted.push('b'))
    expect(accepted).toEqual([])
    rechecks.hides(OTHER)
    expect(accepted).toEqual(['b'])
  })
})
