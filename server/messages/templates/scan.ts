// Scans text by index: each character is read a fixed number of times, for any text. Pure.

/**
 * Splits a text into alternating text and Liquid: every second part is one `{{ … }}` or `{% … %}`; an unclosed one is
 * text. The joined parts equal the source.
 */
export function splitLiquid(source: string): string[] {
  const pieces: string[] = []
  // Once no closing bracket is found, none follows for the rest either.
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
export const listTags = (source: string): string[] =>
  splitLiquid(source).filter((piece, at) => at % 2 === 1 && piece.startsWith('{%'))

/** Whether a line consists of tags only. */
export function isOnlyTags(line: string): boolean {
  const pieces = splitLiquid(line)
  return pieces.length > 1 && pieces.every((piece, at) => (at % 2 === 0 ? piece.trim() === '' : piece.startsWith('{%')))
}

/** `(1..9)`: the only Liquid syntax with two dots within parentheses. */
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

/** Removes trailing blanks and tabs. */
export function trimTrailingBlanks(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1
  return line.slice(0, end)
}

/** Removes trailing blanks and repeated empty lines. */
export function tidyLines(text: string): string {
  const lines: string[] = []
  for (const each of text.replaceAll('\r\n', '\n').split('\n')) {
    const line = each.trim() === '' ? '' : trimTrailingBlanks(each)
    if (line !== '' || lines.at(-1) !== '') lines.push(line)
  }
  return lines.join('\n').trim()
}
