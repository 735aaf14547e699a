import { describe, expect, it } from 'vitest'
import { newHookAddress, wantedCommand } from '../../src/web/pages/hooks/hook-lines.ts'

const searchOf = (command: string) => newHookAddress(command).replace('/hooks/new', '')

describe('a command that an address brings along', () => {
  it('arrives as it was written, with quotes, ampersands and breaks of lines', () => {
    const command = `buy $250 BTCUSDT & echo "a+b%"; stop at -2%\necho é`
    expect(wantedCommand(searchOf(command))).toEqual({ command })
    expect(wantedCommand('?command=buy%20%24250')).toEqual({ command: 'buy $250' })
  })

  it('is none where the address names none', () => {
    for (const search of ['', '?', '?command=', '?command=%20', '?name=x'])
      expect(wantedCommand(search)).toBeUndefined()
  })

  it('is refused where it is longer than a command, and where not all of it can be seen', () => {
    expect(wantedCommand(searchOf('x'.repeat(8_192)))).toHaveProperty('command')
    expect(wantedCommand(searchOf('x'.repeat(8_193)))).toMatchObject({ why: expect.stringContaining('8193') })
    for (const hidden of ['\u0000', '\u001b[2J', '\u202e', '\u200b'])
      expect(wantedCommand(searchOf(`buy ${hidden}$250`))).toHaveProperty('why')
  })
})
