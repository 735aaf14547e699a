// Who waits, who is shown, who is turned away: with a clock of the test's own.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  APPROVAL_LIMITS,
  type Applicant,
  Approvals,
  type ApprovalsOptions,
  type Question,
  type QuestionEnd,
  type QuestionEvents,
} from '../../../src/listener/approvals/approvals.ts'
import type { AskedGrant } from '../../../src/protocol/rows.ts'

const { pending, connections, answerMs, quietMs, keepPlaceMs, readMs, pauseMs } = APPROVAL_LIMITS
const ORIGIN = 'http://127.0.0.1:53220'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Fate = 'approved' | 'denied' | 'turned away'

interface Tab extends Applicant {
  readonly fates: Fate[]
}

function tab(
  clientId: string,
  { origin = ORIGIN, label = clientId, grant }: { origin?: string; label?: string; grant?: AskedGrant } = {},
): Tab {
  const fates: Fate[] = []
  return {
    hello: { t: 'hello', clientId, label, webCrossTradeActive: false, ...(grant && { grant }) },
    origin,
    fates,
    decide: (decision) => void fates.push(decision),
    turnAway: () => void fates.push('turned away'),
  }
}

function desk(options: Partial<Omit<ApprovalsOptions, 'events'>> & { events?: Partial<QuestionEvents> } = {}) {
  const trusted: Question[] = []
  /** What the operator sees, in order: the clientId or undefined, how many wait, and how the one before ended. */
  const shown: [clientId: string | undefined, waiting: number, ended: QuestionEnd | undefined][] = []
  const approvals = new Approvals({
    now: () => performance.now(),
    trust: async (question) => void trusted.push(question),
    formerTrustOf: () => undefined,
    ...options,
    events: {
      question: (question, waiting, ended) => void shown.push([question?.clientId, waiting, ended]),
      ...options.events,
    },
  })
  /** The operator reads, then answers. */
  const answer = (decision: 'approved' | 'denied') => {
    vi.advanceTimersByTime(readMs)
    return approvals.answer(decision)
  }
  const waiting = () => approvals.pending().map(({ clientId }) => clientId)
  return { approvals, trusted, shown, answer, waiting }
}

/** Many tabs at once. */
function crowd(count: number, prefix = 'tab'): Tab[] {
  return Array.from({ length: count }, (_, index) => tab(`${prefix}-${index + 1}`))
}

describe('a client that asks for a grant', () => {
  it('is written down with what the question has shown, and not with what it asks on another connection', async () => {
    const given: unknown[] = []
    const { approvals } = desk({ trust: async ({ asks }, may) => void given.push([asks, may]) })
    approvals.apply(tab('agent', { grant: { may: 'look' } }))
    approvals.apply(tab('agent', { grant: { may: 'trade' } }))
    vi.advanceTimersByTime(readMs)
    await approvals.answer('approved', 'look')
    expect(given).toEqual([[{ may: 'look' }, 'look']])
  })
})

describe('one unknown client', () => {
  it('is asked about, and written down when approved', async () => {
    const { approvals, trusted, shown, answer, waiting } = desk()
    const one = tab('one', { label: 'Console' })
    approvals.apply(one)
    expect(shown).toEqual([['one', 1, undefined]])
    const question = { clientId: 'one', label: 'Console', origin: ORIGIN }
    expect(await answer('approved')).toEqual({ outcome: 'approved', question })
    expect(one.fates).toEqual(['approved'])
    expect(trusted).toEqual([question])
    expect(shown.at(-1)).toEqual([undefined, 0, 'approved'])
    expect(waiting()).toEqual([])
  })

  it('is let in only after the approval is written down', async () => {
    let written = (): void => {}
    const { approvals, answer } = desk({
      trust: () =>
        new Promise((resolve) => {
          written = resolve
        }),
    })
    const one = tab('one')
    approvals.apply(one)
    const answered = answer('approved')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(one.fates).toEqual([])
    written()
    await answered
    expect(one.fates).toEqual(['approved'])
  })

  it('waits on when the approval cannot be saved, and can be answered again', async () => {
    let isFull = true
    const { approvals, shown, answer, waiting } = desk({
      trust: async () => {
        if (isFull) throw new Error('the disk is full')
      },
    })
    const one = tab('one')
    approvals.apply(one)
    await expect(answer('approved')).rejects.toThrow('the disk is full')
    expect([one.fates, waiting(), shown.length]).toEqual([[], ['one'], 1])
    isFull = false
    await answer('approved')
    expect(one.fates).toEqual(['approved'])
  })

  it('is denied without a trace in the store', async () => {
    const { approvals, trusted, shown, answer } = desk()
    const one = tab('one')
    approvals.apply(one)
    expect(await answer('denied')).toMatchObject({ outcome: 'denied' })
    expect([one.fates, trusted]).toEqual([['denied'], []])
    expect(shown.at(-1)).toEqual([undefined, 0, 'denied'])
  })

  it('is asked about as it called itself, without a label too', () => {
    const { approvals } = desk()
    approvals.apply({ ...tab('one'), hello: { t: 'hello', clientId: 'one', webCrossTradeActive: false } })
    expect(approvals.pending()).toEqual([{ clientId: 'one', label: '', origin: ORIGIN }])
  })

  it('is the same client only on the same origin', async () => {
    const { approvals, trusted, answer, waiting } = desk()
    const here = tab('one')
    const there = tab('one', { origin: 'https://good.com' })
    approvals.apply(here)
    approvals.apply(there)
    expect(waiting()).toEqual(['one', 'one'])
    await answer('approved')
    expect([here.fates, there.fates]).toEqual([['approved'], []])
    expect(trusted.map(({ origin }) => origin)).toEqual([ORIGIN])
  })
})

