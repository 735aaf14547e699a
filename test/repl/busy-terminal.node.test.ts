// What the prompt does while lines run, and when it is to be stopped.
import { describe, expect, it } from 'vitest'
import { READING_MS } from '../../src/repl/block-question.ts'
import { executed, FOCUS, hold, KEY, PROMPT, prompted, terminalsOfFile } from './terminals.ts'

const RUNNING = `${FOCUS} (1 running, Ctrl-C stops it) > `

const open = terminalsOfFile()

describe('while a line runs', () => {
  it('the prompt says so, and no longer when it has ended', async () => {
    const terminal = await hold(await open())
    await terminal.until((screen) => screen.typed() === RUNNING)
    await terminal.happen({ do: 'release' })
    await terminal.until(prompted)
  })

  it('says less where there is little room', async () => {
    const terminal = await hold(await open({ columns: 60 }))
    await terminal.until((screen) => screen.typed() === `${FOCUS} (1 running) > `)
  })

  it('another line is queued, which is said, and runs in its turn with its text before its output', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.until((screen) => screen.typed() === `${FOCUS} (1 running, 1 queued) > `)
    await terminal.shows('queued: echo after')
    await terminal.happen({ do: 'release' })
    await terminal.until((screen) => screen.lines().includes('after') && prompted(screen))
    expect(terminal.lines().slice(-4)).toEqual(['released', '> echo after', 'after', PROMPT])
  })

  it('an immediate line runs at once, also past queued ones', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo now 5')
    await terminal.until((screen) => screen.lines().includes('now 5'))
    expect(await executed(terminal)).toEqual(['hold', 'echo now 5'])
  })

  it('a question that is wider than the terminal is broken between words, and leaves nothing behind', async () => {
    const terminal = await hold(await open({ columns: 40 }))
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.typed() === '  queue? n keeps its turn; y or n > ')
    expect(terminal.lines().at(-2)).toBe('run `echo cancel` before 1 line in the')
    expect(terminal.brokenRows().filter((row) => row.includes('before'))).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
    terminal.send('n')
    await terminal.until((screen) =>
      screen.lines().some((line) => line.trim() === 'queue? n keeps its turn; y or n > n'),
    )
    expect(terminal.lines().filter((line) => line.startsWith('run `echo cancel`'))).toHaveLength(1)
  })

  it('what takes orders away asks before it goes past queued lines, and n has it wait for its turn', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    const question = 'run `echo cancel` before 1 line in the queue? n keeps its turn; y or n > '
    for (const [answer, ran] of [
      ['y', ['hold', 'echo cancel']],
      ['n', ['hold', 'echo cancel', 'echo after', 'echo cancel']],
    ] as const) {
      await terminal.enter('echo cancel')
      await terminal.until((screen) => screen.typed() === question)
      // A key that was on its way is no answer.
      await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
      await terminal.type(answer)
      // The terminal and the socket are two ways: what is said by one may overtake the other.
      await terminal.until((screen) => screen.lines().includes(`${question}${answer}`))
      if (answer === 'n') await terminal.happen({ do: 'release' })
      await terminal.until(
        (screen) => screen.lines().filter((line) => line === 'cancel').length === (answer === 'y' ? 1 : 2),
      )
      expect(await executed(terminal)).toEqual(ran)
      expect(terminal.lines()).toContain(`${question}${answer}`)
    }
  })

  it.each([
    ['key by key', [...'panic\r']],
    ['in one piece', ['panic\r']],
  ])('panic that is typed over a question %s withdraws it, and runs', async (_how, pieces) => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    for (const piece of pieces) terminal.send(piece)
    await terminal.until((screen) => screen.lines().some((line) => line === 'withdrawn: you typed panic'))
    await terminal.happen({ do: 'release' })
    await expect.poll(() => executed(terminal)).toEqual(['hold', 'echo after', 'panic', 'echo cancel'])
  })

  it.each([
    // A first letter that comes alone, on a busy machine, is an answer of its own.
    ['key by key', [...'nuke --yes\r'], /^withdrawn: you typed nuke --yes$|y or n > n$/],
    ['in one piece', ['nuke --yes\r'], /^withdrawn: you typed nuke --yes$/],
    ['in two', ['nuk', 'e --yes\r'], /^withdrawn: you typed nuke --yes$/],
  ])(
    'nuke, whose first letter is an answer, typed over a question %s withdraws it, and runs',
    async (_how, pieces, end) => {
      const terminal = await hold(await open())
      await terminal.enter('echo after')
      await terminal.shows('queued: echo after')
      await terminal.enter('echo cancel')
      await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
      await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
      for (const piece of pieces) terminal.send(piece)
      await terminal.until((screen) => screen.lines().some((line) => end.test(line)))
      await terminal.happen({ do: 'release' })
      await expect
        .poll(async () => (await executed(terminal)).toSorted())
        .toEqual(['echo after', 'echo cancel', 'hold', 'nuke --yes'])
    },
  )

  it('what closes, and is typed over a question, runs at once, and the question is withdrawn', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    for (const key of 'echo close\r') terminal.send(key)
    await terminal.until((screen) => screen.lines().some((line) => line === 'withdrawn: you typed echo close'))
    await terminal.until((screen) => screen.lines().includes('close'))
    expect(await executed(terminal)).toEqual(['hold', 'echo close'])
  })

  it('another line that is typed over a question does not run, says so, and Up brings it back', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    for (const key of 'echo before\r') terminal.send(key)
    await terminal.shows('`echo before` did not run: press y or n first; lines that read')
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
    terminal.send('n')
    await terminal.until((screen) => screen.lines().some((line) => line.endsWith('y or n > n')))
    terminal.send(KEY.up)
    await terminal.until((screen) => screen.typed().endsWith('> echo before'))
    expect(await executed(terminal)).toEqual(['hold'])
  })

  it('what only reads, and is typed over a question, runs, and the question stays', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo after')
    await terminal.shows('queued: echo after')
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    for (const key of 'echo now 5\r') terminal.send(key)
    await terminal.until((screen) => screen.lines().includes('now 5'))
    await terminal.until((screen) => screen.typed().startsWith('run `echo cancel` before 1 line'))
    expect(await executed(terminal)).toEqual(['hold', 'echo now 5'])
  })

  it.each([
    ['n', 'Enter from habit'],
    ['no', 'the rest of the word'],
    ['y', 'Enter from habit'],
    ['yes', 'the rest of the word'],
  ])('an answer %s, then Enter, does not run the line that was being typed: %s', async (answer) => {
    const terminal = await hold(await open())
    await terminal.enter('confirm sure?')
    await terminal.shows('queued: confirm sure?')
    await terminal.type('echo draft')
    await terminal.happen({ do: 'release' })
    await terminal.until((screen) => screen.typed().startsWith('sure?'))
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS))
    terminal.send(answer.charAt(0))
    await terminal.until((screen) => screen.typed().endsWith('> echo draft'))
    for (const key of `${answer.slice(1)}\r`) terminal.send(key)
    await terminal.shows('`echo draft` did not run: Enter runs it now')
    await terminal.until((screen) => screen.typed().endsWith('> echo draft'))
    expect(await executed(terminal)).toEqual(['hold', 'confirm sure?'])
    terminal.send('\r')
    await terminal.until((screen) => screen.lines().includes('draft'))
    expect(await executed(terminal)).toEqual(['hold', 'confirm sure?', 'echo draft'])
  })

  it('what takes orders away runs at once where nothing is queued', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo cancel')
    await terminal.until((screen) => screen.lines().includes('cancel'))
  })

  it('what protects is queued behind a line that has just begun, and goes past one that has run for two seconds', async () => {
    const terminal = await hold(await open())
    await terminal.enter('echo stop early')
    await terminal.shows('queued: echo stop early')
    await terminal.happen({ do: 'release' })
    await terminal.until((screen) => screen.lines().includes('stop early') && prompted(screen))
    await hold(terminal)
    await new Promise((resolve) => setTimeout(resolve, 2_050))
    await terminal.enter('echo stop late')
    await terminal.until((screen) => screen.lines().includes('stop late'))
    expect(await executed(terminal)).toEqual(['hold', 'echo stop early', 'hold', 'echo stop late'])
  })

  it('a line that waits holds no other, and Ctrl-C ends it', async () => {
    const terminal = await open()
    await terminal.enter('wait')
    await terminal.shows('runs in the background')
    await terminal.enter('echo next')
    await terminal.until((screen) => screen.lines().includes('next'))
    expect(await executed(terminal)).toEqual(['wait', 'echo next'])
    await terminal.until((screen) => screen.typed() === RUNNING)
    terminal.send(KEY.ctrlC)
    await terminal.until((screen) => screen.lines().includes('released') && prompted(screen))
  })

  it('Ctrl-C stops it, drops queued lines with their number, and keeps what is being typed', async () => {
    const terminal = await hold(await open())
    for (const line of ['echo one', 'echo two']) {
      await terminal.enter(line)
      await terminal.shows(`queued: ${line}`)
    }
    await terminal.type('sell 100%')
    terminal.send(KEY.ctrlC)
    await terminal.until((screen) => screen.typed() === `${PROMPT}sell 100%`)
    await terminal.shows('2 lines in the queue dropped')
    expect(await executed(terminal)).toEqual(['hold'])
  })

  it('runs neither a comment nor what follows one', async () => {
    const terminal = await open()
    await terminal.enter('echo one # echo two')
    await terminal.until((screen) => screen.lines().length === 3 && prompted(screen))
    await terminal.enter('# echo three')
    await terminal.until(prompted)
    expect(await executed(terminal)).toEqual(['echo one '])
  })
})

describe('Ctrl-Z', () => {
  it('says so where there is no shell to go to, and goes on', async () => {
    const terminal = await open()
    await terminal.type('buy $25')
    terminal.send(KEY.ctrlZ)
    await terminal.shows('Ctrl-Z needs a shell')
    await terminal.until((screen) => screen.typed() === `${PROMPT}buy $25`)
  })
})
