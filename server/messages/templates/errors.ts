// Template errors in sentences for the author. Pure.
import { decode } from 'html-entities'
import { cleanText, TEMPLATE_VARIABLES, TemplateError, type TemplateProblem } from './context.ts'

export const TAGS = ['if', 'unless', 'for', 'assign', 'comment', 'break', 'continue']
export const FILTERS =
  `append capitalize ceil default divided_by downcase escape first floor join last minus plus prepend
  remove replace round size slice strip times truncate truncatewords upcase`.split(/\s+/)

export function buildVariableError(name: string, part: string): TemplateError {
  const known = TEMPLATE_VARIABLES.join(', ')
  return new TemplateError('unknown_variable', `The ${part} uses "${name}", which does not exist. Available: ${known}.`)
}

export const emptySubjectError = (): TemplateError => new TemplateError('empty_subject', 'The subject is empty.')

export const emptyBodyError = (isLeftOut: boolean): TemplateError =>
  isLeftOut
    ? new TemplateError(
        'nothing_left',
        'The message is empty: every paragraph uses a coupon variable that is empty here.',
      )
    : new TemplateError('empty_body', 'The message is empty.')

export const tooLargeError = (): TemplateError =>
  new TemplateError('too_large', 'The message is larger than email apps show in full (100 KB).')

export const leftoverError = (): TemplateError =>
  new TemplateError('leftover_placeholder', 'The message still contains {{ or {% after its variables were filled in.')

export const hasPlaceholder = (text: string): boolean => /\{\{|\{%/.test(text)

/** Converts a LiquidJS error. It has no codes, so its message decides. */
export function toTemplateError(error: unknown, part: string): TemplateError {
  if (error instanceof TemplateError) return error
  const message = error instanceof Error ? error.message.split('\n')[0]! : String(error)
  const undefinedName = /undefined variable: (\S+?)(,|$)/.exec(message)?.[1]
  if (undefinedName) return buildVariableError(undefinedName, part)
  return new TemplateError(classifyError(message), `The ${part} ${explainError(message, findPlace(error))}`)
}

function classifyError(message: string): TemplateProblem {
  if (/limit exceeded/.test(message)) return 'limit_exceeded'
  if (/undefined filter/.test(message)) return 'unknown_filter'
  if (/^tag .* not found/.test(message)) return 'unknown_tag'
  return /^(output|tag|illegal|unexpected|expected|invalid|unclosed|duplicated)/i.test(message)
    ? 'parse_failed'
    : 'render_failed'
}

interface Place {
  /** The `{{ … }}` or `{% … %}` concerned; empty: unknown. */
  piece: string
  /** The text before it. */
  before: string
}

const MAX_QUOTE_LENGTH = 60

function findPlace(error: unknown): Place {
  const { token } = error as { token?: { input?: unknown; begin?: unknown } }
  if (typeof token?.input !== 'string' || typeof token.begin !== 'number') return { piece: '', before: '' }
  const { input, begin } = token
  const start = Math.max(input.lastIndexOf('{{', begin + 1), input.lastIndexOf('{%', begin + 1))
  if (start < 0) return { piece: '', before: '' }
  const close = input.startsWith('{{', start) ? '}}' : '%}'
  const end = input.indexOf(close, start + 2)
  const isClosed = end >= 0
  const [snippet] = isClosed ? [input.slice(start, end + 2)] : input.slice(start).split(/\n|<\/?p|<br/)
  const text = decode(input.slice(Math.max(0, start - 200), start).replace(/<[^<>]*>/g, ' '))
  return { piece: cleanSnippet(snippet!), before: cleanText(text, 200).slice(-30).trim() }
}

/** cleanText would split its braces. */
const cleanSnippet = (snippet: string): string => {
  const [, open, rest] = /^(\{[{%])(.*)$/s.exec(snippet)!
  return `${open}${cleanText(decode(rest!), MAX_QUOTE_LENGTH) && ` ${cleanText(decode(rest!), MAX_QUOTE_LENGTH)}`}`
}

function explainError(message: string, { piece: snippet, before }: Place): string {
  const at = before ? ` after “${before}”` : ''
  const missing = /^tag "(\w+)" not found/.exec(message)?.[1]
  if (missing) return explainTag(missing)
  const filter = /undefined filter: (\S+?)(,|$)/.exec(message)?.[1]
  if (filter) return `uses the filter "${filter}", which does not exist. Available: ${FILTERS.join(', ')}.`
  if (/parse length limit/.test(message)) return 'is too long. Please shorten it.'
  if (/limit exceeded/.test(message)) return 'is too complex. Please simplify its text.'
  if (/^\{\{-? ?-?\}\}$/.test(snippet))
    return `has an empty {{ }}${at}. Put a variable between the braces, or delete them.`
  if (/^\{%-? ?-?%\}$/.test(snippet)) return `has an empty {% %}${at}. Delete it.`
  if (/^output .* not closed/.test(message)) return `has a “{{” without the “}}” that closes it: “${snippet}”.`
  if (/^tag .* not closed/.test(message)) return explainUnclosed(snippet)
  if (snippet) return `cannot be read at “${snippet}”${at}. Please correct or delete it.`
  return 'cannot be read. Please check the text between {{ }} and {% %}.'
}

function explainTag(name: string): string {
  const begin = { endif: 'if', else: 'if', elsif: 'if', endunless: 'unless', endfor: 'for', endcomment: 'comment' }[
    name
  ]
  if (begin) return `has {% ${name} %} without the {% ${begin} %} it belongs to.`
  return `uses {% ${name} %}, which does not exist. Available: ${TAGS.join(', ')}.`
}

function explainUnclosed(snippet: string): string {
  if (!snippet.endsWith('%}')) return `has a “{%” without the “%}” that closes it: “${snippet}”.`
  const name = /\w+/.exec(snippet)?.[0] ?? 'if'
  return `has “${snippet}” without the {% end${name} %} that ends it.`
}
