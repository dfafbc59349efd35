// Reads text by index: each character is looked at a fixed number of times, whatever the text is. Pure.

/**
 * Text and Liquid in turn: every second piece is one `{{ … }}` or `{% … %}`, and what is not closed is text. Joined, the pieces are
 * the source.
 */
export function liquidPieces(source: string): string[] {
  const pieces: string[] = []
  // A close that is missing once is missing for everything that follows.
  const missing = new Set<string>()
  let from = 0
  let at = source.indexOf('{')
  while (at >= 0) {
    const close = { '{': '}}', '%': '%}' }[source[at + 1] ?? '']
    const end = close === undefined || missing.has(close) ? -1 : source.indexOf(close, at + 2)
    if (end >= 0) {
      pieces.push(source.slice(from, at), source.slice(at, end + 2))
      from = end + 2
    } else if (close !== undefined) missing.add(close)
    at = source.indexOf('{', end < 0 ? at + 1 : from)
  }
  pieces.push(source.slice(from))
  return pieces
}

/** The tags (`{% … %}`) of a text, in order. */
export const tagsOf = (source: string): string[] =>
  liquidPieces(source).filter((piece, at) => at % 2 === 1 && piece.startsWith('{%'))

/** A line that holds tags and nothing else. */
export function isOnlyTags(line: string): boolean {
  const pieces = liquidPieces(line)
  return pieces.length > 1 && pieces.every((piece, at) => (at % 2 === 0 ? piece.trim() === '' : piece.startsWith('{%')))
}

/** `(1..9)`: the one place where Liquid has two dots within parentheses. */
export function hasRange(tag: string): boolean {
  let isOpen = false
  let hasDots = false
  for (let at = 0; at < tag.length; at++) {
    if (tag[at] === '(') [isOpen, hasDots] = [true, false]
    else if (tag[at] === ')' && isOpen && hasDots) return true
    else if (tag[at] === ')') isOpen = false
    else if (isOpen && tag.startsWith('..', at)) hasDots = true
  }
  return false
}

/** Without the blanks and tabs before its end. */
export function trimBlanksEnd(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1
  return line.slice(0, end)
}

/** Lines without blanks at their ends, and never more than one empty line between two others. */
export function tidyLines(text: string): string {
  const lines: string[] = []
  for (const each of text.replaceAll('\r\n', '\n').split('\n')) {
    const line = each.trim() === '' ? '' : trimBlanksEnd(each)
    if (line !== '' || lines.at(-1) !== '') lines.push(line)
  }
  return lines.join('\n').trim()
}
