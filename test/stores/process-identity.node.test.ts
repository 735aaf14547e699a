import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive, ownIdentity } from '../../src/stores/kernel-files.ts'

it('a process that runs is alive, and one that began at another time under its pid is not', () => {
  expect(isAlive(ownIdentity())).toBe(true)
  expect(isAlive({ pid: process.pid })).toBe(true)
  const tellsBirth = existsSync('/proc/self/stat')
  expect(isAlive({ ...ownIdentity(), born: '1' })).toBe(!tellsBirth)
})

it('a process that was waited for is dead', async () => {
  const child = spawn(process.execPath, ['--version'])
  const { pid = 0 } = child
  await once(child, 'exit')
  expect(isAlive({ pid })).toBe(false)
})

it.runIf(existsSync('/proc/self/stat'))('a zombie is dead, though it still has its pid (on Linux)', async () => {
  // The shell becomes a program that waits for none of its children.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
  expect(isAlive({ pid })).toBe(true)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => / (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]).toBe('Z')
  expect(() => process.kill(pid, 0)).not.toThrow()
  expect(isAlive({ pid })).toBe(false)
})
