// Several lines that come at once.
import { describe, expect, it } from 'vitest'
import type { DrivenTerminal } from './driven-terminal.ts'
import { answerBlock, executed, KEY, PROMPT, prompted, terminalsOfFile } from './terminals.ts'

const ASKING = 'run these 3 lines? y or n > '

const open = terminalsOfFile()

describe('a paste', () => {
  const BLOCK = 'echo one\r\necho two\r\n\r\necho three\r\n'

  it.each([
    ['marked by the terminal', (terminal: DrivenTerminal) => terminal.paste(BLOCK)],
    ['in one piece', (terminal: DrivenTerminal) => terminal.send(BLOCK)],
  ])('of several lines, %s, asks once and runs them in order', async (_name, paste) => {
    const terminal = await open()
    paste(terminal)
    await terminal.until((screen) => screen.lines().length === 5 && screen.typed() === ASKING)
    expect(terminal.lines()).toEqual(['3 lines were pasted:', '  echo one', '  echo two', '  echo three', ASKING])
    expect(await executed(terminal)).toEqual([])
    await answerBlock(terminal, 'y')
    await terminal.until((screen) => screen.lines().includes('three') && prompted(screen))
    expect(await executed(terminal)).toEqual(['echo one', 'echo two', 'echo three'])
    expect(terminal.lines()).toContain(`${ASKING}y`)
  })

  it.each([
    ['n', 'n'],
    ['Esc', KEY.escape],
    ['Ctrl-C', KEY.ctrlC],
  ])('runs nothing after %s, and the line typed before comes back', async (_name, key) => {
    const terminal = await open()
    await terminal.type('buy $25')
    terminal.send(KEY.left)
    terminal.paste(BLOCK)
    await answerBlock(terminal, key)
    await terminal.until((screen) => screen.typed() === `${PROMPT}buy $25`)
    await terminal.shows('none of them ran')
    expect(await executed(terminal)).toEqual([])
  })

  it('is not run by Enter, by a key that was on its way, or by another paste', async () => {
    const terminal = await open()
    // In one piece: a busy machine may read a second one after the question has stood for a while.
    terminal.send(`\u001b[200~${BLOCK}\u001b[201~y`)
    await terminal.until((screen) => screen.typed() === ASKING)
    terminal.send(KEY.enter)
    terminal.paste('y')
    terminal.paste('y\ny\n')
    await terminal.hookSays('later')
    await terminal.until((screen) => screen.lines().includes('[hook:dip] later') && screen.typed() === ASKING)
    expect(await executed(terminal)).toEqual([])
  })

  it('does not answer a pending question', async () => {
    const terminal = await open()
    await terminal.happen({ do: 'expect-answer' })
    terminal.paste('y\ny\necho two\n')
    await answerBlock(terminal, 'n')
    terminal.paste('y\necho a\necho b\n')
    await answerBlock(terminal, 'y')
    await terminal.until((screen) => screen.lines().includes('that line failed, so 2 lines after it did not run'))
    expect(await terminal.happen({ do: 'report' })).toMatchObject({ answers: [], executed: ['y'] })
  })

  it('of one line goes into the line without running', async () => {
    const terminal = await open()
    terminal.paste('echo one\n')
    await terminal.until((screen) => screen.typed() === `${PROMPT}echo one`)
    expect(await executed(terminal)).toEqual([])
    terminal.send(KEY.enter)
    await terminal.until((screen) => screen.lines().includes('one'))
  })

  it('stops at the first line that fails, and says how many did not run', async () => {
    const terminal = await open()
    terminal.paste('echo one\n# a comment\nfail broken\necho three\necho four\n')
    await answerBlock(terminal, 'y')
    await terminal.shows('that line failed, so 2 lines after it did not run')
    await terminal.until(prompted)
    expect(await executed(terminal)).toEqual(['echo one', 'fail broken'])
  })

  it('is stopped by Ctrl-C', async () => {
    const terminal = await open()
    terminal.paste('hold\necho two\necho three\n')
    await answerBlock(terminal, 'y')
    await terminal.shows('holding')
    terminal.send(KEY.ctrlC)
    await terminal.shows('2 lines in the queue dropped')
    await terminal.until(prompted)
    expect(await executed(terminal)).toEqual(['hold'])
  })

  it.each([
    ['in one piece', ['\u001b[200~echo one\u001b[201~\rclose all\r\u001b[201~']],
    ['in two', ['\u001b[200~echo one\u001b[201~', '\rclose all\r\u001b[201~']],
  ])('cannot pass its end off as typed, %s', async (_name, pieces) => {
    const terminal = await open()
    for (const piece of pieces) {
      terminal.send(piece)
      await terminal.happen({ do: 'report' })
    }
    await terminal.until((screen) => screen.typed().includes('echo one') || screen.typed().includes('y or n'))
    await terminal.hookSays('later')
    await terminal.shows('later')
    expect(await executed(terminal)).toEqual([])
  })

  it('that is too long is not taken, and keys are keys again after it', async () => {
    const terminal = await open()
    terminal.paste('echo 123456789\n'.repeat(10_000))
    await terminal.shows('the paste is too long and was not taken')
    await terminal.enter('echo after')
    await terminal.until((screen) => screen.lines().includes('after'))
    expect(await executed(terminal)).toEqual(['echo after'])
  })

  it('cannot steer the terminal', async () => {
    const terminal = await open()
    terminal.paste('echo \u001b[2Jone\necho two\u0007\n')
    await terminal.until((screen) => screen.typed() === 'run these 2 lines? y or n > ')
    expect(terminal.raw).not.toContain('\u001b[2J')
  })

  it('of several lines is no answer to a hidden question', async () => {
    const terminal = await open()
    await terminal.enter('ask Key?')
    await terminal.until((screen) => screen.typed() === 'Key? ')
    terminal.paste('one\ntwo\n')
    await terminal.shows('this answer is one line')
    terminal.paste('hunter2\n')
    terminal.send(KEY.enter)
    await terminal.shows('got it')
    expect((await terminal.happen({ do: 'report' })).secrets).toEqual(['hunter2'])
  })
})
