import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  EDIT_LIMITS,
  type EditEnd,
  type EditQuestion,
  EditQuestions,
} from '../../../src/listener/approvals/edit-questions.ts'
import { EditPrompt } from '../../../src/repl/edit-prompt.ts'

const question = (clientId: string, name = 'live'): EditQuestion => ({
  clientId,
  label: 'Console',
  origin: 'http://127.0.0.1:53220',
  op: 'change',
  name,
  exchange: 'bybit',
  fields: ['apiKey', 'secret'],
  uses: ['in focus', 'hook dip'],
})

/** The questions and the operator's terminal before them; the clock stands still unless a test moves it. */
function desk({ isUnattended = false } = {}) {
  const clock = { now: 10_000 }
  const busy = { isBusy: false, freed: 0 }
  const printed: string[] = []
  const questions: EditQuestions = new EditQuestions({
    now: () => clock.now,
    events: { editQuestion: (shown, waiting, ended) => prompt.show(shown, waiting, ended) },
    isUnattended,
    isBusy: () => busy.isBusy,
    onFree: () => void busy.freed++,
  })
  const prompt = new EditPrompt({
    print: (kind, text) => void printed.push(`${kind} ${text}`),
    answer: (decision) => questions.answer(decision),
  })
  const ask = (clientId: string, name?: string) => {
    const asker = {}
    const asked = { asker, end: undefined as EditEnd | undefined }
    void questions.ask(asker, question(clientId, name)).then((end) => {
      asked.end = end
    })
    return asked
  }
  const settled = () => Promise.resolve().then(() => {})
  return { clock, busy, printed, questions, prompt, ask, settled }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an edit that touches an account in use', () => {
  it('is asked about in words that name who asks, what changes and who uses it', () => {
    const { printed, ask } = desk()
    ask('3f9c2a71-5d0e')
    expect(printed).toEqual([
      [
        'warn a web page asks to change account live on bybit: apiKey; secret:',
        '  label   Console',
        '  origin  http://127.0.0.1:53220',
        '  client  3f9c2a71',
        '  used    in focus, hook dip',
        'allow it? y or n',
      ].join('\n'),
    ])
  })

  it.each([
    ['y', 'allowed'],
    ['NO ', 'denied'],
  ] as const)('ends with the line `%s`: %s', async (line, end) => {
    const { clock, prompt, ask, settled } = desk()
    const asked = ask('a')
    clock.now += EDIT_LIMITS.readMs
    expect([prompt.take('price'), prompt.take(line), prompt.take(line)]).toEqual([false, true, false])
    await settled()
    expect(asked.end).toBe(end)
  })

  it('is not answered by what was typed at another question', async () => {
    const { clock, prompt, printed, ask, settled } = desk()
    const first = ask('a', 'one')
    const second = ask('b', 'two')
    clock.now += EDIT_LIMITS.readMs
    prompt.take('y')
    prompt.take('y')
    await settled()
    expect([first.end, second.end]).toEqual(['allowed', undefined])
    expect(printed.slice(-2)).toEqual([
      'warn the question changed just before you answered; please read it again',
      expect.stringContaining('account two'),
    ])
  })

  it('waits while the operator is asked something else', () => {
    const { busy, printed, questions, ask } = desk()
    busy.isBusy = true
    ask('a')
    questions.showNext()
    expect(printed).toEqual([])
    busy.isBusy = false
    questions.showNext()
    expect(printed).toHaveLength(1)
  })

  it('lets questions about clients come before the next edit', async () => {
    const { clock, busy, prompt, printed, ask } = desk()
    ask('a')
    ask('b')
    clock.now += EDIT_LIMITS.readMs
    busy.isBusy = true
    prompt.take('n')
    expect(busy.freed).toBe(1)
    expect(printed).toHaveLength(2)
  })

  it('ends as unanswered after five minutes', async () => {
    const { printed, ask, settled } = desk()
    const asked = ask('a')
    vi.advanceTimersByTime(EDIT_LIMITS.answerMs)
    await settled()
    expect(asked.end).toBe('unanswered')
    expect(printed.at(-1)).toBe('info no one answered, so account live is as it was')
  })

  it('ends when its page leaves, and the next one is asked about', async () => {
    const { questions, printed, ask, settled } = desk()
    const first = ask('a', 'one')
    ask('b', 'two')
    questions.withdraw(first.asker)
    await settled()
    expect(first.end).toBe('left')
    expect(printed.slice(1)).toEqual([
      'info the page that asked has gone; nothing was changed',
      expect.stringContaining('account two'),
    ])
  })

  it('is refused unasked as the second one of a client, and as the ninth of all', async () => {
    const { ask, settled } = desk()
    const asked = Array.from({ length: EDIT_LIMITS.pending }, (_, index) => ask(`client-${index}`))
    const more = [ask('client-0'), ask('another')]
    await settled()
    expect([...asked, ...more].map(({ end }) => end)).toEqual([...asked.map(() => undefined), 'busy', 'busy'])
  })

  it('is refused where no one can answer', async () => {
    const { printed, ask, settled } = desk({ isUnattended: true })
    const asked = ask('a')
    await settled()
    expect(asked.end).toBe('unattended')
    expect(printed).toEqual([])
  })
})
