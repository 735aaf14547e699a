import { describe, expect, it } from 'vitest'
import { key } from '../../../harness/wire/frame-samples.ts'
import type { PendingClient } from '../../../src/commands/kit/ports.ts'
import { ApprovalPrompt, type ApprovalPromptPorts, type Decision } from '../../../src/repl/approval-prompt.ts'

const question = {
  clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
  label: 'Console',
  origin: 'http://127.0.0.1:53220',
}
const other = { clientId: 'bbbbbbbb-5d0e', label: 'Other', origin: 'https://good.com' }

const ASKED = [
  'warn a web page asks to run commands here:',
  '  label   Console',
  '  origin  http://127.0.0.1:53220',
  '  client  3f9c2a71',
  '  proof   cannot prove itself',
  'approve it? y or n',
].join('\n')

type Outcome = Awaited<ReturnType<ApprovalPromptPorts['answer']>>

function prompt(answer: (decision: Decision) => Outcome | Promise<Outcome> = (outcome) => ({ outcome, question })) {
  const printed: string[] = []
  const answered: string[] = []
  const approvals = new ApprovalPrompt({
    print: (kind, text) => void printed.push(`${kind} ${text}`),
    async answer(decision, may) {
      answered.push(may === undefined ? decision : `${decision} ${may}`)
      return answer(decision)
    },
  })
  return { approvals, printed, answered }
}

