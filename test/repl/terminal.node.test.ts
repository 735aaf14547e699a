import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { FOCUS, KEY, PROMPT, prompted, terminalsOfFile } from './terminals.ts'

const RUNNING = `${FOCUS} (1 running, Ctrl-C stops it) > `

const open = terminalsOfFile()

describe('the prompt', () => {
  it('shows account, symbol and price, with the cursor after it', async () => {
    const terminal = await open()
    expect(terminal.lines()).toEqual([PROMPT])
    expect(terminal.cursor()).toEqual({ row: 0, column: PROMPT.length })
  })

  it('follows the symbol at once', async () => {
    const terminal = await open()
    terminal.send(`focus ETHUSDT${KEY.enter}`)
    await terminal.until((screen) => screen.typed() === 'paper [ETHUSDT] > ')
  })

  it('follows the price without disturbing the line being typed', async () => {
    const terminal = await open()
    await terminal.type('buy $250')
    terminal.send(KEY.left.repeat(3))
    await terminal.happen({ do: 'price', last: '123456.7' })
    await terminal.until((screen) => screen.typed() === 'paper [BTCUSDT 123,456.7] > buy $250')
    expect(terminal.lines()).toHaveLength(1)
    expect(terminal.cursor().column).toBe('paper [BTCUSDT 123,456.7] > buy $'.length)
  })

  it('runs a line and prints its output under it', async () => {
    const terminal = await open()
    terminal.send(`echo hello${KEY.enter}`)
    await terminal.until((screen) => screen.lines().length === 3)
    expect(terminal.lines()).toEqual([`${PROMPT}echo hello`, 'hello', PROMPT])
  })
})