describe('nobody there', () => {
  it('an answer is for nobody', async () => {
    expect(await desk().approvals.answer('approved')).toEqual({ outcome: 'no-question' })
    expect(await desk().approvals.decide('one', 'approved')).toEqual({ outcome: 'no-question' })
  })

  it('an answer to a client that has left approves nobody', async () => {
    const { approvals, trusted, answer } = desk()
    const one = tab('one')
    approvals.apply(one)
    approvals.withdraw(one)
    expect(await answer('approved')).toEqual({ outcome: 'no-question' })
    expect(await approvals.decide('one', 'approved')).toEqual({ outcome: 'no-question' })
    expect([trusted, one.fates]).toEqual([[], []])
  })
})

describe('a crowd', () => {
  it('of 1 000 shows one question, lets eight wait in the order of arrival, and turns the rest away', () => {
    const { approvals, shown, waiting } = desk()
    const tabs = crowd(1_000)
    for (const each of tabs) approvals.apply(each)
    expect(shown).toEqual([['tab-1', 1, undefined]])
    expect(waiting()).toEqual(tabs.slice(0, pending).map(({ hello }) => hello.clientId))
    expect(tabs.slice(0, pending).flatMap(({ fates }) => fates)).toEqual([])
    expect(tabs.slice(pending).every(({ fates }) => fates.join() === 'turned away')).toBe(true)
  })

  it('is shown one after another as the operator answers', async () => {
    const { approvals, shown, answer } = desk()
    const tabs = crowd(3)
    for (const each of tabs) approvals.apply(each)
    for (const decision of ['approved', 'denied', 'approved'] as const) await answer(decision)
    expect(shown).toEqual([
      ['tab-1', 1, undefined],
      ['tab-2', 2, 'approved'],
      ['tab-3', 1, 'denied'],
      [undefined, 0, 'approved'],
    ])
    expect(tabs.flatMap(({ fates }) => fates)).toEqual(['approved', 'denied', 'approved'])
  })

  it('makes room again as it is answered', async () => {
    const { approvals, answer } = desk()
    for (const each of crowd(pending)) approvals.apply(each)
    const late = tab('late')
    approvals.apply(late)
    await answer('approved')
    const later = tab('later')
    approvals.apply(later)
    expect([late.fates, later.fates]).toEqual([['turned away'], []])
  })

  it('that comes and goes shows at most one question a second', () => {
    const { approvals, shown, waiting } = desk()
    for (const each of crowd(1_000)) {
      approvals.apply(each)
      approvals.withdraw(each)
      vi.advanceTimersByTime(10)
    }
    const questions = shown.filter(([clientId]) => clientId !== undefined)
    expect(questions.length).toBeLessThanOrEqual(10_000 / pauseMs)
    expect(questions.length).toBeGreaterThan(0)
    expect(waiting()).toEqual([])
  })
})

