import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

// The sentences that Recoup publishes about itself. `test/claims.json` names the proof of each: a test by file and
// title, or a heading of the docs.

/** Files whose texts are claims. */
export const claimFiles = [
  'web/screens/landing/copy.ts',
  'web/screens/landing/LandingPage.tsx',
  'web/screens/landing/Pricing.tsx',
  'web/features/billing/PricingPage.tsx',
  'web/features/billing/rules.ts',
  'shared/billing/billing-texts.ts',
  'web/screens/settings/FaqTab.tsx',
  'web/screens/site/TermsPage.tsx',
  'web/screens/site/PrivacyPage.tsx',
  'README.md',
  'plugin/recoup-for-woocommerce/readme.txt',
] as const

/** Shorter texts are labels. */
const MIN_WORDS = 4

// Exempt by rule: questions, headings, links and buttons, messages of a form.
const HEADINGS = new Set(['h1', 'h2', 'h3', 'dt', 'Title', 'summary', 'legend'])
const ACTIONS = new Set(['a', 'button', 'Button', 'Anchor', 'Link'])
const EXEMPT_KEYS = new Set([
  'failed',
  'none',
  'demo',
  'confirmCancel',
  'question',
  'title',
  'complaint',
  'label',
  'id',
])

export const listClaims = (): string[] => [...new Set(claimFiles.flatMap(readClaims))]

function readClaims(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const texts = /\.tsx?$/.test(file) ? readCode(file, source) : readProse(source)
  return texts.flatMap(splitSentences).filter(isClaim)
}

const splitSentences = (text: string): string[] =>
  text
    .replace(/\{%.*?%\}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s+(?=[A-Z“…\d])/)

const isClaim = (sentence: string): boolean =>
  !sentence.endsWith('?') &&
  /^[A-Z“…\d]|\.$/.test(sentence) &&
  sentence.split(' ').filter((word) => word !== '…').length >= MIN_WORDS

interface Node {
  type: string
  [key: string]: unknown
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Texts of elements, and strings in the data beside them. */
function readCode(file: string, source: string): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each)
      return
    }
    if (!isNode(value)) return
    if (value.type === 'ImportDeclaration' || value.type === 'JSXAttribute') return
    if (value.type === 'Property' && EXEMPT_KEYS.has(readName(value.key))) return
    if (value.type === 'JSXElement') {
      const name = readName((value.openingElement as Node).name)
      if (HEADINGS.has(name) || ACTIONS.has(name)) return
      const children = value.children as Node[]
      if (children.some((child) => readOwnText(child) !== '')) {
        found.push(flatten(value))
        return
      }
    }
    const text = readString(value)
    if (text !== null) found.push(text)
    for (const [key, child] of Object.entries(value)) if (key !== 'key') visit(child)
  }
  visit(parseSync(file, source).program.body)
  return found
}

const readName = (value: unknown): string => (isNode(value) ? String(value.name ?? value.value ?? '') : '')

/** null: no text. */
function readString(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return null
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
}

function readOwnText(node: Node): string {
  if (node.type === 'JSXText') return String(node.value).trim()
  if (node.type === 'JSXExpressionContainer' && isNode(node.expression))
    return readString(node.expression)?.trim() ?? ''
  return ''
}

function flatten(node: Node): string {
  if (node.type === 'JSXText') return String(node.value)
  if (node.type === 'JSXExpressionContainer') return (isNode(node.expression) && readString(node.expression)) || '…'
  return Array.isArray(node.children) ? (node.children as Node[]).map(flatten).join('') : ''
}

/** Paragraphs, list items and table cells of Markdown and of a WordPress readme. */
function readProse(source: string): string[] {
  return source
    .replace(/```.*?```/gs, '')
    .replace(/^== Changelog ==.*/ms, '')
    .replace(/^(?:#+ .*|=+ .* =+|[A-Z][A-Za-z ]+: .*|- .*|!\[.*)$/gm, '')
    .replace(/^(?:\*|\d\.) /gm, '\n')
    .split(/\n\s*\n|\s\|\s|^\|\s|\s\|$/m)
    .map((text) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/\*\*|`/g, ''))
}
