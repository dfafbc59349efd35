import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import {
  fillWording,
  type Language,
  languages,
  type OwnWording,
  type Wording,
  wordingFields,
} from '../../../shared/delivery/preferences.ts'
import { loadShopBrand } from '../../carts/brand/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// The owner's texts on the preference page.

export interface OwnWordings {
  storeName: string
  brand: ShopBrand
  wordings: Record<Language, OwnWording>
  /** Version of the last change; `none` before the first. */
  version: string
}

/** The texts shown to shoppers, in every language. */
export async function loadWordings(store: StoreDb, storeName: string): Promise<Record<Language, Wording>> {
  const own = ownIn(await sql.readWordings(store))
  return mapLanguages((language) => fillWording(own[language], language, storeName))
}

export async function readOwnWordings(store: StoreDb): Promise<OwnWordings> {
  const rows = await sql.readWordings(store)
  const storeName = await sql.storeName(store)
  return { storeName, brand: await loadShopBrand(store), wordings: ownIn(rows), version: buildVersion(rows) }
}

/** Saves the texts. Throws `conflict` if another change was saved since `version`. */
export async function saveOwnWordings(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  { wordings, version }: { wordings: { [L in Language]?: OwnWording | undefined }; version: string },
): Promise<OwnWordings> {
  return transact(store, async (tx) => {
    await sql.lockStore(tx)
    if (buildVersion(await sql.readWordings(tx)) !== version) {
      throw new AppError('conflict', 'Someone else has changed this text. Reload the page to see their version.')
    }
    const rows = languages.flatMap((language) => {
      const own = wordings[language]
      return own ? [{ language, ...cleanWording(own) }] : []
    })
    await sql.writeWordings(tx, rows, deps.now())
    return readOwnWordings(tx)
  })
}

/** An empty text means the built-in one. */
function cleanWording(own: OwnWording): OwnWording {
  return Object.fromEntries(wordingFields.map((field) => [field, own[field]?.trim() || null])) as OwnWording
}

function ownIn(rows: readonly sql.WordingRow[]): Record<Language, OwnWording> {
  return mapLanguages((language) => {
    const row = rows.find((each) => each.language === language)
    return Object.fromEntries(wordingFields.map((field) => [field, row?.[field] ?? null])) as OwnWording
  })
}

const buildVersion = (rows: readonly { updated_at: Date }[]): string =>
  rows.length === 0 ? 'none' : new Date(Math.max(...rows.map((row) => row.updated_at.getTime()))).toISOString()

const mapLanguages = <T>(make: (language: Language) => T) =>
  Object.fromEntries(languages.map((language) => [language, make(language)])) as Record<Language, T>
