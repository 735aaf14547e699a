// The table as a preview sees it: what orders is worked out, what only joins such commands together goes on, and the rest is named and left out.
import type { AnyForm } from '../../commands/kit/command.ts'
import type { CommandLookup, ResolvedForm } from '../../commands/kit/resolve.ts'

/** They change nothing beyond the line itself: variables are kept for the preview alone. */
const GOES_ON: ReadonlySet<string> = new Set(['echo', 'repeat', 'set', 'unset'])
/** They have no `--dry`, and yet say what they would do. */
const FORETELLS: ReadonlySet<string> = new Set(['halt'])
const WAITS: ReadonlySet<string> = new Set(['wait', 'sleep'])

/** @param note is told what is left out, one sentence each */
export function previewLookup(lookup: CommandLookup, note: (text: string) => void): CommandLookup {
  return {
    ...lookup,
    resolve(call) {
      const resolved = lookup.resolve(call)
      if (resolved.form.sends === true || FORETELLS.has(resolved.path)) return { ...resolved, isDry: true }
      return GOES_ON.has(resolved.path) ? resolved : { ...resolved, form: leftOut(resolved, note) }
    },
  }
}

function whyLeftOut(path: string): string {
  if (WAITS.has(path)) return `\`${path}\` is not waited for: what follows is worked out at the prices of this moment`
  if (path === 'hook fire') return '`hook fire` is left out: `hook test` tells what the hook would do'
  return `\`${path}\` places no orders and is left out`
}

function leftOut({ path, form }: ResolvedForm, note: (text: string) => void): AnyForm {
  return {
    ...form,
    run(_, args) {
      form.check?.(args)
      note(whyLeftOut(path))
    },
  }
}
