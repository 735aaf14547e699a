// Everyone who shows or keeps what runs do, told in the order in which they were added.
import { printCall } from '../language/print.ts'
import type { OutputKind, RunData, RunRequest, RunResult, RunSink } from '../runs/run.ts'
import type { EndedStep } from './run-context.ts'

export class RunSinks {
  /** Replaced when one comes or goes, which may happen while they are told. */
  #sinks: readonly RunSink[] = []

  /** @returns stops the sink */
  add(sink: RunSink): () => void {
    this.#sinks = [...this.#sinks, sink]
    return () => {
      this.#sinks = this.#sinks.filter((each) => each !== sink)
    }
  }

  started(run: RunRequest): void {
    for (const sink of this.#sinks) sink.started?.(run)
  }

  output(run: RunRequest, kind: OutputKind, text: string, data: RunData | undefined): void {
    for (const sink of this.#sinks) sink.output?.(run, kind, text, data)
  }

  step(run: RunRequest, { call, ...ended }: EndedStep): void {
    let text: string | undefined
    for (const sink of this.#sinks) {
      if (sink.step === undefined) continue
      text ??= printCall(call)
      sink.step(run, { text, ...ended })
    }
  }

  done(run: RunRequest, result: RunResult): void {
    for (const sink of this.#sinks) sink.done?.(run, result)
  }

  unbegun(run: RunRequest, result: RunResult): void {
    for (const sink of this.#sinks) sink.unbegun?.(run, result)
  }
}