/** Lets the answer that is under way come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the question', () => {
  it('names label, origin and the head of the clientId', () => {
    const { approvals, printed } = prompt()
    approvals.show(question, 1)
    expect(printed).toEqual([ASKED])
  })

  it('calls nothing a web page that asks for a grant, as agents do', () => {
    const { approvals, printed } = prompt()
    approvals.show({ ...question, asks: { may: 'propose' } }, 1)
    expect(printed[0]?.split('\n')[0]).toBe('warn a client asks for a grant here:')
    expect(printed[0]).toContain('  asks    propose')
  })

  it.each<[what: string, more: Partial<PendingClient>, says: string]>([
    ['has proved to hold a key', { key }, 'proves itself with a key'],
    [
      'has a key where it had none',
      { key, formerTrust: 'without-key' },
      'proves itself with a key; until now it could not',
    ],
    [
      'has another key',
      { key, formerTrust: 'with-other-key' },
      'has another key than the client you approved under this id: answer n unless you know why',
    ],
  ])('says of a client how far its name can be believed: one that %s', (_what, more, says) => {
    const { approvals, printed } = prompt()
    approvals.show({ ...question, ...more }, 1)
    expect(printed[0]?.split('\n')[4]).toBe(`  proof   ${says}`)
  })

  it.each([
    ['look', 'y to let it look, or n'],
    ['propose', 'y to let it look, `y propose` for what it asks, or n'],
  ] as const)('shows what a client asks for that asks for `%s`, as plain text', (may, answers) => {
    const { approvals, printed } = prompt()
    const asks = { may, perOrder: '100', accounts: ['pa\u001b[2Jper'], proposalsPerHour: 20, forMs: 3_600_000 }
    approvals.show({ ...question, asks }, 1)
    expect(printed[0]?.split('\n').slice(5)).toEqual([
      `  asks    ${may}: $100.00 an order, accounts pa [2Jper, 20 proposals an hour, for 1h`,
      `approve it? ${answers}`,
    ])
  })

  it('says how many more wait', () => {
    const { approvals, printed } = prompt()
    approvals.show(question, 8)
    expect(printed[0]).toMatch(/approve it\? y or n; 7 more wait$/)
  })

  it('says so where there is no label', () => {
    const { approvals, printed } = prompt()
    approvals.show({ ...question, label: '' }, 1)
    expect(printed[0]).toContain('  label   (none)\n')
  })

  it.each<[what: string, label: string, shown: string]>([
    ['colours', '\u001b[31mred\u001b[0m', ' [31mred [0m'],
    ['a cleared screen', '\u001b[2J\u001b[H', ' [2J [H'],
    ['8-bit controls', 'a\u009b2Jb', 'a 2Jb'],
    ['line breaks', 'Console\n  origin  https://your.bank\r\n', 'Console   origin  https://your.bank  '],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a b c'],
    ['text from right to left', 'a\u202egnab\u202c', 'a gnab '],
    ['what nobody sees', 'Con\u200bsole\ufeff', 'Con sole '],
    ['a bell and a backspace', 'Evil\u0007\u0008\u0008', 'Evil   '],
    ['half a pair', 'x\ud800', 'x '],
    ['200 characters', 'x'.repeat(200), `${'x'.repeat(59)}…`],
  ])('shows a label with %s as plain text of one line', (_what, label, shown) => {
    const { approvals, printed } = prompt()
    approvals.show({ ...question, label }, 1)
    expect(printed[0]?.split('\n')).toHaveLength(6)
    expect(printed[0]).toContain(`  label   ${shown}\n`)
  })

  it('shows origin and clientId as plain text too, and cut', () => {
    const { approvals, printed } = prompt()
    approvals.show({ clientId: '\u001b]0;evil\u0007abc', label: '', origin: `https://\u202e${'x'.repeat(300)}` }, 1)
    const lines = printed[0]?.split('\n') ?? []
    expect(lines[2]).toMatch(/^ {2}origin {2}https:\/\/ x+…$/)
    expect(lines[2]).toHaveLength(110)
    expect(lines[3]).toBe('  client   ]0;evil')
  })

  it.each([
    ['left', 'info the page that asked has gone; nothing to answer'],
    ['unanswered', 'info no one answered, so Console (http://127.0.0.1:53220) was denied; it may ask again'],
  ] as const)('that ends because it is %s says so', (ended, line) => {
    const { approvals, printed } = prompt()
    approvals.show(question, 1)
    approvals.show(undefined, 0, ended)
    expect(printed).toEqual([ASKED, line])
  })

  it.each(['approved', 'denied'] as const)('that ends because somebody %s it leaves the telling to them', (ended) => {
    const { approvals, printed } = prompt()
    approvals.show(question, 1)
    approvals.show(undefined, 0, ended)
    expect(printed).toEqual([ASKED])
  })
})

describe('a line', () => {
  it.each([
    ['y propose', ['approved propose']],
    [' YES  Look ', ['approved look']],
    ['y trade', ['approved trade']],
  ])('"%s" answers with a grant', async (line, expected) => {
    const { approvals, printed, answered } = prompt()
    approvals.show(question, 1)
    expect(approvals.take(line)).toBe(true)
    await settled()
    expect(answered).toEqual(expected)
    expect(printed.at(-1)).toMatch(
      /^success approved Console \(http:\/\/127\.0\.0\.1:53220\): it may (?:look|propose|trade)$/,
    )
  })

  it.each(['y all', 'n look', 'yes please', 'y propose now', 'propose'])('"%s" is a command, and no answer', (line) => {
    const { approvals, answered } = prompt()
    approvals.show(question, 1)
    expect(approvals.take(line)).toBe(false)
    expect(answered).toEqual([])
  })

  it.each<[line: string, decision: Decision]>([
    ['y', 'approved'],
    ['yes', 'approved'],
    [' Y ', 'approved'],
    ['YES', 'approved'],
    ['n', 'denied'],
    ['no', 'denied'],
    ['\tNo', 'denied'],
  ])('"%s" is an answer', async (line, decision) => {
    const { approvals, printed, answered } = prompt()
    approvals.show(question, 1)
    expect(approvals.take(line)).toBe(true)
    await settled()
    expect(answered).toEqual([decision])
    const kind = decision === 'approved' ? 'success' : 'info'
    expect(printed.at(-1)).toBe(`${kind} ${decision} Console (http://127.0.0.1:53220)`)
  })

  it.each([
    '',
    ' ',
    'yy',
    'ye',
    'y;',
    'y n',
    '"y"',
    'yes please',
    'nope',
    'balance',
    'ｙ',
    '__proto__',
    'toString',
    'constructor',
  ])('"%s" is none, and the question stays', async (line) => {
    const { approvals, answered } = prompt()
    approvals.show(question, 1)
    expect(approvals.take(line)).toBe(false)
    expect(approvals.take('y')).toBe(true)
    await settled()
    expect(answered).toEqual(['approved'])
  })

  it.each(['y', 'no'])('"%s" is a command where nothing is asked', (line) => {
    const { approvals, answered } = prompt()
    expect(approvals.take(line)).toBe(false)
    approvals.show(question, 1)
    approvals.show(undefined, 0, 'left')
    expect(approvals.take(line)).toBe(false)
    expect(answered).toEqual([])
  })

  it('that answers twice while the first is written down counts once', async () => {
    let written = (_outcome: Outcome): void => {}
    const { approvals, answered, printed } = prompt(
      () =>
        new Promise((resolve) => {
          written = resolve
        }),
    )
    approvals.show(question, 1)
    expect([approvals.take('y'), approvals.take('y'), approvals.take('n')]).toEqual([true, true, true])
    written({ outcome: 'approved', question })
    await settled()
    expect(answered).toEqual(['approved'])
    expect(printed.filter((line) => line.includes('approved Console'))).toHaveLength(1)
  })

  it('that came too soon after the question changed is asked for again, about the new one', async () => {
    const { approvals, printed, answered } = prompt(() => ({ outcome: 'too-soon', question: other }))
    approvals.show(question, 2)
    approvals.show(other, 1)
    approvals.take('y')
    await settled()
    expect(printed.slice(-2)).toEqual([
      'warn the question changed just before you answered; please read it again',
      expect.stringContaining('  label   Other\n'),
    ])
    expect(approvals.take('y')).toBe(true)
    await settled()
    expect(answered).toHaveLength(2)
  })

  it('that approves what cannot be written down says why, and the question can be answered again', async () => {
    let isFull = true
    const { approvals, printed } = prompt((outcome) => {
      if (isFull) throw new Error('the disk is full')
      return { outcome, question }
    })
    approvals.show(question, 1)
    approvals.take('y')
    await settled()
    expect(printed.at(-1)).toBe('error the approval could not be saved: the disk is full; the client is still waiting')
    isFull = false
    expect(approvals.take('y')).toBe(true)
    await settled()
    expect(printed.at(-1)).toMatch(/^success approved/)
  })

  it('that nobody waits for any more says nothing', async () => {
    const { approvals, printed } = prompt(() => ({ outcome: 'no-question' }))
    approvals.show(question, 1)
    approvals.take('y')
    await settled()
    expect(printed).toEqual([ASKED])
  })
})
