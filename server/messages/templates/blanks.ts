// Removes text about a missing coupon, such as "Use for off, until ." (decision 37): the paragraph that prints an empty
// coupon variable, or the sentence in a text. Pure.
import { decode } from 'html-entities'
import { COUPON_VARIABLES, cleanText } from './context.ts'
import { splitLiquid } from './scan.ts'

/** Printed beside an empty coupon variable. */
const BLANK = '\ue007'

/**
 * Adds the mark after each coupon variable, printed only when it is empty. A variable with `default` is never empty.
 */
export function markBlanks(source: string): string {
  if (!COUPON_VARIABLES.some((name) => source.includes(name))) return source
  const known = new Map<string, string[]>(COUPON_VARIABLES.map((name) => [name, [name]]))
  const marked = splitLiquid(source).map((piece, at) => {
    const isPrinted = at % 2 === 1 && piece.startsWith('{{')
    const [, assigned, value] = /^\{%-?\s*assign\s+([\w-]+)\s*=(.*)$/s.exec(piece) ?? []
    if (assigned !== undefined) known.set(assigned, listVariables(value!, known))
    const names = isPrinted ? listVariables(piece, known) : []
    if (names.length === 0) return piece
    const trims = piece.endsWith('-}}')
    const marks = names.map((name) => `{% unless ${name} %}${BLANK}{% endunless %}`).join('')
    return piece + (trims ? marks.replace(/%\}$/, '-%}') : marks)
  })
  return marked.join('')
}

function listVariables(expression: string, known: ReadonlyMap<string, string[]>): string[] {
  if (/\|\s*default\b/.test(expression)) return []
  return [...new Set(expression.match(/[A-Za-z_][\w-]*/g)?.flatMap((word) => known.get(word) ?? []))]
}

export const hasBlank = (text: string): boolean => text.includes(BLANK)

const MAX_QUOTE_LENGTH = 120

function toPlainLine(line: readonly string[]): string {
  const text = line.map((part) => (part.startsWith('<') ? (part.startsWith('<br') ? ' ' : '') : part)).join('')
  return cleanText(decode(text.replaceAll(BLANK, '…')), MAX_QUOTE_LENGTH)
}

/** Block tags, and the marks that stand for blocks (compile.ts). */
const PARTS = /(<[^<>]*>|[\ue000\ue002\ue004\ue005\ue006])/
const BOUNDARY =
  /^(?:[\ue000-\ue006]|<\/?(?:blockquote|center|div|h[1-6]|hr|li|ol|p|pre|table|tbody|td|tfoot|th|thead|tr|ul)\b)/
const PARAGRAPH = /^<(?:h[1-6]|li|p)\b/

/** Expects clean HTML. `leftOut`: the removed text. */
export function removeBlankParagraphs(html: string): { html: string; leftOut: string[] } {
  if (!hasBlank(html)) return { html, leftOut: [] }
  const leftOut: string[] = []
  let result = ''
  let segment: string[] = []
  let isParagraph = false
  const end = () => {
    for (const line of isParagraph ? [segment] : splitLines(segment)) {
      if (line.some(hasBlank)) leftOut.push(toPlainLine(line))
      result += line.some(hasBlank) ? listUnpairedTags(line) + BLANK : line.join('')
    }
    segment = []
  }
  for (const part of html.split(PARTS)) {
    if (!BOUNDARY.test(part)) {
      segment.push(part)
      continue
    }
    end()
    result += part
    isParagraph = PARAGRAPH.test(part)
  }
  end()
  return { html: removeEmptied(result), leftOut: leftOut.filter(Boolean) }
}

/** Outside of paragraphs, lines are the unit to remove. */
function splitLines(segment: readonly string[]): string[][] {
  const lines: string[][] = [[]]
  for (const part of segment) {
    if (part.startsWith('<br')) lines.push([part])
    else lines.at(-1)!.push(part)
  }
  return lines
}

/** The tags of a line that are opened before it or closed after it. */
function listUnpairedTags(line: readonly string[]): string {
  const open: string[] = []
  let closing = ''
  for (const part of line) {
    if (!part.startsWith('<') || /^<(?:br|img)\b/.test(part)) continue
    if (!part.startsWith('</')) open.push(part)
    else if (open.pop() === undefined) closing += part
  }
  return closing + open.join('')
}

const ROW = /<tr(?: [^<>]*)?>\s*(?:<t[dh](?: [^<>]*)?>\s*\ue007\s*<\/t[dh]>\s*)+<\/tr>/g
const SPACE = '(?:\\s|&nbsp;|<br(?: [^<>]*)?>)*'
const EMPTIED = new RegExp(
  `<(blockquote|center|div|h[1-6]|li|ol|p|pre|table|tbody|ul)(?: [^<>]*)?>${SPACE}\\ue007(?:\\s|&nbsp;|<br(?: [^<>]*)?>|\\ue007)*</\\1>`,
  'g',
)

/** Removes emptied blocks and everything that only wrapped them. */
function removeEmptied(html: string): string {
  let [before, after] = ['', html]
  for (let depth = 0; before !== after && depth < 20; depth++) {
    before = after
    after = before.replace(ROW, BLANK).replace(EMPTIED, BLANK)
  }
  return after.replaceAll(BLANK, '\n')
}
