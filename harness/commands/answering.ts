// A person who answers questions.
import type { Terminal } from '../../src/commands/kit/ports.ts'

/** Answers hidden questions in turn and keeps what was asked. */
export function answering(...answers: string[]): Terminal & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async askHidden(question) {
      asked.push(question)
      return answers[asked.length - 1] ?? ''
    },
    clear: () => {},
    history: () => [],
    quit: () => {},
  }
}
