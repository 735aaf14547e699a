import { describe, expect, it } from 'vitest'
import { type EditedLine, EMPTY_LINE } from '../../src/web/terminal/line-editor.ts'
import { TerminalSession } from '../../src/web/terminal/terminal-session.ts'

function open({ confirms = true }: { confirms?: boolean } = {}) {
  const history: string[] = []
  const printed: string[] = []
  const ran: string[] = []
  const asked: (readonly string[])[] = []
  const ended: (() => void)[] = []
  let shown: EditedLine | undefined
  let prompt = 'paper [BTCUSDT] > '
  const session = new TerminalSession({
    screen: {
      print: (lines) => void printed.push(...lines),
      show(_prompt, line) {
        shown = line
      },
      commit() {
        printed.push(`${prompt}${shown?.text ?? ''}`)
        shown = EMPTY_LINE
      },
      clear: () => void printed.splice(0),
    },
    history: { lines: () => history, add: (line) => void history.push(line) },
    commands: [
      { names: ['price'], forms: [] },
      { names: ['positions'], forms: [] },
    ],
    prompt: () => prompt,
    seen: () => ({ symbols: [], accounts: [], hookIds: [], orderIds: [] }),
    run(line) {
      ran.push(line)
      return new Promise((done) => ended.push(done))
    },
    runsUnderWay: () => ran.length,
    confirmPaste(lines) {
      asked.push(lines)
      return Promise.resolve(confirms)
    },
  })
  const changePrompt = (next: string) => {
    prompt = next
    session.refreshPrompt()
  }
  return { session, printed, ran, asked, ended, history, changePrompt, typed: () => shown?.text }
}

const settled = () => new Promise((done) => setImmediate(done))

describe('terminal session', () => {
  it('runs the line typed and empties it', () => {
    const { session, ran, history, typed } = open()
    for (const key of [...'price', '\r']) session.take(key)
    expect({ ran, history, typed: typed() }).toEqual({ ran: ['price'], history: ['price'], typed: '' })
  })

  it('runs nothing for a blank line', () => {
    const { session, ran } = open()
    for (const key of [' ', '\r', '\r']) session.take(key)
    expect(ran).toEqual([])
  })

  it('asks before it runs what was pasted, and then waits for each line', async () => {
    const { session, ran, asked, ended } = open()
    session.take('\x1b[200~price\npositions\x1b[201~')
    await settled()
    expect({ asked, ran }).toEqual({ asked: [['price', 'positions']], ran: ['price'] })
    ended[0]?.()
    await settled()
    expect(ran).toEqual(['price', 'positions'])
  })

  it('refuses a pasted line that is too long, with words, and runs no part of it', async () => {
    const { session, printed, ran, asked, typed } = open()
    session.take('e')
    const long = `buy $1000 BTCUSDT; ${'echo x; '.repeat(1_200)}stop at -2%`
    session.take(`\x1b[200~${long}\x1b[201~`)
    expect(typed()).toBe('e')
    session.take(`\x1b[200~price\n${long}\x1b[201~`)
    session.take('\r')
    await settled()
    expect({ ran, asked }).toEqual({ ran: ['e'], asked: [] })
    expect(printed.filter((line) => line.includes('nothing was pasted'))).toEqual([
      expect.stringContaining('the line would have 9,631 characters, and hookline takes 8,192'),
      expect.stringContaining('the line would have 9,630 characters, and hookline takes 8,192'),
    ])
  })

  it('runs nothing pasted after a no', async () => {
    const { session, ran } = open({ confirms: false })
    session.take('\x1b[200~price\npositions\x1b[201~')
    await settled()
    expect(ran).toEqual([])
  })

  it('completes a line, and shows the choices when it can add nothing', () => {
    const { session, printed, typed } = open()
    for (const key of ['p', '\t']) session.take(key)
    expect(printed.join()).toContain('positions  price')
    for (const key of ['r', '\t']) session.take(key)
    expect(typed()).toBe('price ')
  })

  it('drops the line at Ctrl-C and tells that runs go on', () => {
    const { session, ran, printed, typed } = open()
    for (const key of ['x', '\x03']) session.take(key)
    expect({ typed: typed(), printed }).toEqual({ typed: '', printed: ['paper [BTCUSDT] > x^C'] })
    for (const key of [...'price', '\r', '\x03']) session.take(key)
    expect(ran).toEqual(['price'])
    expect(printed.at(-1)).toContain('cannot be called back')
  })

  it('clears the screen itself', () => {
    const { session, ran, printed } = open()
    session.print({ kind: 'print', text: 'old' })
    for (const key of [...'clear', '\r']) session.take(key)
    expect({ ran, printed }).toEqual({ ran: [], printed: [] })
  })

  it('shows output as text: nothing in it steers the terminal', () => {
    const { session, printed } = open()
    session.print({ kind: 'error', text: 'a\x1b[2Jb\nc' }, '[hook:\x1b]0;x\x07] ')
    const foreign = printed.join('\n').replaceAll(/\x1b\[(31|39|90)m/g, '')
    expect(foreign).toBe('[hook: ]0;x ] error: a [2Jb\n[hook: ]0;x ] c')
  })

  it('keeps what is typed when the prompt changes', () => {
    const { session, changePrompt, typed } = open()
    session.take('pri')
    changePrompt('not connected > ')
    expect(typed()).toBe('pri')
  })
})
