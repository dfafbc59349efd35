import {
  buildRetentionPath,
  type DataKind,
  dataKinds,
  type KeptLanguage,
  keptLanguages,
  retentionEnds,
  retentionEndTexts,
  retentionPageTexts,
  retentionTexts,
} from '../../../shared/workspace/kept.ts'
import { readStore } from '../../access/stores/public.ts'
import { findStoreByCaptureKey } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { accountPrivacyTables, privacyTables } from './tables.ts'

// The page “What we keep of a shopper” for owners and shoppers, generated from the registry of tables in the shopper's
// language.

/** Kinds of data in the registry, in the page's order. */
export const listStoredKinds = (): DataKind[] => {
  const kinds = new Set([...privacyTables, ...accountPrivacyTables].map((table) => table.dataKind))
  return dataKinds.filter((name) => kinds.has(name))
}

/** null: unknown key, or the store is not connected. */
export async function renderRetentionPage(
  deps: Pick<Deps, 'db'>,
  key: string,
  language: KeptLanguage,
): Promise<string | null> {
  const found = await findStoreByCaptureKey(deps.db, key)
  const store = found?.is_active ? await readStore({ storeId: found.id, db: deps.db }) : undefined
  if (!store) return null
  return html({
    language,
    key,
    storeName: store.sender_name || store.name || new URL(store.home_url).hostname,
    contact: store.sender_email ?? new URL(store.home_url).hostname,
    days: store.retention_days,
  })
}

interface Page {
  language: KeptLanguage
  key: string
  storeName: string
  contact: string
  days: number | null
}

const MARKS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => MARKS[mark]!)

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:42rem;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.05rem;margin:1.75rem 0 .25rem}p{margin:.25rem 0}.end{opacity:.8;font-size:.9rem}nav{text-align:right}a{color:inherit}`

function html({ language, key, storeName, contact, days }: Page): string {
  const texts = retentionPageTexts[language]
  const other = keptLanguages.find((each) => each !== language)!
  const sections = listStoredKinds().map((name) => {
    const { title, text } = retentionTexts[language][name]
    const end = retentionEndTexts[language](retentionEnds[name], days)
    return `<section><h2>${escapeHtml(title)}</h2><p>${escapeHtml(text)}</p><p class="end">${texts.ends}: ${escapeHtml(end)}</p></section>`
  })
  const title = `${texts.title} · ${storeName}`
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><nav aria-label="Language"><a href="${buildRetentionPath(key)}?lang=${other}" lang="${other}" hreflang="${other}">${texts.other}</a></nav>
<main><h1>${texts.title}</h1><p>${escapeHtml(texts.intro(storeName))}</p>
${sections.join('\n')}
<section><h2>${texts.rights}</h2><p>${escapeHtml(texts.rightsText(contact))}</p></section></main></body></html>`
}
