// Ctrl-R.
import { describe, expect, it } from 'vitest'
import type { DrivenTerminal } from './driven-terminal.ts'
import { executed, KEY, PROMPT, prompted, terminalsOfFile } from './terminals.ts'

const open = terminalsOfFile()

describe('Ctrl-R', () => {
  async function withHistory(): Promise<DrivenTerminal> {
    const terminal = await open()
    for (const line of ['echo buy one', 'echo sell', 'echo buy two']) {
      await terminal.enter(line)
      await terminal.until((screen) => screen.lines().includes(line.slice('echo '.length)) && prompted(screen))
    }
    return terminal
  }
  const typed = (terminal: DrivenTerminal, expected: string) => terminal.until((screen) => screen.typed() === expected)

  it('finds a line while its words are typed, then older ones, and runs it with Enter', async () => {
    const terminal = await withHistory()
    terminal.send(KEY.ctrlR)
    await typed(terminal, 'search:  > ')
    terminal.send('BUY')
    await typed(terminal, 'search: BUY > echo buy two')
    terminal.send(KEY.ctrlR)
    await typed(terminal, 'search: BUY > echo buy one')
    terminal.send(KEY.enter)
    await terminal.until((screen) => screen.lines().filter((line) => line === 'buy one').length === 2)
    expect(terminal.lines()).toContain(`${PROMPT}echo buy one`)
    expect((await executed(terminal)).at(-1)).toBe('echo buy one')
  })

  it('takes the line for editing with an arrow', async () => {
    const terminal = await withHistory()
    terminal.send(`${KEY.ctrlR}sell`)
    await typed(terminal, 'search: sell > echo sell')
    terminal.send(KEY.left)
    await typed(terminal, `${PROMPT}echo sell`)
    terminal.send('!')
    await typed(terminal, `${PROMPT}echo sell!`)
  })

  it.each([
    ['Esc', KEY.escape],
    ['Ctrl-G', KEY.ctrlG],
  ])('leaves with %s to the line typed before', async (_name, key) => {
    const terminal = await withHistory()
    await terminal.type('buy $25')
    terminal.send(`${KEY.ctrlR}sell`)
    await typed(terminal, 'search: sell > echo sell')
    terminal.send(key)
    await typed(terminal, `${PROMPT}buy $25`)
    expect(await executed(terminal)).toHaveLength(3)
  })

  it('runs nothing when nothing is found', async () => {
    const terminal = await withHistory()
    terminal.send(`${KEY.ctrlR}sellx`)
    await typed(terminal, 'search: sellx (not found) > ')
    terminal.send(KEY.backspace)
    await typed(terminal, 'search: sell > echo sell')
    terminal.send('x')
    await typed(terminal, 'search: sellx (not found) > ')
    terminal.send(KEY.enter)
    await typed(terminal, PROMPT)
    expect(await executed(terminal)).toHaveLength(3)
  })

  it('goes on below output that arrives meanwhile', async () => {
    const terminal = await withHistory()
    terminal.send(`${KEY.ctrlR}two`)
    await typed(terminal, 'search: two > echo buy two')
    await terminal.hookSays('filled')
    await terminal.happen({ do: 'price', last: '1' })
    await terminal.until((screen) => screen.lines().at(-2) === '[hook:dip] filled')
    expect(terminal.typed()).toBe('search: two > echo buy two')
    terminal.send(KEY.escape)
    await terminal.until((screen) => screen.typed() === 'paper [BTCUSDT 1] > ')
  })
})