describe('a client that leaves', () => {
  it('takes its question with it, and the next is asked about after a pause', () => {
    const { approvals, shown } = desk()
    const [one, two] = [tab('one', { origin: 'https://one.example' }), tab('two', { origin: 'https://two.example' })]
    approvals.apply(one)
    approvals.apply(two)
    approvals.withdraw(one)
    expect(shown.at(-1)).toEqual([undefined, 1, 'left'])
    vi.advanceTimersByTime(pauseMs)
    expect(shown.at(-1)).toEqual(['two', 1, undefined])
  })

  it('makes others of its origin wait for as long as its place is kept', () => {
    const { approvals, shown } = desk()
    const [one, two] = crowd(2) as [Tab, Tab]
    approvals.apply(one)
    approvals.apply(two)
    approvals.withdraw(one)
    vi.advanceTimersByTime(keepPlaceMs - 1)
    expect(shown.at(-1)).toEqual([undefined, 1, 'left'])
    vi.advanceTimersByTime(1)
    expect(shown.at(-1)).toEqual(['tab-2', 1, undefined])
  })

  it('and leaves again and again is asked about ever more seldom', () => {
    const { approvals, shown } = desk()
    const asked: number[] = []
    for (let seconds = 0; seconds < 120; seconds++) {
      const before = shown.length
      const restless = tab('one')
      approvals.apply(restless)
      if (shown.slice(before).some(([clientId]) => clientId === 'one')) asked.push(seconds)
      approvals.withdraw(restless)
      vi.advanceTimersByTime(1_000)
    }
    expect(asked).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  })

  it('is not missed when another one is shown', () => {
    const { approvals, shown, waiting } = desk()
    const [one, two] = crowd(2) as [Tab, Tab]
    approvals.apply(one)
    approvals.apply(two)
    approvals.withdraw(two)
    expect(shown).toHaveLength(1)
    expect(waiting()).toEqual(['tab-1'])
  })

  it('and comes back keeps its place before those who came after it', async () => {
    const { approvals, answer, waiting } = desk()
    const tabs = crowd(3)
    for (const each of tabs) approvals.apply(each)
    approvals.withdraw(tabs[1] as Tab)
    vi.advanceTimersByTime(keepPlaceMs - 1)
    const back = tab('tab-2')
    approvals.apply(back)
    expect(waiting()).toEqual(['tab-1', 'tab-2', 'tab-3'])
    await answer('approved')
    await answer('approved')
    expect([back.fates, tabs[1]?.fates]).toEqual([['approved'], []])
  })

  it('and comes back does not push aside the question that is being read', () => {
    const { approvals, shown, waiting } = desk()
    const [one, two] = crowd(2) as [Tab, Tab]
    approvals.apply(one)
    approvals.apply(two)
    approvals.withdraw(one)
    vi.advanceTimersByTime(keepPlaceMs)
    approvals.apply(tab('tab-1'))
    expect(shown.at(-1)).toEqual(['tab-2', 1, undefined])
    expect(waiting()).toEqual(['tab-2', 'tab-1'])
  })

  it('and comes back 20 times within the pause is asked about once more', () => {
    const { approvals, shown } = desk()
    let each = tab('one')
    approvals.apply(each)
    for (let time = 0; time < 20; time++) {
      approvals.withdraw(each)
      each = tab('one')
      approvals.apply(each)
    }
    vi.advanceTimersByTime(pauseMs)
    expect(shown).toEqual([
      ['one', 1, undefined],
      [undefined, 0, 'left'],
      ['one', 1, undefined],
    ])
  })

  it('loses its place after ten seconds', () => {
    const { approvals, waiting } = desk()
    const [one, two] = crowd(2) as [Tab, Tab]
    approvals.apply(one)
    approvals.apply(two)
    approvals.withdraw(one)
    vi.advanceTimersByTime(keepPlaceMs)
    approvals.apply(tab('tab-1'))
    expect(waiting()).toEqual(['tab-2', 'tab-1'])
  })

  it('makes room for one that is there, since places kept go first', () => {
    const { approvals, waiting } = desk()
    const tabs = crowd(pending)
    for (const each of tabs) approvals.apply(each)
    approvals.withdraw(tabs[3] as Tab)
    const late = tab('late')
    approvals.apply(late)
    expect(late.fates).toEqual([])
    expect(waiting()).toHaveLength(pending)
    expect(waiting()).not.toContain('tab-4')
  })

  it('while its approval is being written down is trusted when it comes back', async () => {
    let written = (): void => {}
    const { approvals, shown, answer } = desk({
      trust: () =>
        new Promise((resolve) => {
          written = resolve
        }),
    })
    const one = tab('one')
    approvals.apply(one)
    const answered = answer('approved')
    approvals.withdraw(one)
    written()
    expect(await answered).toMatchObject({ outcome: 'approved' })
    expect(one.fates).toEqual([])
    expect(shown.at(-1)).toEqual([undefined, 0, 'left'])
  })
})

