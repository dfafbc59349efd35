// What a translated catalog lacks: texts, placeholders, typography.

type Catalog = { readonly [id: string]: unknown }

/** The texts of a catalog by path; functions are left to their own tests. */
function listTexts(catalog: Catalog, path = ''): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [id, value] of Object.entries(catalog)) {
    const at = `${path}${id}`
    if (typeof value === 'string') texts.set(at, value)
    else if (typeof value === 'object' && value !== null)
      for (const [key, text] of listTexts(value as Catalog, `${at}.`)) texts.set(key, text)
  }
  return texts
}

const listPlaceholders = (text: string) =>
  [...new Set([...text.matchAll(/\{\s*(\w+)\s*[},|]/g)].map(([, id]) => id))].sort()

/** Each fault as `path: fault`. An empty list: the catalog is complete. */
export function findCopyFaults(english: object, translated: object, language: string): string[] {
  const texts = listTexts(translated as Catalog)
  const faults: string[] = []
  for (const [path, original] of listTexts(english as Catalog)) {
    const text = texts.get(path)
    texts.delete(path)
    if (text === undefined || (text.trim() === '' && original.trim() !== '')) faults.push(`${path}: missing`)
    else {
      if (listPlaceholders(text).join() !== listPlaceholders(original).join())
        faults.push(`${path}: other placeholders`)
      faults.push(...findTypographyFaults(text, language).map((fault) => `${path}: ${fault}`))
    }
  }
  return [...faults, ...[...texts.keys()].map((path) => `${path}: not in English`)]
}

function findTypographyFaults(text: string, language: string): string[] {
  const faults: string[] = []
  if (/['"]/.test(text)) faults.push('straight quotes')
  if (language === 'fr' && /[^\u00a0\u202f][;!?»]|\w[ ]?:(\s|$)|« /.test(text)) faults.push('no nonbreaking space')
  return faults
}
