// Opens a template of text as a document, without a changed word: what has a form in blocks becomes one, and everything
// else stays verbatim in a `legacy_text` block, which today's sandbox renders. Nothing is migrated in the database. Pure.
import {
  type Block,
  type Inline,
  type MailDocument,
  MailDocumentSchema,
  mailLimits,
  OPENED_BAND,
  type Show,
  valueNames,
} from '../../../shared/messages/mail-document.ts'
import { TEXT_ITEMS } from './blocks.ts'
import { isHtml, parseLine } from './compile.ts'
import { TemplateError } from './context.ts'
import { isOnlyTags, splitLiquid } from './scan.ts'

type LegacySubject = Extract<MailDocument['subject'], { kind: 'legacy_text' }>
/** A block before it has an id. */
type Content = Block extends infer Each ? (Each extends Block ? Omit<Each, 'id' | 'show'> : never) : never

/** Throws a TemplateError for a text that is longer than a mail may be. */
export function openTemplate({ subject, body }: { subject: string; body: string }): MailDocument {
  const source = body.replaceAll('\r\n', '\n')
  const opened = openBody(source)
  const document = buildDocument(subject, opened) ?? buildDocument(subject, openWhole(source))
  if (!document) throw new TemplateError('limit_exceeded', 'The message is too long. Please shorten it.')
  return document
}

function openBody(source: string): Opened[] {
  if (isHtml(source) || !isBalanced(source)) return openWhole(source)
  const units = listUnits(source)
  return units.length > mailLimits.blocks ? openWhole(source) : openUnits(units, source)
}

/** null: more than a mail may have. */
function buildDocument(subject: string, opened: readonly Opened[]): MailDocument | null {
  const blocks = opened.length > 0 ? opened : [{ content: textContent([]), show: 'always' as const }]
  const { data } = MailDocumentSchema.safeParse({
    version: 1,
    theme: 'letter',
    subject: openSubject(subject),
    preview: [],
    bands: [
      {
        id: OPENED_BAND,
        blocks: blocks.map(({ content, show }, at) => ({
          ...content,
          show,
          id: `block${String(at + 1).padStart(4, '0')}`,
        })),
      },
    ],
    footer: {},
  })
  return data ?? null
}

function openSubject(source: string): Inline[] | LegacySubject {
  const inlines = parseInlines(source, false)
  return inlines && inlines.length <= mailLimits.subjectRuns ? inlines : { kind: 'legacy_text', source }
}

interface Opened {
  content: Content
  show: Show
}

const openWhole = (source: string): Opened[] => (source.trim() ? [{ content: legacy(source), show: 'always' }] : [])

const legacy = (source: string): Content => ({ type: 'legacy_text', source })
const textContent = (inlines: Inline[]): Content => ({ type: 'text', size: 'body', align: 'start', inlines })

/** A line that is a block, or the lines of a paragraph, with its place in the source. */
interface Unit {
  lines: string[]
  from: number
  to: number
}

function listUnits(source: string): Unit[] {
  const units: Unit[] = []
  let from = 0
  let open: Unit | null = null
  for (const raw of source.split('\n')) {
    const to = from + raw.length
    const line = raw.trim()
    const isBlock = line !== '' && parseLine(line).kind !== 'text'
    if (line === '') {
      // One line of blanks does not end a paragraph; an empty one does.
      if (raw === '') open = null
    } else if (isBlock || open === null) {
      const unit = { lines: [line], from, to }
      units.push(unit)
      open = isBlock ? null : unit
    } else {
      open.lines.push(line)
      open.to = to
    }
    from = to + 1
  }
  return units
}

const listTags = (text: string): string[] =>
  splitLiquid(text).filter((piece, at) => at % 2 === 1 && piece.startsWith('{%'))

