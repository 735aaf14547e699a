import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { defined } from '../../src/base/defined.ts'
import { openDurableJournal, openLineTail, type Written } from '../../src/stores/durable-journal.ts'

function start(
  options: { directory?: string; maxBytes?: number; carryOver?: (lines: readonly string[]) => string[] } = {},
) {
  const directory = options.directory ?? tempDirectory()
  const path = join(directory, 'orders.jsonl')
  const journal = openDurableJournal({
    path,
    carryOver: options.carryOver ?? (() => []),
    ...defined({ maxBytes: options.maxBytes }),
  })
  onTestFinished(() => journal.close())
  const aside = () => readdirSync(directory).filter((name) => name.startsWith('orders-'))
  return { directory, path, journal, aside }
}

const linesIn = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean)

describe('a durable journal', () => {
  it('has the lines in its file when appending has resolved', async () => {
    const { path, journal } = start()
    await journal.append(['{"a":1}', '{"a":2}'])
    expect(linesIn(path)).toEqual(['{"a":1}', '{"a":2}'])
    await journal.note(['{"a":3}'])
    expect(await journal.read()).toEqual(['{"a":1}', '{"a":2}', '{"a":3}'])
  })

  it('keeps the order of a thousand writers that do not wait', async () => {
    const { path, journal } = start()
    const texts = Array.from({ length: 1000 }, (_, index) => `{"n":${index}}`)
    await Promise.all(texts.map((text, index) => (index % 3 === 0 ? journal.append([text]) : journal.note([text]))))
    expect(linesIn(path)).toEqual(texts)
  })

  it('is readable by its owner only', async () => {
    const { path, journal } = start()
    await journal.append(['{}'])
    const { statSync } = await import('node:fs')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('begins a line of its own behind one that a crash tore', async () => {
    const { path, journal } = start()
    writeFileSync(path, '{"a":1}\n{"a":')
    await journal.append(['{"a":2}'])
    expect(linesIn(path)).toEqual(['{"a":1}', '{"a":', '{"a":2}'])
  })

  it('refuses with the system’s reason, and works again when that has gone', async () => {
    const { path, journal } = start()
    mkdirSync(path)
    await expect(journal.append(['{"a":1}'])).rejects.toMatchObject({ name: 'StoreError', code: 'store-write-failed' })
    rmSync(path, { recursive: true })
    await journal.append(['{"a":2}'])
    expect(linesIn(path)).toEqual(['{"a":2}'])
  })

  it('sets a grown file aside for good, and carries over what must be found', async () => {
    const { path, journal, aside } = start({
      maxBytes: 200,
      carryOver: (lines) => lines.filter((line) => line.includes('open')),
    })
    await journal.append(['{"open":1}'])
    for (let index = 0; index < 60; index += 1) await journal.append([`{"closed":${index},"text":"0123456789"}`])
    expect(aside().length).toBeGreaterThan(3)
    expect((await journal.read()).filter((line) => line.includes('"open"'))).toEqual(['{"open":1}'])
    const everywhere = [...aside().map((name) => join(path, '..', name)), path].flatMap(linesIn)
    for (let index = 0; index < 60; index += 1) {
      expect(everywhere.filter((line) => line.includes(`"closed":${index},`))).toHaveLength(1)
    }
  })

  it('still finds what a crash kept from being carried over', async () => {
    const { path, directory, journal } = start()
    writeFileSync(join(directory, 'orders-2026-11-22T00-00-00.000Z.jsonl'), '{"open":1}\n')
    writeFileSync(path, '{"open":2}\n')
    expect(await journal.read()).toEqual(['{"open":1}', '{"open":2}'])
  })

  it('has what was carried over in front of what another process wrote into the new file before it', async () => {
    let hasAnswered = false
    const { path, journal } = start({
      maxBytes: 60,
      carryOver: (lines) => {
        if (!hasAnswered) appendFileSync(path, '{"answer":1}\n')
        hasAnswered = true
        return lines.filter((line) => line.includes('open'))
      },
    })
    await journal.append(['{"open":1}'])
    await journal.append(['{"closed":1,"text":"01234567890123456789012345678901234567890123456789"}'])
    expect(linesIn(path)[0]).toBe('{"answer":1}')
    const isOwn = (line: string) => !line.includes('"from"')
    expect((await journal.read()).filter(isOwn)).toEqual(['{"open":1}', '{"answer":1}'])
  })

  it('still carries over what a crash kept from being carried over before', async () => {
    const { path, directory, journal } = start({
      maxBytes: 60,
      carryOver: (lines) => lines.filter((line) => line.includes('open')),
    })
    writeFileSync(join(directory, 'orders-2026-11-22T00-00-00.000Z.jsonl'), '{"open":1}\n')
    writeFileSync(path, '{"open":2}\n')
    await journal.append(['{"closed":1,"text":"01234567890123456789012345678901234567890123456789"}'])
    expect(linesIn(path).filter((line) => line.includes('open'))).toEqual(['{"open":1}', '{"open":2}'])
  })

  it('writes on into the new file when another process has set the old one aside', async () => {
    const { directory, path, journal } = start()
    await journal.append(['{"a":1}'])
    const other = start({ directory, maxBytes: 1 })
    await other.journal.append(['{"b":1}'])
    await journal.append(['{"a":2}'])
    expect(linesIn(path).at(-1)).toBe('{"a":2}')
    const lines = [...other.aside().map((name) => join(directory, name)), path].flatMap(linesIn)
    expect(lines.filter((line) => line === '{"a":1}')).toHaveLength(1)
  })

  it('removes the lock of a process that died while it set a file aside', async () => {
    const { path, journal, aside } = start({ maxBytes: 10 })
    const { utimesSync } = await import('node:fs')
    mkdirSync(`${path}.rotating`)
    utimesSync(`${path}.rotating`, new Date(0), new Date(0))
    await journal.append(['{"a":1}'])
    await journal.append(['{"a":2}'])
    await journal.append(['{"a":3}'])
    expect(aside().length).toBeGreaterThan(0)
    expect(existsSync(`${path}.rotating`)).toBe(false)
  })

  it('says where its lines stand, unless another process has written in between', async () => {
    const { path, journal } = start()
    const heard: Written[] = []
    journal.onWritten?.((written) => heard.push(written))
    await journal.append(['{"a":1}'])
    await Promise.all([journal.append(['{"a":2}'], true), journal.note(['{"a":3}'])])
    expect(heard.map(({ lines, from, to }) => [lines, from, to])).toEqual([
      [['{"a":1}'], 0, 8],
      [['{"a":2}', '{"a":3}'], 8, 24],
    ])
    appendFileSync(path, '{"b":1}\n')
    await journal.append(['{"a":4}'])
    expect(heard).toHaveLength(2)
    await journal.append(['{"a":5}'])
    expect(heard.at(-1)).toMatchObject({ lines: ['{"a":5}'], from: 40, to: 48 })
  })

  it('takes lines into one write that follow one another without waiting for anything', async () => {
    const { journal } = start()
    await journal.append(['{"first":1}'])
    const heard: Written[] = []
    journal.onWritten?.((written) => heard.push(written))
    const intent = journal.append(['{"t":"intent"}'], true)
    await Promise.resolve()
    await Promise.all([intent, journal.note(['{"t":"counted"}'])])
    expect(heard.map(({ lines }) => lines)).toEqual([['{"t":"intent"}', '{"t":"counted"}']])
  })

  it('changes its version with every change of the file', async () => {
    const { path, journal } = start()
    expect(await journal.version()).toBe('')
    await journal.append(['{"a":1}'])
    const before = await journal.version()
    appendFileSync(path, '{"b":1}\n')
    expect(await journal.version()).not.toBe(before)
  })

  it('says why it cannot be read', async () => {
    const { path, journal } = start()
    mkdirSync(path)
    await expect(journal.read()).rejects.toMatchObject({ code: 'store-corrupt' })
    chmodSync(path, 0o700)
  })
})

describe('a look at what others have written', () => {
  it('is over at once, without its half of a line: an order may wait for it', async () => {
    const { path, journal } = start()
    await journal.append(['{"a":1}'])
    const tail = openLineTail(path)
    await tail.readOn(0)
    appendFileSync(path, '{"a":2}\n{"a":3}\n{"a"')
    let found: readonly string[] | undefined
    void tail.readOn(0).then(({ lines }) => {
      found = lines
    })
    await Promise.resolve()
    expect(found).toEqual(['{"a":2}', '{"a":3}'])
    appendFileSync(path, ':4}\n')
    expect((await tail.readOn(0)).lines).toEqual(['{"a":4}'])
    // More than a few orders: not at once.
    appendFileSync(path, `${JSON.stringify('x'.repeat(100_000))}\n`)
    expect((await tail.readOn(0)).lines).toEqual([JSON.stringify('x'.repeat(100_000))])
    await journal.close()
  })
})

describe('a look where there is no file', () => {
  it('is one look at its name from the second on, until there is one', async () => {
    const { path, journal } = start()
    const tail = openLineTail(path)
    expect(await tail.readOn(0)).toEqual({ isAnew: true, lines: [] })
    let isOver = false
    void tail.readOn(0).then((found) => {
      expect(found).toEqual({ isAnew: false, lines: [] })
      isOver = true
    })
    await Promise.resolve()
    expect(isOver).toBe(true)
    await journal.append(['{"a":1}'])
    expect(await tail.readOn(0)).toEqual({ isAnew: true, lines: ['{"a":1}'] })
    // Set aside, and not begun anew: what it held is still read.
    renameSync(path, path.replace('.jsonl', '-2026-11-22T03-04-05.678Z.jsonl'))
    expect(await tail.readOn(0)).toEqual({ isAnew: true, lines: ['{"a":1}'] })
    expect(await tail.readOn(0)).toEqual({ isAnew: true, lines: ['{"a":1}'] })
    await journal.close()
  })
})

describe('lines of this process', () => {
  async function tailed() {
    const { path, journal } = start()
    const written: Written[] = []
    journal.onWritten?.((each) => written.push(each))
    await journal.append(['{"a":1}'])
    const tail = openLineTail(path)
    await tail.readOn(0)
    return { journal, written, tail }
  }

  it('are taken without a look, write after write', async () => {
    const { journal, written, tail } = await tailed()
    await journal.append(['{"a":2}'])
    await journal.append(['{"a":3}', '{"a":4}'])
    for (const each of written.slice(1)) tail.noteOwn?.(each)
    expect(tail.takeOwn?.()).toEqual(['{"a":2}', '{"a":3}', '{"a":4}'])
    expect(tail.isAtEnd?.()).toBe(true)
  })

  it('that a look found before they were reported are not taken twice, and those after them are', async () => {
    const { journal, written, tail } = await tailed()
    await journal.append(['{"a":2}'])
    expect((await tail.readOn(0)).lines).toEqual(['{"a":2}'])
    await journal.append(['{"a":3}'])
    for (const each of written.slice(1)) tail.noteOwn?.(each)
    expect(tail.takeOwn?.()).toEqual(['{"a":3}'])
    expect(tail.isAtEnd?.()).toBe(true)
  })
})
