import { describe, expect, it } from 'vitest'
import { reportPanic } from '../../src/app/open-notices.ts'
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
