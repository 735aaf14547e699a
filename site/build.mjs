// Builds the site into site/dist, offline: the papers, the guides and the reference, searched in the page itself.
// Usage: npm run site [-- --base /hookline/]
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build as bundle } from 'esbuild'
import { BINARY } from '../harness/process/built-hookline.mjs'

const { base } = parseArgs({ options: { base: { type: 'string', default: '/' } } }).values
const ROOT = resolve(import.meta.dirname, '..')
const STAGE = join(import.meta.dirname, '.stage')
const OUT = join(import.meta.dirname, 'dist')

// The one step that needs a registry, once: the generator is not part of the repository's own packages.
if (!existsSync(join(import.meta.dirname, 'node_modules/vitepress'))) {
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: import.meta.dirname, stdio: 'inherit' })
}

const { leadLinks, llmsText, readSections } = await load('pages.ts')
const { repository } = JSON.parse(readFileSync(join(ROOT, 'scripts/release/owner.json'), 'utf8'))
const sections = readSections(ROOT, helps())
const pages = sections.flatMap((/** @type {import('./pages.ts').Section} */ section) => section.pages)
const paths = new Set(pages.map((/** @type {import('./pages.ts').Page} */ { path }) => path))

rmSync(STAGE, { recursive: true, force: true })
const start = { path: 'index.md', title: 'hookline', markdown: readFileSync(join(ROOT, 'site/index.md'), 'utf8') }
for (const page of [start, ...pages]) {
  const { markdown, images } = leadLinks(page, { root: ROOT, pages: paths, repository })
  write(page.path, markdown)
  for (const image of images) copy(image, image)
}
write('sidebar.json', JSON.stringify(sections.map(toSidebar)))
write('public/llms.txt', llmsText(sections, base))
for (const { path, markdown } of pages) write(`public/${path}`, markdown)

execFileSync(
  process.execPath,
  [join(import.meta.dirname, 'node_modules/vitepress/bin/vitepress.js'), 'build', import.meta.dirname, '--base', base],
  {
    stdio: 'inherit',
    env: { ...process.env, HOOKLINE_SITE_STAGE: STAGE, HOOKLINE_SITE_OUT: OUT },
  },
)

/** @param {import('./pages.ts').Section} section */
function toSidebar({ title, pages: inSection }) {
  return {
    text: title,
    items: inSection.map((page) => ({ text: page.title, link: `/${page.path.replace(/\.md$/, '')}` })),
  }
}

/** What the built program prints about itself and about each of its commands. */
function helps() {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-site-'))
  /** @param {readonly string[]} words */
  const help = (words) =>
    execFileSync(process.execPath, [BINARY, 'help', ...words], {
      encoding: 'utf8',
      env: { ...process.env, HOOKLINE_CONFIG_DIR: directory, NO_COLOR: '1', COLUMNS: '100' },
    })
  const all = help([])
  const [, list = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(all) ?? []
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = '']) => name)
  const texts = [{ path: '', text: all }, ...names.map((name) => ({ path: name, text: help([name]) }))]
  rmSync(directory, { recursive: true, force: true })
  return texts
}

/** Compiles the pages' own code, which reads the program's sources. @param {string} entry */
async function load(entry) {
  const outfile = join(import.meta.dirname, '.stage.mjs')
  await bundle({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    outfile,
    logLevel: 'error',
  })
  return import(pathToFileURL(outfile).href)
}

/** @param {string} path in the stage @param {string} text */
function write(path, text) {
  const file = join(STAGE, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** @param {string} from in the repository @param {string} to in the stage */
function copy(from, to) {
  const file = join(STAGE, to)
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(join(ROOT, from), file)
}
