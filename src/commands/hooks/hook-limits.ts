// What `hook create` says about how a hook's fires run (behaviour 30).
import type { Argument } from '../../language/chain.ts'
import { parseDuration } from '../../language/duration.ts'
import { LanguageError } from '../../language/language-error.ts'
import { shown } from '../../language/printable.ts'
import { MAX_MAX_AGE_MS, MAX_PARALLEL, MIN_MAX_AGE_MS, type NewHook } from '../../stores/hooks.ts'
import { readInteger, takeFlag, takeOption } from '../kit/read-arguments.ts'

/** Takes `--parallel`, `--max-age` and `--dry` out of the arguments. @throws {LanguageError} */
export function takeLimits(args: readonly Argument[]): {
  readonly rest: readonly Argument[]
  readonly limits: Pick<NewHook, 'parallel' | 'maxAgeMs' | 'dry'>
} {
  const dry = takeFlag(args, '--dry')
  const parallel = takeOption(dry.rest, '--parallel', 'the number of runs at once')
  const maxAge = takeOption(parallel.rest, '--max-age', 'how long a fire may wait')
  const limits = {
    ...(parallel.value === undefined ? {} : { parallel: readParallel(parallel.value, columnOf(args, '--parallel')) }),
    ...(maxAge.value === undefined ? {} : { maxAgeMs: readMaxAge(maxAge.value, columnOf(args, '--max-age')) }),
    ...(dry.given ? { dry: true } : {}),
  }
  return { rest: maxAge.rest, limits }
}

function readParallel(text: string, column: number): number {
  return readInteger({ kind: 'word', text, column }, 1, MAX_PARALLEL)
}

function readMaxAge(text: string, column: number): number {
  const ms = parseDuration(text, column, { maxMs: MAX_MAX_AGE_MS })
  if (ms >= MIN_MAX_AGE_MS) return ms
  throw new LanguageError('bad-duration', `${shown(text)} is shorter than 1s`, column, 'type at least 1s')
}

/** Of the option's value: behind the name, where it is glued to it. */
function columnOf(args: readonly Argument[], option: string): number {
  const at = args.findIndex(({ kind, ...rest }) => kind === 'word' && 'text' in rest && rest.text.startsWith(option))
  const named = args[at]
  if (named === undefined) return 1
  const isGlued = named.kind === 'word' && named.text !== option
  return isGlued ? named.column + option.length + 1 : (args[at + 1]?.column ?? named.column)
}