describe('output while a line is being typed', () => {
  it('appears above the line and leaves it alone', async () => {
    const terminal = await open()
    await terminal.type('buy $25')
    await terminal.hookSays('filled\nat 65,000')
    await terminal.shows('at 65,000')
    expect(terminal.lines()).toEqual(['[hook:dip] filled', '[hook:dip] at 65,000', `${PROMPT}buy $25`])
    await terminal.type('0 BTCUSDT')
    expect(terminal.typed()).toBe(`${PROMPT}buy $250 BTCUSDT`)
  })

  it('leaves a wrapped line alone with the cursor in its middle', async () => {
    const terminal = await open({ columns: 40, rows: 12 })
    const typed = `echo ${'abcdefghij'.repeat(8)}`
    await terminal.type(typed)
    terminal.send(KEY.left.repeat(45))
    await terminal.hookSays('one')
    await terminal.until((screen) => screen.lines().includes('[hook:dip] one'))
    await terminal.hookSays('two\nthree')
    // The typed line comes back below what was printed.
    await terminal.until((screen) => screen.lines().at(-2) === '[hook:dip] three' && screen.typed() === PROMPT + typed)
    expect(terminal.lines()).toEqual(['[hook:dip] one', '[hook:dip] two', '[hook:dip] three', PROMPT + typed])
    terminal.send('X')
    const changed = `${typed.slice(0, -45)}X${typed.slice(-45)}`
    await terminal.until((screen) => screen.typed() === PROMPT + changed)
    const place = PROMPT.length + changed.indexOf('X') + 1
    const wanted = { row: 3 + Math.floor(place / 40), column: place % 40 }
    await terminal.until((screen) => screen.cursor().row === wanted.row && screen.cursor().column === wanted.column)
    terminal.send(KEY.enter)
    await terminal.until(prompted)
    expect((await terminal.happen({ do: 'report' })).executed).toEqual([changed])
  })

  it('scrolls the screen when the line stands at its bottom', async () => {
    const terminal = await open({ columns: 40, rows: 6 })
    await terminal.type('x'.repeat(60))
    await terminal.hookSays('#', 30)
    await terminal.shows('[hook:dip] 30')
    const expected = Array.from({ length: 30 }, (_, index) => `[hook:dip] ${index + 1}`)
    expect(terminal.lines()).toEqual([...expected, PROMPT + 'x'.repeat(60)])
  })

  it('keeps a line that ends exactly at the edge', async () => {
    const terminal = await open({ columns: 40 })
    const typed = 'y'.repeat(40 - PROMPT.length)
    await terminal.type(typed)
    await terminal.hookSays('one')
    await terminal.shows('one')
    terminal.send('z')
    await terminal.until((screen) => screen.typed() === `${PROMPT}${typed}z`)
    expect(terminal.lines()).toEqual(['[hook:dip] one', `${PROMPT}${typed}z`])
  })

  it.each([
    ['wider', 90],
    ['narrower', 45],
  ])('keeps a line when the window becomes %s', async (_name, columns) => {
    const terminal = await open({ columns: 60 })
    const typed = `echo ${'0123456789'.repeat(5)}`
    await terminal.type(typed)
    terminal.resize(columns, 24)
    await terminal.until((screen) => screen.cursor().column === (PROMPT.length + typed.length) % columns)
    await terminal.hookSays('wide')
    await terminal.shows('wide')
    expect(terminal.lines()).toEqual(['[hook:dip] wide', PROMPT + typed])
    terminal.send(KEY.enter)
    await terminal.until(prompted)
    expect((await terminal.happen({ do: 'report' })).executed).toEqual([typed])
  })

  it('cannot steer the terminal', async () => {
    const terminal = await open()
    await terminal.hookSays('bad\u001b[2J\u001b]0;title\u0007\u202etxt\u001b[31mred')
    await terminal.shows('[hook:dip] bad')
    expect(terminal.raw).not.toContain('\u001b]0')
    expect(terminal.raw).not.toContain('\u001b[31m')
  })

  it('counts what a burst of 5,000 hook lines has over 2,000, and goes on', async () => {
    const terminal = await open()
    await terminal.hookSays('line #', 5_000)
    await terminal.shows('[hook:dip] … 3,000 more lines')
    expect(terminal.lines()).toContain('[hook:dip] line 2000')
    expect(terminal.lines()).not.toContain('[hook:dip] line 2001')
    await terminal.hookSays('later')
    await terminal.shows('[hook:dip] later')
  })

  it('never leaves out lines of own runs', async () => {
    const terminal = await open()
    terminal.send(`lines 5000${KEY.enter}`)
    await terminal.shows('own line 5000')
    expect(terminal.lines()).toHaveLength(5_002)
  })

  it('names web clients, says that a hook failed, and leaves runs of scripts to their own terminal', async () => {
    const terminal = await open()
    const base = { runId: 'r', command: '', origin: 'tab' }
    const script = { runId: 's', command: '', source: 'exec' } as const
    await terminal.happen({ do: 'output', run: script, kind: 'print', text: 'elsewhere' })
    const due = { ...script, origin: 'every 3f9c2a71' }
    await terminal.happen({ do: 'output', run: due, kind: 'print', text: '65,000' })
    await terminal.happen({ do: 'output', run: { ...base, source: 'web' }, kind: 'success', text: 'bought' })
    await terminal.happen({
      do: 'done',
      run: { ...base, source: 'hook' },
      result: { success: false, error: 'no funds' },
    })
    await terminal.happen({ do: 'done', run: { ...base, source: 'hook' }, result: { success: true } })
    await terminal.until((screen) => screen.lines().length === 4 && prompted(screen))
    expect(terminal.lines()).toEqual([
      '[every 3f9c2a71] 65,000',
      '[web:tab] bought',
      '[hook:tab] the hook failed',
      PROMPT,
    ])
  })
})

