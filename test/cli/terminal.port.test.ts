// What only the whole program in a real terminal can show: a paste, and a window that is closed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, isPortClosed, isPrompt, openTerminal, post } from '../../harness/process/hookline.ts'

describe('hookline in a terminal', () => {
  it('runs all lines of a paste, one after another', async () => {
    const terminal = await openTerminal(tempDirectory())
    terminal.send('sleep 200ms; echo first\recho second\rset @x third\recho @x\r')
    await terminal.until((screen) => screen.lines().includes('third') && isPrompt(screen.typed()))
    const expected = ['first', 'second', '@x = third', 'third']
    expect(terminal.lines().filter((line) => expected.includes(line))).toEqual(expected)
  })

  it('lets a running fire end when the window is closed', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'slow', 'echo begin; sleep 500ms; echo end')
    const terminal = await openTerminal(directory)
    const { runId } = JSON.parse((await post(hook.url, hook.token)).body)
    await terminal.shows('[hook:slow] begin')
    terminal.hangUp()
    await expect.poll(() => doneLine(directory, runId)).toMatchObject({ ok: true })
    await expect.poll(isPortClosed).toBe(true)
  })
})

function doneLine(directory: string, runId: string): unknown {
  const lines = readFileSync(join(directory, 'runs.jsonl'), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).find((line) => line.t === 'done' && line.runId === runId)
}
