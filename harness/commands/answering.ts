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

/**
 * A person who answers `y or n`, in turn and then with n, and what was asked.
 * @param answers undefined: nobody sits there, and nothing is asked
 */
export function deciding(answers?: boolean[]): { readonly terminal: Terminal; readonly asked: string[] } {
  const asked: string[] = []
  const confirm = async (question: string) => {
    asked.push(question)
    return answers?.shift() ?? false
  }
  const terminal: Terminal = {
    askHidden: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
    ...(answers === undefined ? {} : { confirm }),
  }
  return { terminal, asked }
}
