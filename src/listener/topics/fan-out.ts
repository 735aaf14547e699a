// Frames on their way out. What one callback of the event loop and its promises write goes out as one write per socket, and what goes
// to a topic is serialised and framed once for all its subscribers (quality/bench/fan-out). A client sees its own frames and those of
// one topic in the order in which they were written: where both meet, those written first are flushed first.
import type { Topic } from '../../protocol/frames.ts'

/** What is published. Output of hooks goes in another form to those who understand batches. */
export type Channel = Topic | 'hook-output/batches'

/** Where frames end. `write` must not keep or change the buffer. */
export interface FrameSink {
  write(frames: Buffer): void
}

/** What waits is flushed at once when it is this long, in UTF-16 units: memory stays bounded. */
const MAX_WAITING_LENGTH = 65_536

export class FanOut {
  readonly #subscribers = new Map<Channel, Set<FrameSink>>()
  #direct = new Map<FrameSink, string[]>()
  #published = new Map<Channel, string[]>()
  #waitingLength = 0
  #scheduled = false
  #flushing = false

  /** To one client. */
  send(sink: FrameSink, text: string): void {
    if (this.#published.size > 0) this.flush()
    this.#add(this.#direct, sink, text)
  }

  /** To everyone who has subscribed; costs nothing when no one has. */
  publish(topic: Channel, text: string): void {
    if (!this.hasSubscribers(topic)) return
    this.#add(this.#published, topic, text)
  }

  hasSubscribers(topic: Channel): boolean {
    return (this.#subscribers.get(topic)?.size ?? 0) > 0
  }

  /** As they are now. */
  sinksOf(topic: Channel): readonly FrameSink[] {
    return [...(this.#subscribers.get(topic) ?? [])]
  }

  subscribe(sink: FrameSink, topic: Channel): void {
    if (this.#published.size > 0) this.flush()
    const sinks = this.#subscribers.get(topic) ?? new Set()
    this.#subscribers.set(topic, sinks.add(sink))
  }

  unsubscribe(sink: FrameSink, topic: Channel): void {
    if (this.#published.size > 0) this.flush()
    this.#subscribers.get(topic)?.delete(sink)
  }

  /** The client is gone: nothing more is written to it. */
  remove(sink: FrameSink): void {
    this.#direct.delete(sink)
    for (const sinks of this.#subscribers.values()) sinks.delete(sink)
  }

  /** Writes everything that waits, now. A sink that hangs up while it is written to may call this again: it changes nothing. */
  flush(): void {
    if (this.#flushing) return
    this.#flushing = true
    const [direct, published] = [this.#direct, this.#published]
    this.#direct = new Map()
    this.#published = new Map()
    this.#waitingLength = 0
    for (const [sink, texts] of direct) sink.write(textFrames(texts))
    for (const [topic, texts] of published) {
      const frames = textFrames(texts)
      for (const sink of this.#subscribers.get(topic) ?? []) sink.write(frames)
    }
    this.#flushing = false
  }

  #add<K>(waiting: Map<K, string[]>, key: K, text: string): void {
    const texts = waiting.get(key)
    if (texts) texts.push(text)
    else waiting.set(key, [text])
    this.#waitingLength += text.length
    if (this.#waitingLength > MAX_WAITING_LENGTH) this.flush()
    else this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // After the promises that are settled already; at the end of the turn it would wait for one more round of the event loop.
    process.nextTick(() => {
      this.#scheduled = false
      this.flush()
    })
  }
}

/**
 * Whole unmasked text frames as a server sends them (RFC 6455, 5.2), one after another: built once, they can be written to any number
 * of sockets.
 */
function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const frames = Buffer.allocUnsafe(lengths.reduce((total, length) => total + headerLength(length) + length, 0))
  let at = 0
  for (const [index, text] of texts.entries()) {
    at = writeHeader(frames, at, lengths[index] ?? 0)
    at += frames.write(text, at)
  }
  return frames
}

function headerLength(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10
}

/** @returns where the text begins */
function writeHeader(frames: Buffer, at: number, length: number): number {
  frames[at] = 0x81
  if (length < 126) {
    frames[at + 1] = length
  } else if (length < 65_536) {
    frames[at + 1] = 126
    frames.writeUInt16BE(length, at + 2)
  } else {
    frames[at + 1] = 127
    frames.writeBigUInt64BE(BigInt(length), at + 2)
  }
  return at + headerLength(length)
}
