// Which process drives the tasks of a directory.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openTasksDriver } from '../../src/stores/tasks.ts'

function stage() {
  const directory = tempDirectory()
  const alive = new Set<number>()
  const open = (pid: number, born = 'then') => {
    alive.add(pid)
    return openTasksDriver(directory, { identity: { pid, born }, isAlive: (other) => alive.has(other.pid) })
  }
  return { directory, open, die: (pid: number) => void alive.delete(pid) }
}

describe('the lease', () => {
  it('goes to one of two that want it at once', async () => {
    const { open } = stage()
    const [a, b] = [open(1), open(2)]
    const taken = await Promise.all([a.take(), b.take()])
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect([a.isOurs(), b.isOurs()]).toEqual(taken)
  })

  it('stays with one that lives, and goes on when it is dead', async () => {
    const { open, die } = stage()
    const [a, b] = [open(1), open(2)]
    await a.take()
    expect(await b.take()).toBe(false)
    expect(b.holder()).toEqual({ pid: 1, born: 'then' })
    die(1)
    expect(b.holder()).toBeUndefined()
    expect(await b.take()).toBe(true)
    expect(a.isOurs()).toBe(false)
  })

  it('is no longer held by one that let go', async () => {
    const { open } = stage()
    const [a, b] = [open(1), open(2)]
    await a.take()
    await b.letGo()
    expect(a.isOurs()).toBe(true)
    await a.letGo()
    expect([a.isOurs(), b.holder()]).toEqual([false, undefined])
    expect(await b.take()).toBe(true)
  })

  it('is not taken for ours where the pid has come round again', async () => {
    const { open } = stage()
    await open(1, 'then').take()
    expect(open(1, 'now').isOurs()).toBe(false)
  })

  it('is nobody’s to take, and not ours, in a file that cannot be read', async () => {
    const { directory, open } = stage()
    const a = open(1)
    await a.take()
    await new Promise((resolve) => setImmediate(resolve))
    writeFileSync(join(directory, 'tasks-driver.json'), '{"pid":')
    expect(a.isOurs()).toBe(false)
    await expect(open(2).take()).rejects.toMatchObject({ code: 'store-corrupt' })
  })
})
