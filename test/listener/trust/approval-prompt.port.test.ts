// A person at a real terminal, the built program, and pages that want in.
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { isPrompt, openTerminal } from '../../../harness/process/hookline.ts'
import type { PseudoTerminal } from '../../../harness/process/pseudo-terminal.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../../src/listener/approvals/approvals.ts'

const asked = (terminal: PseudoTerminal, label: string) => terminal.shows(`  label   ${label}`)
/** A person reads before answering. */
const read = () => new Promise((resolve) => setTimeout(resolve, APPROVAL_LIMITS.readMs + 100))

/** Where a line stands on the screen. */
function row(terminal: PseudoTerminal, text: string): number {
  return terminal.lines().findIndex((line) => line.includes(text))
}

describe('a question in the terminal', () => {
  it('appears above the line being typed, keeps it, and `y` approves', async () => {
    const terminal = await openTerminal(tempDirectory())
    terminal.send('balan')
    await terminal.until((screen) => screen.typed().endsWith('> balan'))
    const page = await WsClient.hello({ clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93', label: 'Console' })
    await terminal.shows('approve it? y or n')
    await terminal.until((screen) => screen.typed().endsWith('> balan'))
    const at = row(terminal, 'a web page asks to run commands here:')
    expect(terminal.lines().slice(at, at + 6)).toEqual([
      'a web page asks to run commands here:',
      '  label   Console',
      '  origin  http://127.0.0.1:53220',
      '  client  3f9c2a71',
      '  proof   cannot prove itself',
      'approve it? y or n',
    ])
    await read()
    terminal.send('\u0015y\r')
    await page.nextFrame('welcome')
    await terminal.shows('approved Console (http://127.0.0.1:53220)')
    await terminal.shows('[web:Console] connected')
    terminal.send('\u001b[A')
    // An answer is no command: the history does not have it.
    await terminal.until((screen) => !screen.typed().endsWith('> y'))
  })

  it('is no mode: another command runs, and the question stays', async () => {
    const terminal = await openTerminal(tempDirectory())
    const page = await WsClient.hello({ label: 'Console' })
    await asked(terminal, 'Console')
    terminal.send('echo still here\r')
    await terminal.until((screen) => screen.lines().includes('still here') && isPrompt(screen.typed()))
    expect(page.received).toEqual([])
    await read()
    terminal.send('n\r')
    expect((await page.closed()).code).toBe(4001)
    await terminal.shows('denied Console')
  })

  it('is answered while a command runs', async () => {
    const terminal = await openTerminal(tempDirectory())
    terminal.send('echo begin; sleep 60s\r')
    await terminal.until((screen) => screen.lines().includes('begin'))
    const page = await WsClient.hello({ label: 'Console' })
    await asked(terminal, 'Console')
    await read()
    terminal.send('y\r')
    await page.nextFrame('welcome')
  })

  it('gives way to the next one, and a `y` meant for the first approves nobody else', async () => {
    const terminal = await openTerminal(tempDirectory())
    const first = await WsClient.hello({ label: 'First' })
    await asked(terminal, 'First')
    const second = await WsClient.hello({ label: 'Second' })
    await second.settled()
    await read()
    terminal.send('y\r')
    await first.nextFrame('welcome')
    await asked(terminal, 'Second')
    expect(row(terminal, '  label   Second')).toBeGreaterThan(row(terminal, 'approve it? y or n'))
    await read()
    terminal.send('yes\r')
    await second.nextFrame('welcome')
  })

  it('of a page that has left is taken back', async () => {
    const terminal = await openTerminal(tempDirectory())
    const page = await WsClient.hello({ label: 'Console' })
    await asked(terminal, 'Console')
    await page.leave()
    await terminal.shows('the page that asked has gone; nothing to answer')
    terminal.send('y\r')
    await terminal.until((screen) => screen.lines().some((line) => /no question is waiting/i.test(line)))
  })

  it('shows a hostile label as text', async () => {
    const terminal = await openTerminal(tempDirectory())
    await WsClient.hello({ label: '\u001b[2J\u001b[HConsole\r\n\u001b]0;owned\u0007\u202eknab' })
    await terminal.shows(' [2J [HConsole   ]0;owned  knab')
    expect(terminal.raw).not.toContain('\u001b]0;owned')
    expect(terminal.raw).not.toContain('\u202e')
    expect(terminal.lines()).toContain('listening on 127.0.0.1:53219')
  })

  it('is put once to an operator whom 200 pages ask', async () => {
    const terminal = await openTerminal(tempDirectory())
    const pages = await Promise.all(Array.from({ length: 200 }, () => WsClient.hello({ label: 'flood' })))
    await asked(terminal, 'flood')
    let closed = 0
    for (const page of pages) void page.closed().then(() => closed++)
    await expect.poll(() => closed).toBe(200 - APPROVAL_LIMITS.pending)
    expect(terminal.lines().filter((line) => line.includes('asks to run commands'))).toHaveLength(1)
    terminal.send('clients\r')
    await terminal.shows('awaiting approval')
  })
})