describe('editing', () => {
  it('puts a paste where the cursor is', async () => {
    const terminal = await open()
    await terminal.type('buy BTCUSDT')
    terminal.send(KEY.left.repeat('BTCUSDT'.length))
    terminal.send('$250 ')
    await terminal.until((screen) => screen.typed() === `${PROMPT}buy $250 BTCUSDT`)
    expect(terminal.cursor().column).toBe(`${PROMPT}buy $250 `.length)
  })

  it('shows a long paste once', async () => {
    const terminal = await open({ columns: 40 })
    const pasted = `echo ${'0123456789'.repeat(10)}`
    terminal.send(pasted)
    await terminal.until((screen) => screen.typed() === PROMPT + pasted)
    terminal.send(`${KEY.left}!`)
    await terminal.until((screen) => screen.typed() === `${PROMPT}${pasted.slice(0, -1)}!9`)
    expect(terminal.lines()).toHaveLength(1)
  })

  it('completes commands, forms and live symbols', async () => {
    const terminal = await open()
    terminal.send('hel')
    terminal.send(KEY.tab)
    await terminal.until(
      (screen) => screen.typed() === `${PROMPT}help ` && screen.cursor().column === PROMPT.length + 5,
    )
    terminal.send(KEY.ctrlU)
    await terminal.until(prompted)
    terminal.send('symbol eth')
    terminal.send(KEY.tab)
    await terminal.until((screen) => screen.typed() === `${PROMPT}symbol ETHUSDT `)
  })

  it('brings back lines over a restart, but no secret and nothing that began with a space', async () => {
    const directory = tempDirectory()
    const first = await open({ directory })
    await first.happen({ do: 'expect-answer' })
    await first.enter('yes')
    for (const line of ['echo kept', ' echo private', 'ask Key?']) {
      await first.until(prompted)
      await first.enter(line)
    }
    await first.until((screen) => screen.typed() === 'Key? ')
    first.send(`hunter2${KEY.enter}`)
    await first.shows('got it')
    for (const expected of ['ask Key?', 'echo kept', 'echo kept']) {
      first.send(KEY.up)
      await first.until((screen) => screen.typed() === PROMPT + expected)
    }
    first.send(KEY.ctrlC)
    await first.until(prompted)
    await first.enter('exit')
    expect(await first.exit()).toBe(0)

    const file = join(directory, 'history')
    expect(readFileSync(file, 'utf8')).toBe('echo kept\nask Key?\nexit\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await open({ directory })
    for (const expected of ['exit', 'ask Key?', 'echo kept', 'echo kept']) {
      second.send(KEY.up)
      await second.until((screen) => screen.typed() === PROMPT + expected)
    }
  })

  it('clears the screen and keeps the prompt', async () => {
    const terminal = await open()
    terminal.send(`echo hello${KEY.enter}`)
    await terminal.shows('hello')
    terminal.send(`clear${KEY.enter}`)
    await terminal.until((screen) => screen.cursor().row === 0 && prompted(screen))
  })
})

describe('answers', () => {
  it('takes an answer to a pending question even while a run goes on', async () => {
    const terminal = await open()
    terminal.send(`hold${KEY.enter}`)
    await terminal.shows('holding')
    await terminal.happen({ do: 'expect-answer' })
    await terminal.until((screen) => screen.typed() === RUNNING)
    terminal.send(`y${KEY.enter}`)
    await terminal.until((screen) => screen.lines().includes(`${RUNNING}y`))
    expect(await terminal.happen({ do: 'report' })).toMatchObject({ answers: ['y'], executed: ['hold'] })
  })

  it('does not show a hidden answer, and edits it', async () => {
    const terminal = await open()
    terminal.send(`ask API secret:${KEY.enter}`)
    await terminal.until((screen) => screen.typed() === 'API secret: ')
    terminal.send(`wrong${KEY.ctrlU}hunter3${KEY.backspace}2${KEY.up}${KEY.tab}`)
    await terminal.hookSays('meanwhile')
    await terminal.until((screen) => screen.lines().includes('[hook:dip] meanwhile'))
    expect(terminal.typed()).toBe('API secret: ')
    terminal.send(KEY.enter)
    await terminal.shows('got it')
    expect((await terminal.happen({ do: 'report' })).secrets).toEqual(['hunter2'])
    // Neither the kill ring nor the undo stack has it.
    terminal.send(`${KEY.ctrlY}\u001f`)
    await terminal.enter('echo end')
    await terminal.until((screen) => screen.lines().includes('end'))
    expect(terminal.raw).not.toMatch(/hunter|wrong/)
  })

  it('gives back what was typed before a hidden question', async () => {
    const terminal = await open()
    await terminal.enter('hold')
    await terminal.shows('holding')
    await terminal.enter('ask PIN')
    await terminal.shows('queued: ask PIN')
    await terminal.type('buy $25')
    await terminal.happen({ do: 'release' })
    await terminal.until((screen) => screen.typed() === 'PIN ')
    terminal.send(`1234${KEY.enter}`)
    await terminal.shows('got it')
    await terminal.until((screen) => screen.typed() === `${PROMPT}buy $25`)
  })

  it('cancels a hidden question with Ctrl-C', async () => {
    const terminal = await open()
    terminal.send(`ask Key?${KEY.enter}`)
    await terminal.until((screen) => screen.typed() === 'Key? ')
    terminal.send(`hunter2${KEY.ctrlC}`)
    await terminal.shows('cancelled')
    await terminal.until(prompted)
    expect((await terminal.happen({ do: 'report' })).secrets).toEqual([])
  })
})

describe('leaving', () => {
  const LEAVE = 'press Ctrl-C again or type exit to quit'

  it('clears the typed line with Ctrl-C, asks at the next one and quits at the third', async () => {
    const terminal = await open()
    await terminal.type('sell 100%')
    terminal.send(KEY.ctrlC)
    await terminal.until(prompted)
    terminal.send(KEY.ctrlC)
    await terminal.shows(LEAVE)
    terminal.send(KEY.ctrlC)
    await terminal.exit()
    await terminal.shows('closed: interrupt, 0 failed')
    expect(terminal.lines()).toEqual([LEAVE, 'closed: interrupt, 0 failed'])
  })

  it('quits with Ctrl-D on an empty line only', async () => {
    const terminal = await open()
    await terminal.type('status')
    terminal.send(KEY.ctrlD)
    terminal.send(KEY.ctrlU)
    await terminal.until(prompted)
    terminal.send(KEY.ctrlD)
    await terminal.exit()
    await terminal.shows('closed: end, 0 failed')
  })

  it('runs lines typed ahead in order, and drops them when Ctrl-C interrupts', async () => {
    const terminal = await open()
    await terminal.enter('hold')
    await terminal.shows('holding')
    for (const line of ['echo first', 'hold', 'echo never']) {
      await terminal.enter(line)
      await terminal.shows(`queued: ${line}`)
    }
    expect((await terminal.happen({ do: 'report' })).executed).toEqual(['hold'])
    await terminal.happen({ do: 'release' })
    await terminal.until((screen) => screen.lines().filter((line) => line === 'holding').length === 2)
    terminal.send(KEY.ctrlC)
    await terminal.until((screen) => screen.lines().filter((line) => line === 'released').length === 2)
    await terminal.shows('1 line in the queue dropped')
    expect((await terminal.happen({ do: 'report' })).executed).toEqual(['hold', 'echo first', 'hold'])
  })

  it('counts failed lines for the exit status', async () => {
    const terminal = await open()
    await terminal.enter('fail on purpose')
    await terminal.until(prompted)
    await terminal.enter('exit')
    expect(await terminal.exit()).toBe(1)
    await terminal.shows('closed: exit, 1 failed')
  })

  it('takes the prompt away when stopped from outside', async () => {
    const terminal = await open()
    await terminal.type('half a li')
    await terminal.happen({ do: 'stop' })
    await terminal.exit()
    await terminal.shows('closed: exit')
    expect(terminal.lines()).toEqual(['closed: exit, 0 failed'])
  })

  it('does not run a half-typed line when the terminal goes away', async () => {
    const terminal = await open({ env: { STAY: 'yes' } })
    await terminal.type('sell 100%')
    terminal.hangUp()
    const report = await terminal.closedReport()
    expect(report).toMatchObject({ executed: [], closed: { reason: 'end', failedLines: 0 } })
  })
})

describe('colours', () => {
  const KINDS = [
    ['success', 2],
    ['info', 8],
    ['warn', 3],
    ['error', 1],
    ['print', undefined],
  ] as const

  it('tell the kinds of output apart', async () => {
    const terminal = await open()
    for (const [kind] of KINDS) {
      await terminal.enter(`say ${kind} this-is-${kind}`)
      await terminal.until(prompted)
    }
    await terminal.until((screen) => screen.lines().includes('this-is-print'))
    for (const [kind, colour] of KINDS) {
      const row = terminal.lines().indexOf(`this-is-${kind}`)
      expect(terminal.colourAt(row)).toBe(colour)
    }
  })

  it('give way to words under NO_COLOR', async () => {
    const terminal = await open({ env: { NO_COLOR: '1' } })
    terminal.send(`say error broken${KEY.enter}`)
    await terminal.until((screen) => screen.lines().includes('error: broken'))
    expect(terminal.raw).not.toMatch(/\u001b\[\d*m/)
  })
})
