// What a release needs before anything is built: the tag is the version, CHANGELOG has it, and the owner's fields are filled in.
//
//   node scripts/release/check.mjs v0.2.0      ends with 1 and says why not
//   node scripts/release/check.mjs --image     prints the name of the image
import { readFileSync } from 'node:fs'
import { notesOf } from './notes.mjs'
import { readOwner, readPackage } from './table.mjs'

const [asked = ''] = process.argv.slice(2)
if (asked === '--image') {
  process.stdout.write(`${readOwner({ rehearsal: false }).image}\n`)
} else {
  const { version } = readPackage()
  const problems = [
    ...(asked === `v${version}` ? [] : [`the tag ${asked} is not v${version}, the version of package.json`]),
    ...problemsOf(() => notesOf(readFileSync('CHANGELOG.md', 'utf8'), version)),
    ...problemsOf(() => readOwner({ rehearsal: false })),
  ]
  for (const problem of problems) process.stderr.write(`error: ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

/** @param {() => unknown} look @returns {readonly string[]} why it throws */
function problemsOf(look) {
  try {
    look()
    return []
  } catch (error) {
    return [/** @type {Error} */ (error).message]
  }
}
