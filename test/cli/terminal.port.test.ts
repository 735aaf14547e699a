// What only the whole program in a real terminal can show: a paste, and a window that is closed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import {
  BINARY,
  createHook,
  enterLines,
  exec,
  isPortClosed,
  isPrompt,
  openTerminal,
  post,
} from '../../harness/process/hookline.ts'
import { answerBlock, type PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'
import { READING_MS } from '../../src/repl/block-question.ts'

describe('hookline in a terminal', () => {
  it('runs all lines of a paste, one after another, once it was told to', async () => {
    const terminal = await openTerminal(tempDirectory())
    terminal.send('sleep 200ms; echo first\recho second\rset @x third\recho @x\r')
    await answerBlock(terminal, 'y')
    await terminal.until((screen) => screen.lines().includes('third') && isPrompt(screen.typed()))
    const expected = ['first', 'second', '@x = third', 'third']
    expect(terminal.lines().filter((line) => expected.includes(line))).toEqual(expected)
  })

  it('shows at the prompt that nothing is heard of the venue, and no price, until it is again', async () => {
    const terminal = await openTerminal(tempDirectory())
    await terminal.until((screen) => /^paper \[BTCUSDT [\d,.]+\] > $/.test(screen.typed()))
    await enter(terminal, 'paper faults gap 3')
    await terminal.until((screen) => screen.typed() === 'paper [BTCUSDT stale] > ')
    await terminal.until((screen) => /^paper \[BTCUSDT [\d,.]+\] > $/.test(screen.typed()))
  })

  it('lets `price` and `close` through while a line sleeps, `close` after a question, and stops it with Ctrl-C', async () => {
    const terminal = await openTerminal(tempDirectory())
    await enter(terminal, 'buy 0.01 BTCUSDT')
    await terminal.until(
      (screen) => screen.lines().some((line) => line.startsWith('bought ')) && isPrompt(screen.typed()),
    )
    await enter(terminal, 'sleep 10m; echo never')
    await terminal.until((screen) => screen.typed().endsWith('(1 running, Ctrl-C stops it) > '))
    await enter(terminal, 'echo in-its-turn')
    await terminal.shows('queued: echo in-its-turn')
    await enter(terminal, 'alias out "cancel all; close all"')
    await terminal.shows('queued: alias')
    await enter(terminal, 'close')
    await terminal.until((screen) => screen.typed().startsWith('run `close` before 2 lines in the queue?'))
    // A key that was on its way is no answer.
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
    terminal.send('y')
    await terminal.until((screen) =>
      screen.lines().some((line) => line.startsWith('closed ') || line.startsWith('sold ')),
    )
    expect(terminal.typed()).toMatch(/\(1 running, 2 queued\) > $/)
    terminal.send('\u0003')
    await terminal.shows('2 lines in the queue dropped')
    await terminal.until((screen) => isPrompt(screen.typed()))
    expect(terminal.lines().filter((line) => line === 'never' || line === 'in-its-turn')).toEqual([])
  })

  it.each([80, 40, 30])('at %i columns breaks no word of help and of tables', async (columns) => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'slow', 'echo begin; echo end')
    await exec(directory, 'buy $500 BTCUSDT; stop at -5%; buy $300 ETHUSDT at -3%')
    const terminal = await openTerminal(directory, { columns })
    await post(hook.url, hook.token)
    await terminal.shows('end')
    const lines = [
      'help',
      'help all',
      'help buy',
      'help hook',
      'runs',
      'clients',
      'orders',
      'positions',
      'status',
      'balance',
    ]
    await enterLines(terminal, lines)
    await enter(terminal, 'echo the-end')
    await terminal.until((screen) => screen.lines().includes('the-end'))
    const broken = terminal.brokenRows().filter((row) => !/^\w+ \[\w+/.test(row))
    expect(broken).toEqual([])
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

  it('ends by the signal of a closed window, and not by a crash', async () => {
    const directory = tempDirectory()
    const code = join(directory, 'code')
    const script = 'trap : HUP; "$0" "$1"; echo $? > "$2"'
    const terminal = await openTerminal(directory, {
      file: '/bin/sh',
      argv: ['-c', script, process.execPath, BINARY, code],
    })
    terminal.hangUp()
    await expect.poll(() => existsSync(code) && readFileSync(code, 'utf8')).toBe(`${128 + 1}\n`)
  })
})

async function enter(terminal: PseudoTerminal, line: string): Promise<void> {
  await terminal.type(line)
  terminal.send('\r')
}

function doneLine(directory: string, runId: string): unknown {
  const lines = readFileSync(join(directory, 'runs.jsonl'), 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).find((line) => line.t === 'done' && line.runId === runId)
}
