// A view that has the whole terminal for a while, in a real one: what it takes, and what it gives back.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { READING_MS } from '../../src/repl/block-question.ts'
import type { DrivenTerminal } from './driven-terminal.ts'
import { executed, KEY, PROMPT, prompted, terminalsOfFile } from './terminals.ts'

const open = terminalsOfFile()

/** The bytes that take the alternate screen and give it back: one of each for each view. */
const taken = (terminal: DrivenTerminal) => terminal.raw.split('\u001b[?1049h').length - 1
const given = (terminal: DrivenTerminal) => terminal.raw.split('\u001b[?1049l').length - 1

async function openView(options: Parameters<typeof open>[0] = {}): Promise<DrivenTerminal> {
  const terminal = await open(options)
  await terminal.enter('view box')
  await terminal.until((screen) => screen.lines()[0]?.startsWith('box ') === true)
  return terminal
}

describe('a view at the prompt', () => {
  it.each([
    ['q', 'q'],
    ['Ctrl-C', KEY.ctrlC],
  ])('gives the screen, the cursor and the prompt back: %s', async (_, key) => {
    const terminal = await openView()
    expect(terminal.lines()).toEqual(['box 80x24', 'heard', 'pressed'].map((line) => expect.stringContaining(line)))
    terminal.send(key)
    await terminal.until(prompted)
    expect(terminal.lines()).toEqual([`${PROMPT}view box`, PROMPT])
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'))
    await terminal.enter('echo after')
    await terminal.until((screen) => screen.lines().includes('after'))
    expect([taken(terminal), given(terminal)]).toEqual([1, 1])
  })

  it('gives it back when the view throws, and the terminal goes on', async () => {
    const terminal = await openView()
    terminal.send('!')
    await terminal.until(
      (screen) => prompted(screen) && screen.lines().some((line) => line.includes('a bug of the view')),
    )
    await terminal.enter('echo after')
    await terminal.until((screen) => screen.lines().includes('after'))
  })

  it('gives it back when hookline ends', async () => {
    const terminal = await openView()
    await terminal.happen({ do: 'stop' })
    await terminal.exit()
    expect([taken(terminal), given(terminal)]).toEqual([1, 1])
  })

  it('hears the lines that come meanwhile, and they stand above the prompt afterwards', async () => {
    const terminal = await openView()
    await terminal.hookSays('bought')
    await terminal.until((screen) => screen.lines().includes('heard [hook:dip] bought'))
    terminal.send('q')
    await terminal.until(prompted)
    expect(terminal.lines()).toEqual([`${PROMPT}view box`, '[hook:dip] bought', PROMPT])
  })

  it('writes only what has changed', async () => {
    const terminal = await openView()
    const before = terminal.raw.length
    terminal.send('a')
    await terminal.until((screen) => screen.lines().includes('pressed a'))
    expect(terminal.raw.slice(before)).not.toContain('box')
    // The price of the prompt goes on, and nothing of it is drawn into the view.
    await terminal.happen({ do: 'price', last: '123456.7' })
    await sleep(1_200)
    expect(terminal.raw.slice(before)).not.toContain('123,456')
  })

  it('runs a line where it is said to, through the same queue, and shows it in the scrollback', async () => {
    const terminal = await openView()
    terminal.send('r')
    await terminal.until((screen) => screen.lines().includes('heard ran'))
    expect(await executed(terminal)).toEqual(['view box', 'echo ran on swing'])
    terminal.send('q')
    await terminal.until(prompted)
    expect(terminal.lines()).toEqual([`${PROMPT}view box`, '> echo ran', 'ran', PROMPT])
    terminal.send(KEY.up)
    await terminal.until((screen) => screen.typed() === `${PROMPT}echo ran`)
  })

  it.each([
    ['y', 'yes'],
    ['n', 'no'],
  ])('leaves the screen to a question, and comes back after the answer: %s', async (answer, said) => {
    const terminal = await openView()
    terminal.send('?')
    await terminal.until((screen) => screen.typed().startsWith('sure?'))
    expect(terminal.lines().at(0)).toBe(`${PROMPT}view box`)
    await sleep(2 * READING_MS)
    terminal.send(answer)
    await terminal.until((screen) => screen.lines().includes(`heard ${said}`))
    terminal.send('q')
    await terminal.until(prompted)
    expect(terminal.lines()).toContain(said)
    expect(terminal.lines()).toContain(`sure? ${answer}`)
  })

  it('takes no paste for keys', async () => {
    const terminal = await openView()
    terminal.paste('r\nq\n')
    await terminal.until((screen) => screen.lines().includes('heard a paste'))
    terminal.send('rrr')
    // What comes in one piece with them is part of a paste, too.
    const typing = setInterval(() => terminal.send('a'), 300)
    await terminal.until((screen) => screen.lines().includes('pressed a')).finally(() => clearInterval(typing))
    expect(await executed(terminal)).toEqual(['view box'])
  })

  it('is drawn anew at another size, without the prompt in it', async () => {
    const terminal = await openView({ columns: 60, rows: 12 })
    terminal.resize(100, 30)
    await terminal.until((screen) => screen.lines()[0] === 'box 100x30')
    expect(terminal.lines().some((line) => line.includes('paper ['))).toBe(false)
    terminal.resize(40, 8)
    await terminal.until((screen) => screen.lines()[0] === 'box 40x8')
    terminal.send('q')
    await terminal.until(prompted)
  })

  it('does not come over a line that is being typed', async () => {
    const terminal = await open()
    await terminal.enter('hold')
    await terminal.shows('holding')
    await terminal.enter('view box')
    await terminal.type('buy $2')
    await terminal.happen({ do: 'release' })
    await terminal.shows('the line that is being typed comes first')
    expect(terminal.typed()).toBe(`${PROMPT}buy $2`)
    expect(taken(terminal)).toBe(0)
  })
})
