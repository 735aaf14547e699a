import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { reportHalts, reportPanic } from '../../src/app/open-notices.ts'
import { type GuardStore, openGuardStore } from '../../src/stores/guards.ts'
import type { Panic } from '../../src/stores/panic.ts'

/** A store whose content a test sets, as a process with that pid would. */
function stage() {
  let panic: Panic | undefined
  let changedBy = 0
  let tellChange = (): void => {}
  const told: string[] = []
  reportPanic(
    {
      read: () => panic,
      changedBy: () => changedBy,
      watch(listener) {
        tellChange = listener
        return () => {}
      },
    },
    (text) => void told.push(text),
  )
  const set = (next: Panic | undefined, pid: number): void => {
    panic = next
    changedBy = pid
    tellChange()
  }
  return { told, set }
}

describe('panic that begins or ends', () => {
  const by = (pid: number): Panic => ({ since: 1_000, by: 'the terminal', pid })

  it('is told where another process did it', () => {
    const { told, set } = stage()
    set(by(process.pid + 1), process.pid + 1)
    set(undefined, process.pid + 1)
    expect(told).toEqual([expect.stringContaining('type `resume`'), expect.stringContaining('panic is off')])
  })

  it('is not told a second time where this process did it', () => {
    const { told, set } = stage()
    set(by(process.pid), process.pid)
    set(undefined, process.pid)
    expect(told).toEqual([])
  })
})

describe('a halt or a limit of an account', () => {
  function processes() {
    const directory = tempDirectory()
    let clock = 0
    const [here, elsewhere] = [1, 2].map(() => openGuardStore(directory, { now: () => (clock += 1_000) })) as [
      GuardStore,
      GuardStore,
    ]
    const told: string[] = []
    let changed = (): void => {}
    const watch: GuardStore['watch'] = (handler) => {
      changed = handler
      return () => {}
    }
    reportHalts({ ...here, watch }, (text) => void told.push(text))
    const does = async (work: Promise<unknown>): Promise<void> => {
      await work
      changed()
    }
    return { here, elsewhere, told, does }
  }

  it('is reported where another process began or ended it, with account and reason', async () => {
    const { elsewhere, told, does } = processes()
    await does(elsewhere.restrict('paper', 'reducing', 'its loss limit of $10.00 a day'))
    await does(elsewhere.restrict('paper', 'halted', 'the terminal'))
    await does(elsewhere.release('paper'))
    await does(elsewhere.restrict(undefined, 'halted', 'hook dip'))
    await does(elsewhere.release(undefined))
    expect(told).toEqual([
      'account paper takes only orders that reduce a position (set by its loss limit of $10.00 a day); type `resume` to end it',
      'account paper was halted from a terminal; type `resume` to end it',
      'account paper sends orders again',
      'all accounts were halted by hook dip; type `resume` to end it',
      'all accounts send orders again',
    ])
  })

  it('is not reported a second time where this process did it', async () => {
    const { here, elsewhere, told, does } = processes()
    await does(here.restrict('paper', 'halted', 'the terminal'))
    await does(here.release('paper'))
    await does(here.restrict(undefined, 'reducing', 'the terminal'))
    expect(told).toEqual([])
    await does(elsewhere.release(undefined))
    expect(told).toEqual(['all accounts send orders again'])
  })
})
