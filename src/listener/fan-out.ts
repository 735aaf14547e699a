// Frames on their way out. What is written in one event-loop turn goes out as one write per socket, and what goes to a topic is
// serialised and framed once for all its subscribers (bench/fan-out). A client sees its own frames and those of one topic in the
// order in which they were written: where both meet in a turn, those written first are flushed first.
import type { Topic } from '../protocol/frames.ts'
import { textFrame } from './text-frame.ts'

/** Where frames end. `write` must not keep or change the buffer. */
export interface FrameSink {
  write(frames: Buffer): void
}

/** A topic's frames are flushed before the end of the turn once they are this many bytes: memory stays bounded. */
const MAX_BATCH_BYTES = 65_536

export class FanOut {
  readonly #subscribers = new Map<Topic, Set<FrameSink>>()
  readonly #direct = new Map<FrameSink, Buffer[]>()
  readonly #published = new Map<Topic, Buffer[]>()
  #publishedBytes = 0
  #scheduled = false

  /** To one client. */
  send(sink: FrameSink, text: string): void {
    if (this.#published.size > 0) this.flush()
    const frames = this.#direct.get(sink)
    if (frames) frames.push(textFrame(text))
    else this.#direct.set(sink, [textFrame(text)])
    this.#schedule()
  }

  /** To everyone who has subscribed; costs nothing when nobody has. */
  publish(topic: Topic, text: string): void {
    if (!this.hasSubscribers(topic)) return
    const frame = textFrame(text)
    const frames = this.#published.get(topic)
    if (frames) frames.push(frame)
    else this.#published.set(topic, [frame])
    this.#publishedBytes += frame.length
    if (this.#publishedBytes > MAX_BATCH_BYTES) this.flush()
    else this.#schedule()
  }

  hasSubscribers(topic: Topic): boolean {
    return (this.#subscribers.get(topic)?.size ?? 0) > 0
  }

  subscribe(sink: FrameSink, topic: Topic): void {
    this.#flushPublished()
    const sinks = this.#subscribers.get(topic) ?? new Set()
    this.#subscribers.set(topic, sinks.add(sink))
  }

  unsubscribe(sink: FrameSink, topic: Topic): void {
    this.#flushPublished()
    this.#subscribers.get(topic)?.delete(sink)
  }

  /** The client is gone: nothing more is written to it. */
  remove(sink: FrameSink): void {
    this.#direct.delete(sink)
    for (const sinks of this.#subscribers.values()) sinks.delete(sink)
  }

  /** Writes everything that waits, now. */
  flush(): void {
    for (const [sink, frames] of this.#direct) sink.write(join(frames))
    this.#direct.clear()
    this.#flushPublished()
  }

  #flushPublished(): void {
    if (this.#published.size === 0) return
    if (this.#direct.size > 0) return this.flush()
    const published = [...this.#published]
    this.#published.clear()
    this.#publishedBytes = 0
    for (const [topic, frames] of published) {
      const joined = join(frames)
      for (const sink of this.#subscribers.get(topic) ?? []) sink.write(joined)
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.flush()
    })
  }
}

function join(frames: readonly Buffer[]): Buffer {
  const [only] = frames
  return frames.length === 1 && only ? only : Buffer.concat(frames)
}
