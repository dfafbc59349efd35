// Compiles an owner's text to a Liquid template, once per version. Only safe tags and filters exist here.
import { encode } from 'html-entities'
import { type FilterImplOptions, Liquid, type Template } from 'liquidjs'
import { LRUCache } from 'lru-cache'
import { markBlanks } from './blanks.ts'
import { TEMPLATE_VARIABLES, TemplateError } from './context.ts'
import { buildVariableError, FILTERS, TAGS, toTemplateError } from './errors.ts'
import { hasRange, isOnlyTags, listTags, splitLiquid } from './scan.ts'

/** The cart's items: a list for `for`, and a table when printed as a whole. */
export class CartItems extends Array<CartItem> {}

export interface CartItem {
  name: string
  quantity: number
  price: string
  total: string
}

/** Names a version of a text, whose words never change; null: a draft, which is not cached. */
export type TextKey = string | null

export interface Compiler {
  /** Plain text or HTML, rendered with `html`. */
  parseBody(key: TextKey, text: string): Template[]
  /** A subject or an SMS, rendered with `text`. `part`: its name in error messages. */
  parseLine(key: TextKey, text: string, part: string): Template[]
  /** For bodies: escapes values and prints the items as a mark. */
  html: Liquid
  /** For subjects: prints values unescaped and the items as a short text. */
  text: Liquid
}

/** Stands for the item table until the body is clean. User text cannot contain it (cleanText). */
export const ITEMS_MARK = '\ue000'
/** Stands for the label of the checkout link. */
export const LABEL_MARK = '\ue001'
/** Around a label and its amount, which share a row. */
export const ROW_MARKS = ['\ue002', '\ue003', '\ue004'] as const
/** Around the checkout button. */
export const BUTTON_MARKS = ['\ue005', '\ue006'] as const

const MARKS = /[\ue000-\uf8ff]/g

const LIMITS = { parseLimit: 40_000, renderLimit: 250, memoryLimit: 200_000 }
const MAX_VERSIONS = 500

export function createCompiler(): Compiler {
  const cache = new LRUCache<string, Template[]>({ max: MAX_VERSIONS })
  const html = createLiquid((value) =>
    value instanceof CartItems ? ITEMS_MARK : encode(toText(value).replace(MARKS, '')),
  )
  const text = createLiquid((value) => (value instanceof CartItems ? listItems(value) : toText(value)))
  function keep(key: TextKey, create: () => Template[]): Template[] {
    const known = key === null ? undefined : cache.get(key)
    if (known) return known
    const template = create()
    if (key !== null) cache.set(key, template)
    return template
  }
  return {
    parseBody: (key, source) =>
      keep(key && `${key}/body`, () => parse(html, markBlanks(toHtml(source.replace(MARKS, ''))), 'message')),
    parseLine: (key, source, part) => keep(key && `${key}/line`, () => parse(text, markBlanks(source), part)),
    html,
    text,
  }
}

function createLiquid(outputEscape: (value: unknown) => string): Liquid {
  const liquid = new Liquid({
    ...LIMITS,
    outputEscape,
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    // No file is ever read: tags that include files are removed, and this root is empty.
    templates: {},
  })
  for (const name of Object.keys(liquid.tags)) if (!TAGS.includes(name)) delete liquid.tags[name]
  for (const name of Object.keys(liquid.filters)) if (!FILTERS.includes(name)) delete liquid.filters[name]
  // Output is escaped later; escaping here too would show `&amp;`.
  liquid.registerFilter('escape', (value: unknown) => value)
  liquid.registerFilter('default', defaultForBlank)
  return liquid
}

function defaultForBlank(this: FilterImplOptions | unknown, value: unknown, fallback: unknown = '') {
  return value === null || value === undefined || value === '' || value === false ? fallback : value
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'object' ? '' : String(value ?? '')
}

function listItems(items: CartItems): string {
  const first = items[0]
  if (!first) return ''
  return items.length === 1 ? first.name : `${first.name} and ${items.length - 1} more`
}

