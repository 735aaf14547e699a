import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createScreen } from '../../src/terminal/screen.ts'

/** Keeps what reaches the system, one entry per write. */
function sink(options: { readonly highWaterMark?: number } = {}) {
  const writes: string[] = []
  let release = () => {}
  const output = new Writable({
    decodeStrings: false,
    ...options,
    write(chunk, _encoding, done) {
      writes.push(chunk)
      if (options.highWaterMark === undefined) done()
      else release = done
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => chunk).join(''))
      if (options.highWaterMark === undefined) done()
      else release = done
    },
  })
  return { output, writes, release: () => release() }
}

const numbered = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

describe('the screen', () => {
  it('writes all lines of one turn at once, between erasing and drawing the footer', async () => {
    const { output, writes } = sink()
    const screen = createScreen({ output })
    screen.setFooter({ erase: () => output.write('<erase>'), draw: () => output.write('<draw>') })
    for (const line of numbered(10_000)) screen.show([line])
    await nextTurn()
    expect(writes).toEqual([`<erase>${numbered(10_000).join('\n')}\n<draw>`])
  })

  it('counts mirrored lines over the limit, each source by itself, and shows every own line', async () => {
    const { output, writes } = sink()
    const screen = createScreen({ output, maxMirrored: 3 })
    screen.mirror('[hook:a] ', numbered(5, 'a'))
    screen.show(numbered(4, 'own'))
    screen.mirror('[hook:b] ', numbered(1_234, 'b'))
    await nextTurn()
    expect(writes.join('')).toBe(
      'a1\na2\na3\nown1\nown2\nown3\nown4\n[hook:a] … 2 more lines\n[hook:b] … 1,234 more lines\n',
    )
  })

  it('shows mirrored lines again once the burst is over', async () => {
    const { output, writes } = sink()
    const screen = createScreen({ output, maxMirrored: 1 })
    screen.mirror('[hook:a] ', ['a1', 'a2'])
    await nextTurn()
    screen.mirror('[hook:a] ', ['a3'])
    await screen.close()
    expect(writes.join('')).toBe('a1\n[hook:a] … 1 more lines\na3\n')
  })

  it('waits for a slow reader and then catches up in one write', async () => {
    const { output, writes, release } = sink({ highWaterMark: 1 })
    const screen = createScreen({ output })
    screen.show(['first'])
    await nextTurn()
    screen.show(['second'])
    screen.show(['third'])
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(writes).toEqual(['first\n'])
    release()
    await nextTurn()
    expect(writes).toEqual(['first\n', 'second\nthird\n'])
  })

  it('closes after what waits, without the footer', async () => {
    const { output, writes } = sink()
    const screen = createScreen({ output })
    screen.setFooter({ erase: () => output.write('<erase>'), draw: () => output.write('<draw>') })
    screen.show(['last words'])
    await screen.close()
    expect(writes.join('')).toBe('<erase>last words\n')
  })

  it('keeps nothing for a reader that went away', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const screen = createScreen({ output })
    screen.show(['lost'])
    await new Promise((resolve) => output.once('error', resolve))
    screen.show(['lost too'])
    await screen.close()
  })

  it('writes nothing while another has the terminal, gives the lines to it, and shows them afterwards', async () => {
    const { output, writes } = sink()
    const screen = createScreen({ output })
    screen.setFooter({ erase: () => output.write('<erase>'), draw: () => output.write('<draw>') })
    screen.show(['before'])
    const heard: string[] = []
    const release = screen.hold((lines) => heard.push(...lines))
    expect(writes.splice(0)).toEqual(['<erase>before\n<draw>'])
    screen.show(['one'])
    screen.mirror('[hook:a] ', ['two'])
    screen.clear()
    await nextTurn()
    expect(writes).toEqual([])
    expect(heard).toEqual(['one', 'two'])
    release()
    release()
    expect(writes).toEqual(['<erase>one\ntwo\n<draw>'])
  })
})
