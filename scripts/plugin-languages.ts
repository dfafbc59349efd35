// Compiles the plugin's translations from .po to the .mo files that WordPress loads.

interface Entry {
  id: string
  text: string
}

/** Entries in file order; the first, with an empty id, is the header. Does not support plurals and contexts. */
export function readCatalogue(source: string): Entry[] {
  return source
    .split(/\n{2,}/)
    .map((block) => ({ id: readPart(block, 'msgid'), text: readPart(block, 'msgstr') }))
    .filter((entry): entry is Entry => entry.id !== null && entry.text !== null)
}

function readPart(block: string, keyword: string): string | null {
  const lines = block.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`${keyword} `))
  if (start === -1) return null
  const end = lines.findIndex((line, place) => place > start && !line.startsWith('"'))
  const quoted = [lines[start]!.slice(keyword.length + 1), ...lines.slice(start + 1, end === -1 ? undefined : end)]
  return quoted
    .filter((line) => line.startsWith('"'))
    .map((line) => JSON.parse(line) as string)
    .join('')
}

/** Builds the .pot template: each text once, with its places and notes for translators. */
export function writeTemplate(files: readonly { name: string; content: string }[], version: string): string {
  const found = new Map<string, { places: string[]; notes: string[] }>()
  for (const { name, content } of files) {
    for (const call of content.matchAll(TEXTS)) {
      const [whole, note, text] = call
      const line = content.slice(0, call.index + whole.length).split('\n').length
      const id = text!.replace(/\\(['\\])/g, '$1')
      const entry = found.get(id) ?? { places: [], notes: [] }
      entry.places.push(`${name}:${line}`)
      if (note && !entry.notes.includes(note)) entry.notes.push(note)
      found.set(id, entry)
    }
  }
  const head = [
    'msgid ""',
    'msgstr ""',
    ...[
      `Project-Id-Version: Recoup for WooCommerce ${version}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=UTF-8',
      'Content-Transfer-Encoding: 8bit',
      'X-Domain: recoup-for-woocommerce',
    ].map((line) => JSON.stringify(`${line}\n`)),
  ].join('\n')
  const blocks = [...found].map(([id, { places, notes }]) =>
    [
      ...notes.map((note) => `#. ${note}`),
      ...places.map((place) => `#: ${place}`),
      ...(/%(?:\d\$)?[sd]/.test(id) ? ['#, php-format'] : []),
      `msgid ${JSON.stringify(id)}`,
      'msgstr ""',
    ].join('\n'),
  )
  return `${[head, ...blocks].join('\n\n')}\n`
}

/** A translated text, after an optional note for translators. */
const TEXTS =
  // Bounded: our own source files.
  /(?:\/\* (translators: [^\n]*?) \*\/\s*[^;]{0,80}?)?\b(?:__|esc_html__|esc_attr__)\(\s*'((?:[^'\\]|\\.)*)'/g

const MAGIC = 0x950412de
const HEAD = 28

/** Sorts ids by bytes, because readers use binary search. */
export function compileCatalogue(source: string): Buffer {
  const entries = readCatalogue(source).filter(({ text }) => text !== '')
  const pairs = entries
    .map(({ id, text }) => ({ id: Buffer.from(id), text: Buffer.from(text) }))
    .sort((a, b) => Buffer.compare(a.id, b.id))
  const tables = HEAD + pairs.length * 16
  const head = Buffer.alloc(tables)
  head.writeUInt32LE(MAGIC, 0)
  head.writeUInt32LE(pairs.length, 8)
  head.writeUInt32LE(HEAD, 12)
  head.writeUInt32LE(HEAD + pairs.length * 8, 16)
  head.writeUInt32LE(tables, 24)
  const texts: Buffer[] = []
  let at = tables
  const place = (text: Buffer, slot: number) => {
    head.writeUInt32LE(text.length, slot)
    head.writeUInt32LE(at, slot + 4)
    texts.push(text, Buffer.from([0]))
    at += text.length + 1
  }
  for (const [index, { id }] of pairs.entries()) place(id, HEAD + index * 8)
  for (const [index, { text }] of pairs.entries()) place(text, HEAD + (pairs.length + index) * 8)
  return Buffer.concat([head, ...texts])
}
