// HTML from templates that escape everything put into them, unless it is HTML made here.
import { encode } from 'html-entities'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | null | false | readonly Html[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((out, string, at) => out + textOf(parts[at - 1] ?? null) + string))
}

function textOf(part: Part): string {
  if (part === null || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return encode(String(part).replace(/[\u202a-\u202e\u2066-\u2069]/g, ''))
}
