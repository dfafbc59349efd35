// Writes a document as a text template: lists, exports and older clients read an email as subject and body. What the
// text cannot say (colors, layouts, pictures) is left out. Owners' words are escaped, so that Liquid does not read them.
// Pure.
import {
  type Block,
  type Inline,
  listBlocks,
  type MailDocument,
  type Show,
  type ValueName,
} from '../../../shared/messages/mail-document.ts'
import { listShownPoints } from '../../../shared/messages/mail-points.ts'
import { isHtml } from './compile.ts'

export function toTemplateText(document: MailDocument): { subject: string; body: string } {
  const { subject, bands } = document
  const style: TextStyle = {
    isMarkup: bands.some(({ blocks }) => blocks.some(hasMarkup)),
    hasFirstItems: listBlocks(document).some((block) => block.type === 'items' && block.part !== 'rest'),
  }
  const written = bands.map(({ show, blocks }) =>
    wrap(
      show,
      blocks.map((block) => writeBlock(block, style)),
    ),
  )
  return {
    subject: writeSubject(subject),
    body: written.filter(Boolean).join('\n\n'),
  }
}

/** One line, which is never HTML. */
const writeSubject = (subject: MailDocument['subject']): string =>
  Array.isArray(subject) ? collapseSpace(joinChunks(subject.flatMap(toChunks), splitBraces)) : subject.source.trim()

const hasMarkup = (block: Block): boolean =>
  block.type === 'columns' ? block.columns.flat().some(hasMarkup) : block.type === 'legacy_text' && isHtml(block.source)

/** The owner's words, or Liquid. */
type TextChunk = { literal: string } | { liquid: string }

const literal = (text: string): TextChunk => ({ literal: text })
const liquid = (text: string): TextChunk => ({ liquid: text })

/** The conditions of a text template have no saving; the amount of the coupon stands for it. */
const toVariable = (name: ValueName): string => (name === 'coupon_saving' ? 'coupon_amount' : name)

function toChunks(inline: Inline): TextChunk[] {
  if (inline.kind === 'break') return [literal('\n')]
  if (inline.kind === 'value') {
    const fallback = cleanFallback(inline.fallback ?? '')
    return [liquid(`{{ ${toVariable(inline.name)}${fallback && ` | default: '${fallback}'`} }}`)]
  }
  const { href, text } = inline
  const run = literal(text.replace(/\s+/g, ' '))
  if (href === undefined || href === 'shop' || href === text) return [run]
  if (href === 'cart') return [run, literal(' ('), liquid('{{ checkout_link }}'), literal(')')]
  return [run, literal(` (${href.replace(/^mailto:/, '')})`)]
}

/** A string of Liquid has no escapes. */
const cleanFallback = (text: string): string =>
  text
    .replaceAll("'", '’')
    .replaceAll('"', '”')
    .replaceAll('\\', '')
    .replace(/[{}%]/g, (sign) => ` ${sign} `)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .trim()

/** Adjacent words are escaped as one, because two runs may make a tag together. */
function joinChunks(chunks: readonly TextChunk[], encode: (words: string) => string): string {
  const joined: string[] = []
  let run = ''
  for (const chunk of [...chunks, liquid('')]) {
    if ('literal' in chunk) {
      run += chunk.literal
      continue
    }
    joined.push(encode(run), chunk.liquid)
    run = ''
  }
  return joined.join('')
}

/** Neither Liquid nor HTML. */
const escapeText = (text: string): string => splitBraces(text).replace(/<(?=\/?[a-z]|\/?$)/gi, '< ')

