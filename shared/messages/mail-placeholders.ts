import type { Block, Inline, MailDocument } from './mail-document.ts'
import { listBlockPaths } from './mail-places.ts'

// Finds placeholders that were typed as words. Nothing fills the words of a document, so shoppers would read them.

export interface Placeholder {
  text: string
  path: (string | number)[]
  /** Where it stands, a value can be inserted. */
  canHaveValue: boolean
}

const PLACEHOLDER = /\{\{.{0,200}?\}\}|\{%.{0,200}?%\}/

/** The first one outside of legacy texts, whose placeholders are filled; null: there is none. */
export function findPlaceholder(document: MailDocument): Placeholder | null {
  const { subject, preview, footer } = document
  const texts = [
    ...(Array.isArray(subject) ? listTexts({ subject }, []) : []),
    ...listTexts({ preview }, []),
    ...listBlockPaths(document).flatMap(({ block, path }) => listTexts(readWords(block), path)),
    ...listTexts({ text: footer.text }, ['footer']),
  ]
  for (const { text, ...place } of texts) {
    const found = PLACEHOLDER.exec(text)
    if (found) return { text: found[0], ...place }
  }
  return null
}

const listTexts = (fields: Record<string, string | readonly Inline[]>, path: (string | number)[]): Placeholder[] =>
  Object.entries(fields).map(([name, words]) => ({
    text: typeof words === 'string' ? words : joinRuns(words),
    path: [...path, name],
    canHaveValue: typeof words !== 'string',
  }))

/** Two runs may make a placeholder together; a break or a value ends it. */
const joinRuns = (inlines: readonly Inline[]): string =>
  inlines.map((run) => (run.kind === 'text' ? run.text : `\n${readFallback(run)}\n`)).join('')

const readFallback = (run: Inline): string => (run.kind === 'value' ? (run.fallback ?? '') : '')

function readWords(block: Block): Record<string, string | readonly Inline[]> {
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'coupon':
      return { inlines: block.inlines }
    case 'button':
    case 'totals':
    case 'product':
      return { label: block.label }
    case 'image':
      return { alt: block.alt }
    case 'trust':
      return { points: block.points.map(({ title, text }) => `${title}\n${text}`).join('\n') }
    default:
      return {}
  }
}
