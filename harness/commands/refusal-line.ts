import type { Refusal } from '../../src/commands/kit/errors.ts'

/** As a session's lines have it. */
export function refusalLine({ code, message, hint }: Refusal): string {
  return `error ${code}: ${message}${hint === undefined ? '' : ` | ${hint}`}`
}