describe('a client on a second connection', () => {
  it.each(['approved', 'denied'] as const)('is one question, and one answer: both are %s', async (decision) => {
    const { approvals, shown, answer } = desk()
    const tabs = [tab('one'), tab('one')]
    for (const each of tabs) approvals.apply(each)
    expect([tabs.flatMap(({ fates }) => fates), shown]).toEqual([[], [['one', 1, undefined]]])
    await answer(decision)
    expect(tabs.map(({ fates }) => fates)).toEqual([[decision], [decision]])
  })

  it('is asked about until its last connection has left, and no longer than five minutes', async () => {
    const { approvals, shown } = desk()
    const [first, second] = [tab('one'), tab('one')]
    approvals.apply(first)
    vi.advanceTimersByTime(answerMs - 1)
    approvals.apply(second)
    approvals.withdraw(first)
    expect(shown).toEqual([['one', 1, undefined]])
    vi.advanceTimersByTime(1)
    expect([first.fates, second.fates, shown.at(-1)]).toEqual([[], ['denied'], [undefined, 0, 'unanswered']])
  })

  it('and a third waits, up to eight: a ninth takes the place of the oldest', async () => {
    const { approvals, answer, waiting } = desk()
    const tabs = Array.from({ length: connections + 1 }, () => tab('one'))
    for (const each of tabs) approvals.apply(each)
    expect(waiting()).toEqual(['one'])
    await answer('approved')
    expect(tabs.map(({ fates }) => fates.join())).toEqual(['turned away', ...Array(connections).fill('approved')])
  })

  it('is approved under the label that the operator has read', async () => {
    const { approvals, trusted, answer } = desk()
    approvals.apply(tab('one', { label: 'Console' }))
    approvals.apply(tab('one', { label: 'your bank' }))
    await answer('approved')
    expect(trusted).toEqual([{ clientId: 'one', label: 'Console', origin: ORIGIN }])
  })
})

describe('silence of the operator', () => {
  it('for five minutes is a denial that is not remembered', () => {
    const { approvals, trusted, shown } = desk()
    const one = tab('one')
    approvals.apply(one)
    vi.advanceTimersByTime(answerMs - 1)
    expect(one.fates).toEqual([])
    vi.advanceTimersByTime(1)
    expect([one.fates, trusted]).toEqual([['denied'], []])
    expect(shown.at(-1)).toEqual([undefined, 0, 'unanswered'])
    const again = tab('one')
    approvals.apply(again)
    expect(again.fates).toEqual([])
    expect(shown.at(-1)).toEqual(['one', 1, undefined])
  })

  it('is counted anew for a client that has come back', () => {
    const { approvals } = desk()
    const one = tab('one')
    approvals.apply(one)
    vi.advanceTimersByTime(answerMs - 1_000)
    approvals.withdraw(one)
    const back = tab('one')
    approvals.apply(back)
    vi.advanceTimersByTime(answerMs - 1)
    expect(back.fates).toEqual([])
  })

  it('ends the wait of those not yet shown as well', () => {
    const { approvals, waiting } = desk()
    const tabs = crowd(3)
    for (const each of tabs) approvals.apply(each)
    vi.advanceTimersByTime(answerMs)
    expect(tabs.flatMap(({ fates }) => fates)).toEqual(['denied', 'denied', 'denied'])
    expect(waiting()).toEqual([])
  })
})

describe('quiet', () => {
  it('follows a denial for 30 s: no unknown client of that origin is asked about', async () => {
    const { approvals, shown, answer } = desk()
    approvals.apply(tab('one'))
    await answer('denied')
    const soon = [tab('one'), tab('two')]
    for (const each of soon) approvals.apply(each)
    expect(soon.map(({ fates }) => fates)).toEqual([['turned away'], ['turned away']])
    const elsewhere = tab('three', { origin: 'https://good.com' })
    approvals.apply(elsewhere)
    expect(shown.at(-1)).toEqual(['three', 1, undefined])
    vi.advanceTimersByTime(quietMs)
    const later = tab('one')
    approvals.apply(later)
    expect(later.fates).toEqual([])
  })

  it('does not follow an approval, nor five minutes of silence', async () => {
    const { approvals, answer } = desk()
    approvals.apply(tab('one'))
    await answer('approved')
    const two = tab('two')
    approvals.apply(two)
    vi.advanceTimersByTime(answerMs)
    const three = tab('three')
    approvals.apply(three)
    expect(three.fates).toEqual([])
  })

  it('leaves those who wait already in their places', async () => {
    const { approvals, answer, shown } = desk()
    const [one, two] = crowd(2) as [Tab, Tab]
    approvals.apply(one)
    approvals.apply(two)
    await answer('denied')
    expect(shown.at(-1)).toEqual(['tab-2', 1, 'denied'])
    expect(two.fates).toEqual([])
  })
})

