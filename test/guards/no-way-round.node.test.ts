// No order passes beside the guard (behaviour 40): every place that calls what changes something at a venue is known, and so is every place
// that can have a venue which is not behind its guard. Read off the syntax trees of all sources.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseAst } from 'vite'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Use {
  readonly file: string
  readonly name: string
}

/** What may be asked of a node: its name if it is what is looked for. */
type Look = (node: Node, text: (node: Node) => string) => string | undefined

interface Source {
  readonly file: string
  readonly text: string
  readonly tree: Node
  /** Its nodes, by type: each tree is walked once. */
  readonly nodes: ReadonlyMap<string, readonly Node[]>
}

const sources: readonly Source[] = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(join(ROOT, 'src', name), 'utf8')
    const tree = parseAst(text, { lang: name.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node
    return { file: `src/${name}`, text, tree, nodes: nodesOf(tree) }
  })

function nodesOf(tree: Node): ReadonlyMap<string, readonly Node[]> {
  const nodes = new Map<string, Node[]>()
  const visit = (node: Node): void => {
    const known = nodes.get(node.type)
    if (known) known.push(node)
    else nodes.set(node.type, [node])
    for (const value of Object.values(node)) {
      for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) visit(each)
    }
  }
  visit(tree)
  return nodes
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function field(node: Node, name: string): Node | undefined {
  const value = node[name]
  return isNode(value) ? value : undefined
}

function find(types: readonly string[], look: Look): Use[] {
  return sources.flatMap(({ file, text, nodes }) =>
    types
      .flatMap((type) => nodes.get(type) ?? [])
      .flatMap((node) => {
        const name = look(node, ({ start, end }) => text.slice(start, end))
        return name === undefined ? [] : [{ file, name }]
      }),
  )
}

function filesOf(uses: readonly Use[]): string[] {
  return [...new Set(uses.map(({ file }) => file).filter((file) => !isAdapter(file)))].sort()
}

/** Inside an adapter it is the venue's own affair. */
function isAdapter(file: string): boolean {
  return file.startsWith('src/exchanges/')
}

function nameIn(node: Node | undefined): string | undefined {
  const name = node?.name ?? node?.value
  return typeof name === 'string' ? name : undefined
}

const USES = ['MemberExpression', 'ObjectPattern']

/** By any spelling: `x.createOrder`, `x['createOrder']`, `const { createOrder } = x`. */
function usedName(node: Node): string | undefined {
  if (node.type === 'MemberExpression') return nameIn(field(node, 'property'))
  if (node.type !== 'ObjectPattern') return undefined
  const keys = (node.properties as readonly Node[]).map((property) => nameIn(field(property, 'key')))
  return keys.find((key) => key !== undefined && CHANGES.has(key))
}

/** Stands in for the desk while a line is only looked at. */
const PREVIEW_DESK = 'src/trading/preview/preview-desk.ts'

/** Other uses of the name. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  // `canEdit` of the port reads the capability of the same name.
  editOrder: ['src/exchange/exchange.ts'],
  // Of the desk, as a fact below says.
  setMarginMode: ['src/commands/trading/margin.ts'],
}

/** What of an `Exchange` changes something. */
const CHANGES: ReadonlySet<string> = new Set([
  'createOrder',
  'editOrder',
  'cancelOrder',
  'cancelAllOrders',
  'setLeverage',
  'setMarginMode',
])

function importersOf(name: string): string[] {
  const imports = find(['ImportSpecifier'], (node) => (nameIn(field(node, 'imported')) === name ? name : undefined))
  // `const { openExchange } = await import(…)`.
  const loads = find(['ObjectPattern'], (node) => {
    return (node.properties as readonly Node[]).some((property) => nameIn(field(property, 'key')) === name)
      ? name
      : undefined
  })
  return filesOf([...imports, ...loads])
}

