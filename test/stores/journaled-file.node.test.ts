// A paper account on its files: what older versions wrote, what a crash left, and what people do to them.
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { paperJournals } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { initialState, type PaperState } from '../../src/exchanges/paper/state.ts'
import { encodePaperState, PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import type { JournaledFile } from '../../src/stores/journaled-file.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'

const fresh = initialState({ seed: 's', balance: '10000' })

function open(directory: string): JournaledFile<PaperState> {
  return openPaperState(directory, 'paper', { ...PAPER_FORMAT, defaults: fresh })
}

const pay = (file: JournaledFile<PaperState>, fees: string) => file.update((state) => ({ ...state, fees }))
const snapshotIn = (directory: string) => join(directory, 'paper-paper.json')
const journalIn = (directory: string) => join(directory, paperJournals(directory, 'paper')[0] ?? 'none')

/** A snapshot with fees of 1, and changes to 2 and 3 beside it. */
async function written() {
  const directory = tempDirectory()
  const file = open(directory)
  for (const fees of ['1', '2', '3']) await pay(file, fees)
  return { directory, file }
}

describe('a change', () => {
  it('is a line of the journal, and the snapshot stays as it is', async () => {
    const { directory, file } = await written()
    expect(JSON.parse(readFileSync(snapshotIn(directory), 'utf8'))).toMatchObject({ version: 4, fees: '1' })
    expect(readFileSync(journalIn(directory), 'utf8').match(/\n/g)).toHaveLength(2)
    expect(file.read().fees).toBe('3')
    expect(open(directory).read()).toEqual(file.read())
    if (process.platform !== 'win32') expect(statSync(journalIn(directory)).mode & 0o777).toBe(0o600)
  })

  it('of one turn is read once for all, and is seen after this process has stored it', async () => {
    const { file } = await written()
    expect(file.readOncePerTurn()).toBe(file.readOncePerTurn())
    await pay(file, '4')
    expect(file.readOncePerTurn().fees).toBe('4')
  })

  it('of this process is not read back, whoever looks while it is written', async () => {
    const directory = tempDirectory()
    let applied = 0
    const { changes } = PAPER_FORMAT
    const apply = (state: PaperState, change: unknown): PaperState => {
      applied += 1
      return changes.apply(state, change)
    }
    const file = openPaperState(directory, 'paper', {
      ...PAPER_FORMAT,
      changes: { ...changes, apply },
      defaults: fresh,
    })
    for (let fees = 1; fees <= 20; fees += 1) {
      let isDone = false
      const paid = pay(file, `${fees}`).then(() => {
        isDone = true
      })
      while (!isDone) {
        file.read()
        await new Promise((resolve) => setImmediate(resolve))
      }
      await paid
    }
    expect(file.read().fees).toBe('20')
    expect(applied).toBe(0)
    await pay(open(directory), '21')
    expect(file.read().fees).toBe('21')
    expect(applied).toBe(1)
  })

  it('goes to the journal of that name, also where another took its place a moment ago', async () => {
    const { directory, file } = await written()
    const path = journalIn(directory)
    const bytes = readFileSync(path)
    rmSync(path)
    writeFileSync(path, bytes, { mode: 0o600 })
    await pay(file, '4')
    expect(open(directory).read().fees).toBe('4')
    expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(3)
  })

  it('of another process is read on, and reported to who watches', async () => {
    const { directory, file } = await written()
    const seen: string[] = []
    const stop = file.watch(() => seen.push(file.read().fees))
    await pay(open(directory), '4')
    await vi.waitFor(() => expect(seen).toEqual(['4']), { timeout: 10_000 })
    stop()
    expect(file.read().fees).toBe('4')
  })

  it('of several processes at once is there, each', async () => {
    const directory = tempDirectory()
    const count = (file: JournaledFile<PaperState>) =>
      file.update((state) => ({ ...state, faultCount: state.faultCount + 1 }))
    const files = [open(directory), open(directory), open(directory)]
    await Promise.all(Array.from({ length: 30 }, () => files.map(count)).flat())
    for (const file of [...files, open(directory)]) expect(file.read().faultCount).toBe(90)
  })

  it('that could not be read back is refused, and leaves no line', async () => {
    const { directory, file } = await written()
    const before = readFileSync(journalIn(directory), 'utf8')
    await expect(pay(file, 'NaN')).rejects.toMatchObject({ code: 'invalid-value' })
    expect(readFileSync(journalIn(directory), 'utf8')).toBe(before)
  })
})

describe('a journal that has grown', () => {
  it('ends in another snapshot with a journal of its own, also for who has it open', async () => {
    const { directory, file } = await written()
    const first = journalIn(directory)
    const note = 'x'.repeat(100_000)
    for (const fees of ['4', '5', '6', '7']) {
      await file.update((state) => ({ ...state, fees, ['note' as never]: `${note}${fees}` as never }))
    }
    expect(paperJournals(directory, 'paper')).toHaveLength(1)
    expect(journalIn(directory)).not.toBe(first)
    expect(JSON.parse(readFileSync(snapshotIn(directory), 'utf8'))).toMatchObject({ fees: '7' })
    const other = open(directory)
    expect(other.read().fees).toBe('7')
    await pay(other, '8')
    expect(file.read().fees).toBe('8')
  })

  it('that was ended by a process which then died is followed by the next snapshot', async () => {
    const { directory } = await written()
    const ended = journalIn(directory)
    writeFileSync(ended, '{"n":3,"by":"gone","end":true}\n', { flag: 'a' })
    const file = open(directory)
    expect(file.read().fees).toBe('3')
    await pay(file, '4')
    expect(readdirSync(directory).filter((name) => name.includes('.lock'))).toEqual([])
    expect(journalIn(directory)).not.toBe(ended)
    expect(open(directory).read().fees).toBe('4')
  })
})

describe('a line that a crash has cut', () => {
  const cut = (line: string) => async (at: number) => {
    const { directory, file } = await written()
    writeFileSync(journalIn(directory), line.slice(0, at), { flag: 'a' })
    for (const each of [file, open(directory)]) expect(each.read().fees).toBe('3')
    await pay(open(directory), '5')
    expect(open(directory).read().fees).toBe('5')
    expect(file.read().fees).toBe('5')
    expect(file.problems()).toEqual([])
  }
  const line = '{"n":3,"by":"gone","change":{"set":{"fees":"4"}}}'

  it('counts nowhere, wherever it was cut, also where it is whole but for its end', async () => {
    for (let at = 1; at <= line.length; at += 1) await cut(line)(at)
  })
})

describe('an account of version 3', () => {
  it('is read as it is, and its first change keeps it aside and loses nothing', async () => {
    const directory = tempDirectory()
    const old = encodePaperState({ ...fresh, fees: '7', ['note' as never]: 'mine' as never }).replace(
      '"version": 4',
      '"version": 3',
    )
    writeFileSync(snapshotIn(directory), old, { mode: 0o600 })
    const file = open(directory)
    expect(file.read()).toEqual({ ...fresh, fees: '7', note: 'mine' })
    await pay(file, '8')
    expect(readFileSync(`${snapshotIn(directory)}.v3`, 'utf8')).toBe(old)
    const { journal, ...stored } = open(directory).read()
    expect(stored).toEqual({ ...fresh, fees: '8', note: 'mine' })
    expect(journal).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('files that people have changed', () => {
  it('without the journal are refused, and go on once the snapshot names none', async () => {
    const { directory, file } = await written()
    rmSync(journalIn(directory))
    const again = open(directory)
    expect(again.problem()).toBeUndefined()
    again.look()
    expect(again.problem()?.message).toBe('is missing')
    await expect(pay(again, '4')).rejects.toMatchObject({
      code: 'store-corrupt',
      hint: expect.stringContaining(`remove the field "journal" of ${snapshotIn(directory)}`),
    })
    const { journal: _, ...snapshot } = JSON.parse(readFileSync(snapshotIn(directory), 'utf8'))
    writeFileSync(snapshotIn(directory), JSON.stringify(snapshot))
    expect(again.read().fees).toBe('1')
    await pay(again, '4')
    expect(file.read().fees).toBe('4')
  })

  it('with a line taken out of the journal are refused, with its place', async () => {
    const { directory } = await written()
    const [, second] = readFileSync(journalIn(directory), 'utf8').split('\n')
    writeFileSync(journalIn(directory), `${second}\n`)
    const file = open(directory)
    file.look()
    expect(file.problem()).toMatchObject({ line: 1, message: 'follows change 0, and change 1 is missing' })
    await expect(pay(file, '4')).rejects.toMatchObject({ code: 'store-corrupt' })
  })

  it('with a change of another shape are refused, and served as far as they can be read', async () => {
    const { directory } = await written()
    writeFileSync(journalIn(directory), '{"n":3,"change":{"set":{"fees":[]}}}\n', { flag: 'a' })
    const file = open(directory)
    expect(file.read().fees).toBe('3')
    expect(file.problem()).toMatchObject({ line: 3, message: 'is not a change of this state' })
  })

  it('deleted begin anew, and an old journal is none of the new account', async () => {
    const { directory } = await written()
    const journal = journalIn(directory)
    copyFileSync(journal, `${journal}.kept`)
    rmSync(snapshotIn(directory))
    const file = open(directory)
    expect(file.read()).toEqual(fresh)
    await pay(file, '9')
    expect(open(directory).read().fees).toBe('9')
    expect(paperJournals(directory, 'paper').filter((name) => name.endsWith('.jsonl'))).toHaveLength(1)
  })

  it.skipIf(process.platform === 'win32')('that others may write to are not read', async () => {
    const { directory } = await written()
    chmodSync(journalIn(directory), 0o666)
    const file = open(directory)
    file.look()
    expect(file.problem()?.message).toBe('cannot be read: it may be written by other users')
  })
})