describe('an answer too soon', () => {
  it('after a question has appeared is not taken', async () => {
    const { approvals, trusted } = desk()
    const one = tab('one')
    approvals.apply(one)
    vi.advanceTimersByTime(readMs - 1)
    expect(await approvals.answer('approved')).toMatchObject({ outcome: 'too-soon', question: { clientId: 'one' } })
    expect([one.fates, trusted]).toEqual([[], []])
    vi.advanceTimersByTime(1)
    await approvals.answer('approved')
    expect(one.fates).toEqual(['approved'])
  })

  it('approves nobody while the operator was reading about another', async () => {
    const { approvals, trusted, answer } = desk()
    const tabs = crowd(2)
    for (const each of tabs) approvals.apply(each)
    await answer('approved')
    // A second `y` for the same question comes when the next is shown already.
    expect(await approvals.answer('approved')).toMatchObject({ outcome: 'too-soon', question: { clientId: 'tab-2' } })
    expect(trusted.map(({ clientId }) => clientId)).toEqual(['tab-1'])
  })

  it('is one however the clock on the wall is set', async () => {
    const { approvals, trusted, answer } = desk()
    approvals.apply(tab('one'))
    vi.setSystemTime(0)
    expect(await answer('approved')).toMatchObject({ outcome: 'approved' })
    expect(trusted).toHaveLength(1)
  })
})

describe('a decision by id', () => {
  it('is for the client named, whichever is shown, at once', async () => {
    const { approvals, shown, trusted } = desk()
    const tabs = crowd(3)
    for (const each of tabs) approvals.apply(each)
    expect(await approvals.decide('tab-2', 'approved')).toMatchObject({ outcome: 'approved' })
    expect(await approvals.decide('tab-3', 'denied')).toMatchObject({ outcome: 'denied' })
    expect(tabs.map(({ fates }) => fates)).toEqual([[], ['approved'], ['denied']])
    expect(trusted.map(({ clientId }) => clientId)).toEqual(['tab-2'])
    expect(shown).toHaveLength(1)
  })

  it('of the client shown brings the next question', async () => {
    const { approvals, shown } = desk()
    for (const each of crowd(2)) approvals.apply(each)
    await approvals.decide('tab-1', 'approved')
    expect(shown.at(-1)).toEqual(['tab-2', 1, 'approved'])
  })
})

describe('trust from elsewhere', () => {
  it('admits a client that waits, shown or not', () => {
    const { approvals, trusted, shown } = desk()
    const tabs = crowd(2)
    for (const each of tabs) approvals.apply(each)
    for (const each of ['tab-2', 'tab-1']) approvals.admit({ clientId: each, origin: ORIGIN })
    expect(tabs.flatMap(({ fates }) => fates)).toEqual(['approved', 'approved'])
    expect(trusted).toEqual([])
    expect(shown.at(-1)).toEqual([undefined, 0, 'approved'])
  })

  it('admits nobody who does not wait, or waits on another origin', () => {
    const { approvals, waiting } = desk()
    approvals.apply(tab('one'))
    approvals.admit({ clientId: 'two', origin: ORIGIN })
    approvals.admit({ clientId: 'one', origin: 'https://good.com' })
    expect(waiting()).toEqual(['one'])
  })

  it('and the word of the operator at the same time welcome once', async () => {
    let written = (): void => {}
    const { approvals, answer } = desk({
      trust: () =>
        new Promise((resolve) => {
          written = resolve
        }),
    })
    const one = tab('one')
    approvals.apply(one)
    const answered = answer('approved')
    // The store tells of its own writing, too.
    approvals.admit({ clientId: 'one', origin: ORIGIN })
    written()
    await answered
    expect(one.fates).toEqual(['approved'])
  })
})

describe('without an operator', () => {
  it('the first unknown client is denied and told of, the others of that origin are turned away for 30 s', () => {
    const told: string[] = []
    const { approvals, shown, waiting } = desk({ events: { unattended: ({ clientId }) => void told.push(clientId) } })
    const tabs = crowd(1_000)
    for (const each of tabs) approvals.apply(each)
    expect(told).toEqual(['tab-1'])
    expect(tabs[0]?.fates).toEqual(['denied'])
    expect(tabs.slice(1).every(({ fates }) => fates.join() === 'turned away')).toBe(true)
    vi.advanceTimersByTime(quietMs)
    approvals.apply(tab('later'))
    expect(told).toEqual(['tab-1', 'later'])
    expect([shown, waiting()]).toEqual([[], []])
  })
})
