// The plugin's translations, from the text form (.po) to the form WordPress loads (.mo).

interface Entry {
  id: string
  text: string
}

/** Entries in the order of the file; the first, with an empty id, is the catalogue's header. Without plurals and contexts, which we have none of. */
export function readCatalogue(source: string): Entry[] {
  return source
    .split(/\n{2,}/)
    .map((block) => ({ id: partOf(block, 'msgid'), text: partOf(block, 'msgstr') }))
    .filter((entry): entry is Entry => entry.id !== null && entry.text !== null)
}

function partOf(block: string, keyword: string): string | null {
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

const MAGIC = 0x950412de
const HEAD = 28

/** Ids sorted by bytes, as readers search them by halves. */
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
