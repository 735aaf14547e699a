// Every decision of a room, switched one at a time: a module carries all its mutants, and `globalThis.mutation` says which one is on.
import type { Plugin } from 'vite'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export interface Mutation {
  readonly id: number
  readonly line: string
  readonly change: string
}

/** `id`: the place of its file among `files`, times a million, and its own. */
const PER_FILE = 1_000_000
const OTHER: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}
const OTHER_METHOD: Readonly<Record<string, string>> = {
  plus: 'minus',
  minus: 'plus',
  times: 'div',
  div: 'times',
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  max: 'min',
  min: 'max',
  some: 'every',
  every: 'some',
}

type Raw = (child: unknown) => string

/** @param files absolute */
export function mutateCode(files: readonly string[]): Plugin {
  return {
    name: 'mutate-code',
    enforce: 'post',
    transform(code, id) {
      const index = files.indexOf(id.split('?')[0] ?? '')
      if (index < 0) return undefined
      const { text, mutations } = mutated(code, this.parse(code) as unknown as Node, index * PER_FILE)
      return { code: `globalThis.mutation.add(${JSON.stringify(mutations)});\n${text}`, map: null }
    },
  }
}

function mutated(
  code: string,
  program: Node,
  base: number,
): { readonly text: string; readonly mutations: readonly Mutation[] } {
  const mutations: Mutation[] = []
  return { text: textOf(program), mutations }

  /** What is inside an optional chain stays there: it ends with the chain. */
  function textOf(node: Node, isInChain = false): string {
    const plain = withChildren(node, node.type === 'ChainExpression' || (isInChain && LINKS.has(node.type)))
    if (isInChain && LINKS.has(node.type)) return plain
    return changesOf(node).reduceRight((text, [change, changed]) => {
      const id = base + mutations.length
      const line = code.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 120)
      mutations.push({ id, line, change })
      if (node.type === 'ExpressionStatement') return `{ if (!mutation.is(${id})) ${text} }`
      return `(mutation.is(${id}) ? ${changed} : ${text})`
    }, plain)
  }

  function withChildren(node: Node, isInChain: boolean): string {
    let text = ''
    let at = node.start
    for (const child of childrenOf(node)) {
      text += code.slice(at, child.start) + textOf(child, isInChain)
      at = child.end
    }
    return text + code.slice(at, node.end)
  }

  /** What is put in the place of a node, each with its name. */
  function changesOf(node: Node): readonly (readonly [change: string, text: string])[] {
    const raw: Raw = (child) => code.slice((child as Node).start, (child as Node).end)
    const { type } = node
    if (type === 'BinaryExpression' || type === 'LogicalExpression') return ofOperator(node, raw)
    if (type === 'UnaryExpression' && node.operator === '!') return [['without !', raw(node.argument)]]
    if (type === 'Literal' && typeof node.value === 'boolean') return [['flipped', String(!node.value)]]
    if (type === 'ExpressionStatement' && isAct(node.expression as Node)) return [['left out', '']]
    if (type === 'ArrayExpression' && (node.elements as readonly unknown[]).length > 0) return [['empty', '[]']]
    return type === 'CallExpression' ? ofCall(node, raw) : []
  }

  function ofOperator({ left, right, operator }: Node, raw: Raw): readonly (readonly [string, string])[] {
    if (operator === '??') return [['left alone', raw(left)]]
    const other = OTHER[String(operator)]
    return other === undefined ? [] : [[`${operator} is ${other}`, `(${raw(left)} ${other} ${raw(right)})`]]
  }

  function ofCall(node: Node, raw: Raw): readonly (readonly [string, string])[] {
    const callee = node.callee as Node
    const { object, property, computed, optional } = callee
    if (callee.type !== 'MemberExpression' || computed === true || optional === true || node.optional === true)
      return []
    const name = raw(property)
    if (name === 'filter') return [['unfiltered', raw(object)]]
    const other = Object.hasOwn(OTHER_METHOD, name) ? OTHER_METHOD[name] : undefined
    if (other === undefined) return []
    return [[`${name} is ${other}`, `${raw(object)}.${other}${code.slice(callee.end, node.end)}`]]
  }
}

const LINKS: ReadonlySet<string> = new Set(['CallExpression', 'MemberExpression'])

function isAct({ type, callee, argument }: Node): boolean {
  if (type === 'AwaitExpression') return isAct(argument as Node)
  if (type === 'CallExpression') return (callee as Node).type !== 'Super'
  return type === 'AssignmentExpression' || type === 'UpdateExpression'
}

/** What is a name, a pattern or an import is not code that decides. */
const UNREAD: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TemplateElement'])

function childrenOf(node: Node): readonly Node[] {
  if (UNREAD.has(node.type)) return []
  return Object.entries(node)
    .filter(([field]) => field !== 'key' || node.computed === true)
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .filter((child, index, all) => all.findIndex(({ start }) => start === child.start) === index)
    .sort((one, other) => one.start - other.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value
}