const encodeText = (text: string): string =>
  splitBraces(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>')

/** A brace at the end may stand before Liquid. */
const splitBraces = (text: string): string => text.replace(/\{(?=[{%]|$)/g, '{ ')

interface TextStyle {
  /** HTML. */
  isMarkup: boolean
  /** The document has a block of items that begins with the first one. */
  hasFirstItems: boolean
}

function writeBlock(block: Block, style: TextStyle): string {
  if (block.type === 'columns') {
    return wrap(
      block.show,
      block.columns.flat().map((each) => writeBlock(each, style)),
    )
  }
  const text = writeContent(block, style)
  const show = block.type === 'coupon' && block.show === 'always' ? 'with_coupon' : block.show
  return wrap(show, [text])
}

function writeContent(block: Exclude<Block, { type: 'columns' }>, { isMarkup, hasFirstItems }: TextStyle): string {
  const paragraph = (chunks: readonly TextChunk[], tag = 'p') => {
    const text = tidy(joinChunks(chunks, isMarkup ? encodeText : escapeText))
    return isMarkup && text ? `<${tag}>${text}</${tag}>` : text
  }
  switch (block.type) {
    case 'heading': {
      const line = block.inlines.flatMap((inline) => (inline.kind === 'break' ? [literal(' ')] : toChunks(inline)))
      const text = paragraph(line, `h${block.level}`)
      return text && !isMarkup ? `# ${text}` : text
    }
    case 'text':
      return paragraph(block.inlines.flatMap(toChunks))
    case 'coupon': {
      const label = paragraph(block.inlines.flatMap(toChunks))
      const code = liquid('{{ coupon_code }}')
      return label ? `${label}\n\n${paragraph([code])}` : paragraph([literal('Your code: '), code])
    }
    case 'image':
      return block.isDecorative ? '' : paragraph([literal(collapseSpace(block.alt))])
    case 'items':
      // A text lists all items at once.
      return block.part === 'rest' && hasFirstItems ? '' : '{{ cart_items }}'
    case 'totals':
      return paragraph([literal(`${toLabel(block.label) || 'Total'}: `), liquid(`{{ ${block.amount} }}`)])
    case 'button':
      return writeButton(block, paragraph)
    case 'product':
      return paragraph([literal(collapseSpace(block.label))])
    case 'trust':
      return paragraph(
        listShownPoints(block.points).flatMap(({ title, text }, at) => [
          literal(at === 0 ? '' : '\n'),
          literal([title, text].map(collapseSpace).filter(Boolean).join(': ')),
        ]),
      )
    case 'legacy_text':
      return block.source
    case 'divider':
    case 'spacer':
    case 'social':
      return ''
  }
}

function writeButton(
  { label, href }: Extract<Block, { type: 'button' }>,
  paragraph: (chunks: readonly TextChunk[]) => string,
): string {
  if (href === 'cart') return '{{ checkout_link }}'
  const caption = collapseSpace(label)
  if (href === 'shop') return paragraph(caption ? [literal(caption)] : [liquid('{{ store_name }}')])
  const address = href.replace(/^mailto:/, '')
  return paragraph([literal(caption ? `${caption}: ${address}` : address)])
}

const collapseSpace = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A label ends at the colon. */
const toLabel = (label: string): string => collapseSpace(label.replace(/[{}:]/g, ' '))

/** With one empty line at most. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map(collapseSpace)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

function wrap(show: Show, parts: readonly string[]): string {
  const text = parts.filter(Boolean).join('\n\n')
  if (show === 'always' || text === '') return text
  const [opening, closing] = writeCondition(show)
  return `${opening}\n${text}\n${closing}`
}

function writeCondition(show: Exclude<Show, 'always'>): [string, string] {
  const when = (condition: string): [string, string] => [`{% if ${condition} %}`, '{% endif %}']
  const unless = (condition: string): [string, string] => [`{% unless ${condition} %}`, '{% endunless %}']
  switch (show) {
    case 'with_coupon':
      return when('coupon_code')
    case 'without_coupon':
      return unless('coupon_code')
    case 'several_items':
      return when('cart_items.size > 1')
    case 'total_unchanged':
      return when('discounted_total == cart_total')
  }
  const [kind, name] = show.split(':') as ['has' | 'lacks', ValueName]
  return (kind === 'has' ? when : unless)(toVariable(name))
}
