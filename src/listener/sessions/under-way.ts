// What one session has under way, and how much it may have (behaviour 30).
import { WIRE_LIMITS } from '../../protocol/frames.ts'

export class UnderWay {
  readonly #runs = new Set<string>()
  #edits = 0
  #requests = 0

  get hasRuns(): boolean {
    return this.#runs.size > 0
  }

  /** @param id of a `cmd:exec` */
  isRunning(id: string): boolean {
    return this.#runs.has(id)
  }

  /** @returns why the run may not begin */
  beginRun(id: string): string | undefined {
    if (this.#runs.has(id)) return 'a command with this id is still running'
    if (this.#runs.size >= WIRE_LIMITS.runsPerSession) {
      return `more than ${WIRE_LIMITS.runsPerSession} commands of this session are under way`
    }
    this.#runs.add(id)
    return undefined
  }

  endRun(id: string): void {
    this.#runs.delete(id)
  }

  /** A `mutate:*`. @returns why it may not begin */
  beginEdit(): string | undefined {
    if (this.#edits >= WIRE_LIMITS.editsPerSession) {
      return `more than ${WIRE_LIMITS.editsPerSession} edits of this session are under way`
    }
    this.#edits++
    return undefined
  }

  endEdit(): void {
    this.#edits--
  }

  /** A question. @returns why it may not begin */
  beginRequest(): string | undefined {
    if (this.#requests >= WIRE_LIMITS.requestsPerSession) {
      return `more than ${WIRE_LIMITS.requestsPerSession} questions of this session are under way`
    }
    this.#requests++
    return undefined
  }

  endRequest(): void {
    this.#requests--
  }
}
