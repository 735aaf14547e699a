// Frames on their way out: one write per client and turn, framed once for all subscribers, and in the order written.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FanOut, type FrameSink } from '../../../src/listener/topics/fan-out.ts'
import { type SnapshotTopic, type TopicSource, Topics } from '../../../src/listener/topics/topics.ts'
import { type ServerFrame, TOPICS } from '../../../src/protocol/frames.ts'

/** The texts of whole unmasked text frames. */
function textsIn(buffer: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < buffer.length; ) {
    expect(buffer[at]).toBe(0x81)
    const short = buffer[at + 1] as number
    const [header, length] =
      short < 126
        ? [2, short]
        : short === 126
          ? [4, buffer.readUInt16BE(at + 2)]
          : [10, Number(buffer.readBigUInt64BE(at + 2))]
    texts.push(buffer.toString('utf8', at + header, at + header + length))
    at += header + length
  }
  return texts
}

class Recorder implements FrameSink {
  readonly writes: Buffer[] = []
  readonly onWrite: (() => void) | undefined

  constructor(onWrite?: () => void) {
    this.onWrite = onWrite
  }

  write(frames: Buffer): void {
    this.writes.push(frames)
    this.onWrite?.()
  }

  get texts(): string[] {
    return this.writes.flatMap(textsIn)
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('what is written together', () => {
  it('goes out as one write, the same bytes for every subscriber', async () => {
    const fanOut = new FanOut()
    const sinks = Array.from({ length: 5 }, () => new Recorder())
    for (const sink of sinks) fanOut.subscribe(sink, 'hooks')
    for (let line = 0; line < 100; line++) fanOut.publish('hooks', `line ${line}`)
    await turn()
    const [first] = sinks
    expect(first?.texts).toEqual(Array.from({ length: 100 }, (_, line) => `line ${line}`))
    for (const { writes } of sinks) {
      expect(writes).toHaveLength(1)
      expect(writes[0]).toBe(first?.writes[0])
    }
  })

  it('goes out after the promises that are settled, before the next callback', async () => {
    const fanOut = new FanOut()
    const subscriber = new Recorder()
    fanOut.subscribe(subscriber, 'hooks')
    const seenByNext = new Promise((resolve) => setImmediate(() => resolve(subscriber.writes.length)))
    fanOut.publish('hooks', 'a')
    await Promise.resolve()
    fanOut.publish('hooks', 'b')
    expect(subscriber.writes).toEqual([])
    expect(await seenByNext).toBe(1)
    expect(subscriber.texts).toEqual(['a', 'b'])
  })

  it('goes out before the end of the turn when it is much', () => {
    const fanOut = new FanOut()
    const [subscriber, other] = [new Recorder(), new Recorder()]
    fanOut.subscribe(subscriber, 'hooks')
    const line = 'x'.repeat(1_000)
    for (let lines = 0; lines < 1_000; lines++) {
      fanOut.publish('hooks', line)
      fanOut.send(other, line)
    }
    for (const { writes } of [subscriber, other]) {
      expect(writes.length).toBeGreaterThan(10)
      expect(Math.max(...writes.map(({ length }) => length))).toBeLessThan(70_000)
    }
  })

  it.each([
    ['empty', ''],
    ['as long as fits two bytes of header', 'x'.repeat(125)],
    ['one longer', 'x'.repeat(126)],
    ['as long as fits four bytes of header', 'x'.repeat(65_535)],
    ['one longer still', 'x'.repeat(65_536)],
    ['of letters that take more than one byte', 'ü€😀'.repeat(30)],
  ])('is framed whatever its length: %s', async (_name, text) => {
    const fanOut = new FanOut()
    const sink = new Recorder()
    fanOut.send(sink, text)
    await turn()
    expect(sink.texts).toEqual([text])
  })
})

describe('the order', () => {
  const sinkOf = fc.nat(2)
  const operation = fc.oneof(
    fc.record({ type: fc.constant('send' as const), sink: sinkOf }),
    fc.record({ type: fc.constant('publish' as const), sink: sinkOf }),
    fc.record({ type: fc.constant('subscribe' as const), sink: sinkOf }),
    fc.record({ type: fc.constant('unsubscribe' as const), sink: sinkOf }),
    fc.record({ type: fc.constant('turn' as const), sink: sinkOf }),
  )

  it('is that of writing, for each client, whatever it is sent and subscribed to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const fanOut = new FanOut()
        const sinks = [new Recorder(), new Recorder(), new Recorder()]
        const expected: string[][] = [[], [], []]
        const subscribed = new Set<number>()
        for (const [step, { type, sink }] of operations.entries()) {
          const text = `${step}`
          if (type === 'send') {
            fanOut.send(sinks[sink] as Recorder, text)
            expected[sink]?.push(text)
          } else if (type === 'publish') {
            fanOut.publish('hook-output', text)
            for (const each of subscribed) expected[each]?.push(text)
          } else if (type === 'subscribe') {
            fanOut.subscribe(sinks[sink] as Recorder, 'hook-output')
            subscribed.add(sink)
          } else if (type === 'unsubscribe') {
            fanOut.unsubscribe(sinks[sink] as Recorder, 'hook-output')
            subscribed.delete(sink)
          } else await turn()
        }
        await turn()
        expect(sinks.map(({ texts }) => texts)).toEqual(expected)
      }),
    )
  })
})

describe('a client that hangs up while it is written to', () => {
  it('makes nobody else miss a frame or get one twice', async () => {
    const fanOut = new FanOut()
    const [before, after, subscriber] = [new Recorder(), new Recorder(), new Recorder()]
    const leaving: Recorder = new Recorder(() => {
      fanOut.flush()
      fanOut.remove(leaving)
    })
    for (const sink of [leaving, subscriber]) fanOut.subscribe(sink, 'hooks')
    for (const sink of [before, leaving, after]) fanOut.send(sink, 'own')
    fanOut.publish('hooks', 'shared')
    await turn()
    expect([before, after, subscriber].map(({ texts }) => texts)).toEqual([['own'], ['own'], ['shared']])
    expect(leaving.texts).toEqual(['own'])
  })
})

describe('a snapshot', () => {
  it('is taken and serialised once for all subscribers', async () => {
    const fanOut = new FanOut()
    let taken = 0
    let tell = (): void => {}
    const hooks = (): ServerFrame => ({
      t: 'state:hooks',
      hooks: [{ id: 'x', name: `${++taken}`, command: 'echo', createdAt: 1 }],
    })
    const silent = { snapshot: () => 'not asked for', watch: () => () => {} }
    const topics = new Topics(fanOut, {
      ...(Object.fromEntries(TOPICS.map((topic) => [topic, silent])) as unknown as Record<SnapshotTopic, TopicSource>),
      hooks: {
        snapshot: hooks,
        watch(changed) {
          tell = changed
          return () => {}
        },
      },
    })
    const sinks = Array.from({ length: 20 }, () =>
      Object.assign(new Recorder(), {
        send: () => {},
        understands: () => false,
        caller: { clientId: 'c', origin: 'o' },
      }),
    )
    for (const sink of sinks) topics.subscribe(sink, 'hooks')
    await turn()
    taken = 0
    for (let changes = 0; changes < 10; changes++) tell()
    await expect.poll(() => sinks[0]?.writes.length).toBe(2)
    expect(taken).toBe(1)
    for (const { writes } of sinks) expect(writes[1]).toBe(sinks[0]?.writes[1])
    topics.stop()
  })
})