describe('what changes something at a venue', () => {
  it.each([
    ['createOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-sender.ts']],
    ['editOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-amender.ts', 'src/trading/protection.ts']],
    ['cancelOrder', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts', 'src/trading/protection.ts']],
    ['cancelAllOrders', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts']],
    ['setMarginMode', ['src/guards/guard-exchange.ts', 'src/trading/order-desk.ts']],
  ])('is called only in the guard and by the desk: %s', (name, files) => {
    const uses = find(USES, (node, text) => {
      // `capabilities.editOrder` says whether the venue can.
      const of = field(node, 'object')
      return usedName(node) === name && !(of !== undefined && /capabilities$/.test(text(of))) ? name : undefined
    })
    const seen = [...(SEEN[name] ?? []), PREVIEW_DESK]
    expect(filesOf(uses).filter((file) => !seen.includes(file))).toEqual(files)
  })

  it('is asked by a preview only as what would be, of the desk', () => {
    const calls = find(['CallExpression'], (node, text) => {
      const callee = field(node, 'callee')
      return callee !== undefined && CHANGES.has(usedName(callee) ?? '') ? text(node) : undefined
    }).filter(({ file }) => file === PREVIEW_DESK)
    expect(calls.length).toBeGreaterThan(0)
    for (const { name } of calls)
      expect(name).toMatch(/^this\.#account\.orders\.\w+\(.*\{ \.\.\.by, isDry: true \}\)$/s)
  })

  it('is called of the account by commands only through its desk', () => {
    const uses = find(USES, (node, text) =>
      usedName(node) === 'setLeverage' || usedName(node) === 'setMarginMode' ? text(node) : undefined,
    )
    const isQuestion = ({ name }: { readonly name: string }) => name.includes('.capabilities.')
    const commands = uses.filter((use) => use.file.startsWith('src/commands/') && !isQuestion(use))
    expect(commands.length).toBeGreaterThan(0)
    for (const { name } of commands) expect(name).toMatch(/^(?:account\.)?orders\./)
  })

  it('is never reached by a name that is worked out', () => {
    const uses = find(['MemberExpression'], (node, text) => {
      const of = field(node, 'object')
      const isWorkedOut = node.computed === true && field(node, 'property')?.type !== 'Literal'
      return isWorkedOut && of !== undefined && /(?:exchange|venue|raw)$/i.test(text(of)) ? text(node) : undefined
    })
    expect(uses).toEqual([])
  })

  it('is all that the port has besides questions: what is new there needs a line in the guard', () => {
    const members = sources
      .filter(({ file }) => file === 'src/exchange/exchange.ts')
      .flatMap(({ tree }) => tree.body as readonly Node[])
      .map((node) => field(node, 'declaration'))
      .filter((node) => node?.type === 'TSInterfaceDeclaration' && nameIn(field(node, 'id')) === 'Exchange')
      .flatMap((node) => (node === undefined ? [] : ((field(node, 'body')?.body ?? []) as readonly Node[])))
      .map((member) => nameIn(field(member, 'key')))
    expect(members.sort()).toEqual([...CHANGES, 'close'].sort())
  })
})

const PRACTICE = 'src/replay/practice-account.ts'

describe('a venue that is not behind its guard', () => {
  it('is had by the one place that puts it behind', () => {
    // Of keys that are tried, `questionsOf` lets only questions through.
    expect(importersOf('openExchange')).toEqual(['src/app/accounts.ts'])
    expect(importersOf('questionsOf')).toEqual(['src/app/accounts.ts'])
    const opened = find(['CallExpression'], (node, text) => {
      const called = field(node, 'callee')
      return called !== undefined && ['openExchange', 'questionsOf'].includes(nameIn(called) ?? '')
        ? text(node)
        : undefined
    })
    // Twice in its own file, which puts both behind the guard.
    expect(filesOf(opened)).toEqual(['src/app/accounts.ts', 'src/app/open-account.ts'])
    expect(opened.filter(({ file }) => file === 'src/app/open-account.ts')).toHaveLength(2)
    const tried = opened.filter(({ file }) => file === 'src/app/accounts.ts').map(({ name }) => name)
    expect(tried[0]).toMatch(/^questionsOf\(await openExchange\(/)
    expect(tried).toHaveLength(2)
    expect(importersOf('guardExchange')).toEqual(['src/app/open-account.ts'])
  })

  it('is made by adapters, for `openExchange` alone', () => {
    const makers = find(['ExportNamedDeclaration'], (node, text) => {
      const made = field(node, 'declaration')
      const returns = made?.type === 'FunctionDeclaration' ? field(made, 'returnType') : undefined
      if (made === undefined || returns === undefined) return undefined
      return /^: ?(?:Promise<)?Exchange\b/.test(text(returns)) ? nameIn(field(made, 'id')) : undefined
    })
    const outside = makers.filter(({ file }) => !isAdapter(file)).map(({ name }) => name)
    expect(outside.sort()).toEqual(['guardExchange', 'openExchange', 'openPaper', 'withKeysHeld'])
    const adapters = makers.filter(({ file, name }) => isAdapter(file) || name === 'openPaper')
    expect(adapters.length).toBeGreaterThan(0)
    const paper = 'createPaperExchange'
    for (const { name } of adapters.filter((each) => each.name !== paper)) {
      for (const file of importersOf(name)) expect([name, file]).toEqual([name, 'src/app/open-account.ts'])
    }
    expect(importersOf(paper)).toEqual(['src/app/open-account.ts', PRACTICE])
  })

  it('of a replay is in memory, behind its own guard, and no other venue, store or journal of hookline is at hand there', () => {
    expect(importersOf('guardAccount')).toEqual(['src/app/open-account.ts', PRACTICE])
    const code = readFileSync(join(ROOT, PRACTICE), 'utf8')
    expect(code.match(/createPaperExchange\(/g)).toHaveLength(1)
    expect(code).toContain('this.#guarded = guardAccount(exchange, {')
    expect(code).not.toMatch(/openCcxt|openPaperState|openDurableJournal|openStores|open\w+Store\(/)
  })

  it('is in no other hands: who takes an `Exchange` is the guard, the desk and what the desk is made of', () => {
    // Keys are exchanged there, and nothing else.
    const takers = importersOf('Exchange').filter((file) => file !== 'src/listener/sessions/session-state.ts')
    expect(takers).toEqual([
      'src/app/open-account.ts',
      'src/guards/guard-exchange.ts',
      'src/guards/guard.ts',
      // Counts what the guard lets pass, and hands it on.
      'src/metrics/venue-meter.ts',
      'src/trading/order-amender.ts',
      'src/trading/order-desk.ts',
      'src/trading/order-sender.ts',
      'src/trading/protection.ts',
      'src/trading/protections.ts',
    ])
  })
})

describe('what lets an order pass a halt or simulation', () => {
  it.each([
    ['protects', ['src/trading/order-sender.ts', 'src/trading/protection.ts']],
    ['flattens', ['src/commands/session/flatten.ts']],
    ['isReal', ['src/tasks/task-run.ts', 'src/tasks/task-sender.ts']],
    ['closes', ['src/commands/trading/send-exit.ts']],
  ])('is said in these places alone: %s', (name, files) => {
    const said = find(['Property'], (node) => {
      const isSaid = nameIn(field(node, 'key')) === name
      return isSaid && field(node, 'value')?.value === true ? name : undefined
    })
    // A stop that is typed has the word too, for what its limit must not do; it reaches no `OrderContext`.
    expect(filesOf(said).filter((file) => file !== 'src/commands/trading/stop.ts')).toEqual(files)
  })
})