function parse(liquid: Liquid, source: string, part: string): Template[] {
  const tags = listTags(source)
  if (tags.some(hasRange)) {
    throw new TemplateError('limit_exceeded', `The ${part} loops over a range. Only loops over cart_items are allowed.`)
  }
  if (measureLoopDepth(tags) > 1) throw new TemplateError('limit_exceeded', `The ${part} has a loop inside a loop.`)
  try {
    const template = liquid.parse(source)
    const names = liquid.globalVariablesSync(template)
    const unknown = names.find((name) => !TEMPLATE_VARIABLES.some((known) => known === name))
    if (unknown !== undefined) throw buildVariableError(String(unknown), part)
    return template
  } catch (error) {
    throw toTemplateError(error, part)
  }
}

function measureLoopDepth(tags: readonly string[]): number {
  let depth = 0
  let deepest = 0
  for (const tag of tags) {
    const loop = /^\{%-?\s*(end)?for\b/.exec(tag)
    if (loop) depth += loop[1] ? -1 : 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const ONLY_ITEMS = /^\{\{-?\s*cart_items\s*-?\}\}$/
const ONLY_LINK = /^\{\{-?\s*checkout_link\s*-?\}\}$/

export function isHtml(body: string): boolean {
  return /<\/?[a-z][a-z0-9]*(\s[^<>]*)?\/?>/i.test(
    splitLiquid(body)
      .filter((_, at) => at % 2 === 0)
      .join(''),
  )
}

const toHtml = (body: string): string => (isHtml(body) ? body : convertPlainText(body))

/** `Total: {{ cart_total }}` */
const ONLY_AMOUNT = /^([^{}:\n]{1,60}):\s?(\{\{-?\s?(?:cart_total|discounted_total)\s?-?\}\})$/
/** `# We saved your cart` */
const HEADING = /^#\s(.+)$/

/**
 * Converts plain text: blank lines separate paragraphs. A line of its own with the link becomes the button, with the
 * items a table, a label with the total a row, and a line after `# ` a heading.
 */
function convertPlainText(body: string): string {
  const escaped = splitLiquid(body.replaceAll('\r\n', '\n'))
    .map((piece, at) => (at % 2 ? piece : encode(piece)))
    .join('')
  return escaped
    .split(/\n{2,}/)
    .map(convertParagraph)
    .join('\n')
}

function convertParagraph(paragraph: string): string {
  const blocks: string[] = []
  let lines: string[] = []
  const endLines = () => {
    if (lines.length) blocks.push(`<p>${lines.join('<br>')}</p>`)
    lines = []
  }
  for (const line of paragraph
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean)) {
    const block = renderLine(line)
    if (block === null) {
      lines.push(line)
      continue
    }
    endLines()
    blocks.push(block)
  }
  endLines()
  return blocks.join('\n')
}

type ParsedLine =
  | { kind: 'items' | 'tags' | 'button' | 'text' }
  | { kind: 'heading'; text: string }
  | { kind: 'amount'; label: string; amount: string }

/** What a line of plain text stands for; `text`: a line of a paragraph. */
export function parseLine(line: string): ParsedLine {
  if (ONLY_ITEMS.test(line)) return { kind: 'items' }
  if (isOnlyTags(line)) return { kind: 'tags' }
  if (ONLY_LINK.test(line)) return { kind: 'button' }
  const heading = HEADING.exec(line)?.[1]
  if (heading !== undefined) return { kind: 'heading', text: heading }
  const [, label, amount] = ONLY_AMOUNT.exec(line) ?? []
  return label === undefined || amount === undefined ? { kind: 'text' } : { kind: 'amount', label, amount }
}

/** null: a line of a paragraph. */
function renderLine(line: string): string | null {
  const parsed = parseLine(line)
  switch (parsed.kind) {
    case 'items':
    case 'tags':
      return line
    case 'button':
      return `${BUTTON_MARKS[0]}<a class="button block" href="${line}">${LABEL_MARK}</a>${BUTTON_MARKS[1]}`
    case 'heading':
      return `<h1>${parsed.text}</h1>`
    case 'amount':
      return `${ROW_MARKS[0]}${parsed.label}${ROW_MARKS[1]}${parsed.amount}${ROW_MARKS[2]}`
    case 'text':
      return null
  }
}
