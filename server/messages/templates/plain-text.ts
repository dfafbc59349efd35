// Writes a document as a text template: lists, exports and older clients read an email as subject and body. What the
// text cannot say (colors, layouts, pictures) is left out. Owners' words are escaped, so that they stay words. Pure.
import type { Block, Inline, MailDocument, Show, ValueName } from '../../../shared/messages/mail-document.ts'
import { listShownPoints } from '../../../shared/messages/mail-points.ts'
import { isHtml } from './compile.ts'

export function toTemplateText(document: MailDocument): { subject: string; body: string } {
  const { subject, bands } = document
  const isMarkup = bands.some(({ blocks }) => blocks.some(hasMarkup))
  const written = bands.map(({ show, blocks }) =>
    wrap(
      show,
      blocks.map((block) => writeBlock(block, isMarkup)),
    ),
  )
  return {
    subject: writeSubject(subject),
    body: written.filter(Boolean).join('\n\n'),
  }
}

/** One line, which is never HTML. */
const writeSubject = (subject: MailDocument['subject']): string =>
  Array.isArray(subject) ? toLine(joinPieces(subject.flatMap(toPieces), splitBraces)) : subject.source.trim()

const hasMarkup = (block: Block): boolean =>
  block.type === 'columns' ? block.columns.flat().some(hasMarkup) : block.type === 'legacy_text' && isHtml(block.source)

/** Words, or Liquid. */
type Piece = { words: string } | { liquid: string }

const words = (text: string): Piece => ({ words: text })
const liquid = (text: string): Piece => ({ liquid: text })

/** The conditions of a text template have no saving; the amount of the coupon stands for it. */
const toVariable = (name: ValueName): string => (name === 'coupon_saving' ? 'coupon_amount' : name)

function toPieces(inline: Inline): Piece[] {
  if (inline.kind === 'break') return [words('\n')]
  if (inline.kind === 'value') {
    const fallback = cleanFallback(inline.fallback ?? '')
    return [liquid(`{{ ${toVariable(inline.name)}${fallback && ` | default: '${fallback}'`} }}`)]
  }
  const { href, text } = inline
  const run = words(text.replace(/\s+/g, ' '))
  if (href === undefined || href === 'shop' || href === text) return [run]
  if (href === 'cart') return [run, words(' ('), liquid('{{ checkout_link }}'), words(')')]
  return [run, words(` (${href.replace(/^mailto:/, '')})`)]
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
function joinPieces(pieces: readonly Piece[], encode: (words: string) => string): string {
  const joined: string[] = []
  let run = ''
  for (const piece of [...pieces, liquid('')]) {
    if ('words' in piece) {
      run += piece.words
      continue
    }
    joined.push(encode(run), piece.liquid)
    run = ''
  }
  return joined.join('')
}

/** Neither Liquid nor HTML. */
const escapeWords = (text: string): string => splitBraces(text).replace(/<(?=\/?[a-z]|\/?$)/gi, '< ')

const encodeWords = (text: string): string =>
  splitBraces(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>')

/** A brace at the end may stand before Liquid. */
const splitBraces = (text: string): string => text.replace(/\{(?=[{%]|$)/g, '{ ')

function writeBlock(block: Block, isMarkup: boolean): string {
  if (block.type === 'columns') {
    return wrap(
      block.show,
      block.columns.flat().map((each) => writeBlock(each, isMarkup)),
    )
  }
  const text = writeContent(block, isMarkup)
  const show = block.type === 'coupon' && block.show === 'always' ? 'with_coupon' : block.show
  return wrap(show, [text])
}

function writeContent(block: Exclude<Block, { type: 'columns' }>, isMarkup: boolean): string {
  const paragraph = (pieces: readonly Piece[], tag = 'p') => {
    const text = tidy(joinPieces(pieces, isMarkup ? encodeWords : escapeWords))
    return isMarkup && text ? `<${tag}>${text}</${tag}>` : text
  }
  switch (block.type) {
    case 'heading': {
      const line = block.inlines.flatMap((inline) => (inline.kind === 'break' ? [words(' ')] : toPieces(inline)))
      const text = paragraph(line, `h${block.level}`)
      return text && !isMarkup ? `# ${text}` : text
    }
    case 'text':
      return paragraph(block.inlines.flatMap(toPieces))
    case 'coupon':
      return [
        paragraph(block.inlines.flatMap(toPieces)),
        paragraph([words('Your code: '), liquid('{{ coupon_code }}')]),
      ]
        .filter(Boolean)
        .join('\n\n')
    case 'image':
      return block.isDecorative ? '' : paragraph([words(toLine(block.alt))])
    case 'items':
      // The rest follows the first.
      return block.part === 'rest' ? '' : '{{ cart_items }}'
    case 'totals':
      return paragraph([words(`${toLabel(block.label) || 'Total'}: `), liquid(`{{ ${block.amount} }}`)])
    case 'button':
      return writeButton(block, paragraph)
    case 'product':
      return paragraph([words(toLine(block.label))])
    case 'trust':
      return paragraph(
        listShownPoints(block.points).flatMap(({ title, text }, at) => [
          words(at === 0 ? '' : '\n'),
          words([title, text].map(toLine).filter(Boolean).join(': ')),
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
  paragraph: (pieces: readonly Piece[]) => string,
): string {
  if (href === 'cart') return '{{ checkout_link }}'
  const caption = toLine(label)
  if (href === 'shop') return paragraph(caption ? [words(caption)] : [liquid('{{ store_name }}')])
  const address = href.replace(/^mailto:/, '')
  return paragraph([words(caption ? `${caption}: ${address}` : address)])
}

const toLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A label ends at the colon. */
const toLabel = (label: string): string => toLine(label.replace(/[{}:]/g, ' '))

/** With one empty line at most. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map(toLine)
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
