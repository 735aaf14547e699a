// Snapshots: at once for a new subscriber, then to all of them after a change, at most one per 100 ms and never the same twice.
import { encodeFrame } from '../../protocol/decode.ts'
import type { ServerFrame, Topic } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import type { Session } from '../sessions/session.ts'
import type { Channel, FanOut, FrameSink } from './fan-out.ts'

export interface TopicSource {
  /** The full state now; a text says why there is none to be had, undefined that it will come as a change. */
  snapshot(): ServerFrame | string | undefined
  /** Instead of `snapshot()` in a topic of which each client sees its own part. One topic at most has it. */
  shareOf?(viewer: Viewer): ServerFrame | string
  /** What has changed since it was last asked, where that is told and not the whole; undefined: nothing. */
  change?(): ServerFrame | undefined
  /** Calls `changed` after any change, whatever caused it. @returns stops the calls */
  watch(changed: () => void): () => void
}

/** `hook-output` has no state: its frames are the runs' own. */
export type SnapshotTopic = Exclude<Topic, 'hook-output'>

type Viewer = Pick<Session, 'caller'>

type Subscriber = FrameSink & Pick<Session, 'send' | 'understands' | 'caller'>

export class Topics {
  readonly #fanOut: FanOut
  readonly #sources: Readonly<Record<SnapshotTopic, TopicSource>>
  readonly #timers = new Map<SnapshotTopic, NodeJS.Timeout>()
  /** What all subscribers of a topic have last been sent; absent where they have not been sent the same. */
  readonly #sent = new Map<SnapshotTopic, string>()
  /** Subscribers of topics with shares, with what each has last been sent. */
  readonly #shares = new WeakMap<FrameSink, { readonly viewer: Subscriber; sent: string | undefined }>()
  readonly #stopWatching: (() => void)[]

  constructor(fanOut: FanOut, sources: Readonly<Record<SnapshotTopic, TopicSource>>) {
    this.#fanOut = fanOut
    this.#sources = sources
    this.#stopWatching = (Object.keys(sources) as SnapshotTopic[]).map((topic) =>
      sources[topic].watch(() => this.#changed(topic)),
    )
  }

  subscribe(session: Subscriber, topic: Topic): void {
    if (topic === 'hook-output') return this.#fanOut.subscribe(session, outputChannel(session))
    const isFirst = !this.#fanOut.hasSubscribers(topic)
    this.#fanOut.subscribe(session, topic)
    if (this.#sources[topic].shareOf !== undefined) return this.#subscribeToShare(session, topic)
    const snapshot = this.#sources[topic].snapshot()
    if (snapshot === undefined) return void this.#sent.delete(topic)
    if (typeof snapshot === 'string') {
      this.#sent.delete(topic)
      return session.send({ t: 'error', error: `${topic}: ${snapshot}` })
    }
    const text = encodeFrame(snapshot)
    this.#fanOut.send(session, text)
    if (isFirst) this.#sent.set(topic, text)
    else if (this.#sent.get(topic) !== text) this.#sent.delete(topic)
  }

  #subscribeToShare(session: Subscriber, topic: SnapshotTopic): void {
    const share = this.#sources[topic].shareOf?.(session)
    if (share === undefined) return
    if (typeof share === 'string') session.send({ t: 'error', error: `${topic}: ${share}` })
    const sent = typeof share === 'string' ? undefined : encodeFrame(share)
    this.#shares.set(session, { viewer: session, sent })
    if (sent !== undefined) this.#fanOut.send(session, sent)
  }

  #publishShares(topic: SnapshotTopic): void {
    for (const sink of this.#fanOut.sinksOf(topic)) {
      const known = this.#shares.get(sink)
      const share = known && this.#sources[topic].shareOf?.(known.viewer)
      const text = share === undefined || typeof share === 'string' ? undefined : encodeFrame(share)
      if (known === undefined || text === known.sent) continue
      known.sent = text
      if (text !== undefined) this.#fanOut.send(sink, text)
    }
  }

  unsubscribe(session: Subscriber, topic: Topic): void {
    this.#fanOut.unsubscribe(session, topic === 'hook-output' ? outputChannel(session) : topic)
  }

  stop(): void {
    for (const stop of this.#stopWatching) stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  #changed(topic: SnapshotTopic): void {
    if (this.#timers.has(topic)) return
    const timer = setTimeout(() => {
      this.#timers.delete(topic)
      this.#publish(topic)
    }, LISTENER_LIMITS.snapshotMs)
    timer.unref()
    this.#timers.set(topic, timer)
  }

  #publish(topic: SnapshotTopic): void {
    const source = this.#sources[topic]
    const change = source.change?.()
    if (!this.#fanOut.hasSubscribers(topic)) return void this.#sent.delete(topic)
    if (source.shareOf !== undefined) return this.#publishShares(topic)
    if (source.change !== undefined) return change && this.#fanOut.publish(topic, encodeFrame(change))
    const snapshot = source.snapshot()
    if (snapshot === undefined || typeof snapshot === 'string') return void this.#sent.delete(topic)
    const text = encodeFrame(snapshot)
    if (this.#sent.get(topic) === text) return
    this.#sent.set(topic, text)
    this.#fanOut.publish(topic, text)
  }
}

function outputChannel(session: Subscriber): Channel {
  return session.understands('batches') ? 'hook-output/batches' : 'hook-output'
}
