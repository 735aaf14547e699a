// dist/THIRD-PARTY.md: the licences of the packages that are compiled into what is shipped, as they ask for. What is compiled in is known
// from the bundlers, so nothing is forgotten.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i

/** @param {Iterable<string>} files modules that bundles were made of, as paths or as a bundler's ids */
export function writeNotices(files) {
  const folders = new Set([...files].flatMap((file) => PACKAGE_FOLDER.exec(file.split('\0').at(-1) ?? '')?.[0] ?? []))
  const sections = [...folders].map(noticeOf).sort((a, b) => a.localeCompare(b))
  const head = '# Packages compiled into hookline\n\nEach under its own licence, with its version.\n'
  writeFileSync('dist/THIRD-PARTY.md', [head, ...new Set(sections)].join('\n'))
}

/** @param {string} folder of an installed package */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [file] = existsSync(folder) ? readdirSync(folder).filter((entry) => LICENCE_FILE.test(entry)) : []
  // Who gives a package away without terms need not say more than that in it.
  const given = license === 'Unlicense' ? 'Given to the public domain: https://unlicense.org' : undefined
  const text = file === undefined ? given : readFileSync(join(folder, file), 'utf8').trim()
  return `## ${name} ${version}: ${license}\n${text === undefined ? '' : `\n\`\`\`\n${text}\n\`\`\`\n`}`
}
