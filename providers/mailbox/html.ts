// HTML templates that escape all values except HTML from this module.
import { encode } from 'html-entities'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | null | false | readonly Html[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((out, string, at) => out + renderPart(parts[at - 1] ?? null) + string))
}

function renderPart(part: Part): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return encode(String(part).replace(/[\u202a-\u202e\u2066-\u2069]/g, ''))
}
