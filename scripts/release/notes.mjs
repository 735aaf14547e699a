// The notes of a release are the section of its version in CHANGELOG.
//
//   node scripts/release/notes.mjs v0.2.0      prints them; ends with 1 where there are none
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** What the page of a release takes, in characters. */
const MAX_LENGTH = 125_000

/**
 * @param {string} changelog
 * @param {string} version without its `v`
 * @returns {string} Markdown, without the heading of the version
 * @throws it has no section, an empty one, two, or one that is too long
 */
export function notesOf(changelog, version) {
  const sections = changelog
    .split(/^## /m)
    .slice(1)
    .filter((section) => /^\S+/.exec(section)?.[0] === version)
  const [section = ''] = sections
  if (sections.length !== 1)
    throw new Error(`CHANGELOG.md has ${sections.length === 0 ? 'no' : 'more than one'} ## ${version}`)
  const [, notes = ''] = /^[^\n]*\n([\s\S]*)$/.exec(section) ?? []
  if (!/^- \S/m.test(notes)) throw new Error(`CHANGELOG.md has no entry under ## ${version}`)
  if (notes.length > MAX_LENGTH) throw new Error(`the notes of ${version} are longer than ${MAX_LENGTH} characters`)
  return `${notes.trim()}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const tag = process.argv[2] ?? ''
    process.stdout.write(notesOf(readFileSync('CHANGELOG.md', 'utf8'), tag.replace(/^v/, '')))
  } catch (error) {
    process.stderr.write(`error: ${/** @type {Error} */ (error).message}\n`)
    process.exitCode = 1
  }
}
