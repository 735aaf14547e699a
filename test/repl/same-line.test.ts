// The same line twice within a second: what orders is asked about before it orders again.
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { openTerminalFront } from '../../src/repl/terminal-front.ts'

afterEach(() => vi.restoreAllMocks())

function open() {
  let now = 10_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  output.on('data', (chunk) => {
    screen += chunk
  })
  const ran: string[] = []
  const front = openTerminalFront({
    input,
    output,
    history: { lines: () => [], add: () => {} },
    coloured: false,
    prompt: () => '> ',
    hold: () => () => {},
    complete: () => ({ candidates: [], from: 0 }) as never,
    urgencyOf: () => 'in-turn',
    overQuestion: () => undefined,
    ordersTwice: (line) => line.startsWith('buy'),
    answer: () => false,
    asks: () => false,
    execute: async (line: string) => {
      ran.push(line)
      return true
    },
    print: () => {},
    end: () => {},
  })
  onTestFinished(() => front.close())
  const settle = async () => {
    for (let turns = 0; turns < 20; turns++) await turn()
  }
  return {
    ran,
    screen: () => screen,
    async enter(line: string, afterMs: number) {
      now += afterMs
      for (const key of `${line}\r`) input.write(key)
      await settle()
    },
    async press(key: string) {
      now += 2_000
      input.write(key)
      await settle()
    },
  }
}

it('asks with the seconds, and runs it again after a y alone', async () => {
  const { ran, screen, enter, press } = open()
  await enter('buy $100', 0)
  await enter('buy $100 ', 400)
  expect(ran).toEqual(['buy $100'])
  expect(screen()).toContain('`buy $100 ` was entered 0.4 s ago; run it again? y or n >')
  await press('n')
  expect(ran).toEqual(['buy $100'])
  await enter('buy $100', 10)
  await enter('buy $100', 300)
  await press('y')
  expect(ran).toHaveLength(3)
})

it.each([
  ['buy $100', 1_001, 'buy $100'],
  ['buy $100', 300, 'buy $200'],
  ['price', 300, 'price'],
])('runs `%s` and, after %i ms, `%s` without a question', async (first, afterMs, second) => {
  const { ran, enter } = open()
  await enter(first, 0)
  await enter(second, afterMs)
  expect(ran).toEqual([first, second])
})