const OPENING = /^\{%-?\s*(?:if|unless|for|comment)\b/
const CLOSING = /^\{%-?\s*end(?:if|unless|for|comment)\b/

/** How many tags stay open (or are closed) by a text. */
const measureDepth = (text: string): number =>
  listTags(text).reduce((depth, tag) => depth + (OPENING.test(tag) ? 1 : CLOSING.test(tag) ? -1 : 0), 0)

const isBalanced = (source: string): boolean => measureDepth(source) === 0

function openUnits(units: readonly Unit[], source: string): Opened[] {
  const opened: Opened[] = []
  for (let at = 0; at < units.length; ) {
    const end = findRegionEnd(units, at)
    const region = units.slice(at, end)
    opened.push(...(openRegion(region) ?? openWhole(source.slice(region[0]!.from, region.at(-1)!.to))))
    at = end
  }
  return opened
}

/** The unit after those that belong together: up to the last that closes a tag, or uses an assigned name. */
function findRegionEnd(units: readonly Unit[], at: number): number {
  let end = at
  let depth = 0
  do {
    depth += measureDepth(units[end]!.lines.join('\n'))
    end += 1
  } while (depth > 0 && end < units.length)
  const names = listAssigned(units.slice(at, end))
  if (names.length === 0) return end
  const uses = (unit: Unit) => names.some((name) => unit.lines.some((line) => line.includes(name)))
  const last = units.findLastIndex((unit, index) => index >= end && uses(unit))
  if (last < 0) return end
  let until = end
  while (until <= last) until = findRegionEnd(units, until)
  return until
}

const listAssigned = (units: readonly Unit[]): string[] =>
  units.flatMap(({ lines }) =>
    lines.flatMap((line) => listTags(line).flatMap((tag) => /^\{%-?\s*assign\s+([\w-]+)/.exec(tag)?.[1] ?? [])),
  )

/** null: it has no form in blocks. */
function openRegion(region: readonly Unit[]): Opened[] | null {
  const [first] = region
  const line = first!.lines[0]!
  if (!isOnlyTags(line)) {
    const content = openUnit(first!)
    return region.length === 1 && content ? [{ content, show: 'always' }] : null
  }
  const shows = readCondition(line)
  const last = region.at(-1)!.lines[0]!
  if (!shows || region.length < 3 || !/^\{%-?\s*end(?:if|unless)\s*-?%\}$/.test(last)) return null
  const opened: Opened[] = []
  let show: Show | null = shows.shown
  for (const unit of region.slice(1, -1)) {
    if (/^\{%-?\s*else\s*-?%\}$/.test(unit.lines[0]!)) {
      if (show !== shows.shown) return null
      show = shows.otherwise
      continue
    }
    const content = openUnit(unit)
    if (!content || show === null) return null
    opened.push({ content, show })
  }
  return opened
}

function readCondition(line: string): { shown: Show; otherwise: Show | null } | null {
  const inner = line.startsWith('{%') && line.endsWith('%}') ? line.slice(2, -2).replace(/^-|-$/g, '').trim() : ''
  const space = inner.search(/\s/)
  const [tag, condition] = [inner.slice(0, Math.max(0, space)), inner.slice(space).trim()]
  if (tag !== 'if' && tag !== 'unless') return null
  if (/^(?:discounted_total\s*==\s*cart_total|cart_total\s*==\s*discounted_total)$/.test(condition)) {
    return tag === 'if' ? { shown: 'total_unchanged', otherwise: null } : null
  }
  if (/^cart_items\.size\s*>\s*1$/.test(condition) && tag === 'if') return { shown: 'several_items', otherwise: null }
  const name = /^coupon_(?:code|amount|offer|minimum|expires)$/.exec(condition)?.[0]
  if (name === undefined) return null
  const [has, lacks] = [`has:${name}` as Show, `lacks:${name}` as Show]
  return tag === 'if' ? { shown: has, otherwise: lacks } : { shown: lacks, otherwise: has }
}

/** null: it has no form in blocks. */
function openUnit({ lines }: Unit): Content | null {
  const parsed = parseLine(lines[0]!)
  switch (parsed.kind) {
    case 'items':
      return { type: 'items', ...TEXT_ITEMS }
    case 'button':
      return { type: 'button', label: '', href: 'cart', isWide: false, style: 'solid', align: 'start' }
    case 'heading': {
      const inlines = parseInlines(parsed.text, true)
      return inlines && { type: 'heading', level: 1, align: 'start', inlines }
    }
    case 'amount': {
      const amount = parsed.amount.includes('discounted_total') ? 'discounted_total' : 'cart_total'
      return { type: 'totals', label: parsed.label.trim(), amount, hasBefore: false }
    }
    case 'tags':
      return null
    case 'text': {
      const inlines = parseInlines(lines.join('\n'), true)
      return inlines && textContent(inlines)
    }
  }
}

const VALUE = /^\{\{\s*([a-z_]+)\s*(?:\|\s*default\s*:\s*(?:'([^'"\\]{1,80})'|"([^'"\\]{1,80})")\s*)?\}\}$/

/** Words with values, breaks and bare addresses as links; null: they have another form. `hasLinks`: of a body. */
function parseInlines(source: string, hasLinks: boolean): Inline[] | null {
  const inlines: Inline[] = []
  const pieces = splitLiquid(source)
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 0) {
      if (/\{\{|\{%/.test(piece)) return null
      const runs = splitRuns(piece, hasLinks, pieces[at + 1] !== undefined)
      if (!runs) return null
      inlines.push(...runs)
      continue
    }
    const value = parseValue(piece, pieces[at + 1] ?? '', hasLinks)
    if (!value) return null
    inlines.push(value)
  }
  return inlines.length <= 200 ? inlines : null
}

function parseValue(piece: string, after: string, hasLinks: boolean): Inline | null {
  const [, name, single, double] = VALUE.exec(piece) ?? []
  const known = valueNames.find((each) => each === name && each !== 'coupon_saving')
  const fallback = single ?? double
  if (known === undefined) return null
  if (known !== 'checkout_link') return { kind: 'value', name: known, ...(fallback && { fallback }), marks: [] }
  // What follows an address without a space would be part of it.
  const isEnded = /^[.,;:!?)]{0,20}(?:\s|$)/.test(after)
  return hasLinks && isEnded && fallback === undefined ? { kind: 'value', name: known, marks: [] } : null
}

const ADDRESS = /(https?:\/\/[^\s<>"']+)/i

function splitRuns(text: string, hasLinks: boolean, isBeforeValue: boolean): Inline[] | null {
  const parts = hasLinks ? text.split(ADDRESS) : [text]
  const runs: Inline[] = []
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0) {
      runs.push(...splitLines(part))
      continue
    }
    const address = part.replace(/[.,;:!?)\]]{1,20}$/, '')
    const isLast = at === parts.length - 2 && parts.at(-1) === ''
    if ((isLast && isBeforeValue) || !isPlainAddress(address)) return null
    runs.push({ kind: 'text', text: address, marks: [], href: address })
    runs.push(...splitLines(part.slice(address.length)))
  }
  return runs.every((run) => run.kind !== 'text' || run.text.length <= 5_000) ? runs : null
}

function isPlainAddress(address: string): boolean {
  const url = URL.parse(address)
  return address.length <= 2_000 && url !== null && !url.username && !url.password
}

function splitLines(text: string): Inline[] {
  const runs: Inline[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) runs.push({ kind: 'break' })
    if (line) runs.push({ kind: 'text', text: line, marks: [] })
  }
  return runs
}
