import {
  type BrandFields,
  BrandFieldsSchema,
  type BrandKit,
  type BrandLogo,
  contrastProblems,
  DEFAULT_BRAND,
  DEFAULT_BRAND_FIELDS,
  removeLogoAlt,
} from '../../../shared/messages/brand.ts'

// Converts a stored brand kit to the one used in mails. Pure.

export interface StoredLogo {
  hash: string
  type: 'png' | 'jpeg'
  width: number
  height: number
}

export interface StoredBrand {
  storeId: string
  look: Partial<BrandFields>
  logo: StoredLogo | null
}

/** Brand kit for mails. A part stored by an older version in another format gets its default. */
export function toBrandKit(stored: StoredBrand | null | undefined): BrandKit {
  if (!stored) return DEFAULT_BRAND
  const look = toLook(stored.look)
  const logo = stored.logo && { ...presentLogo(stored.storeId, stored.logo), alt: look.logoAlt }
  return { ...removeLogoAlt(look), logo }
}

export function toLook(stored: Partial<BrandFields>): BrandFields {
  const parts = Object.entries(BrandFieldsSchema.shape).flatMap(([name, part]) => {
    const read = part.safeParse(stored[name as keyof BrandFields])
    return read.success ? [[name, read.data]] : []
  })
  const look = { ...DEFAULT_BRAND_FIELDS, ...(Object.fromEntries(parts) as Partial<BrandFields>) }
  // A single color may not be readable with the default of another.
  return Object.keys(contrastProblems(look)).length === 0 ? look : { ...look, ...defaultColours() }
}

function defaultColours() {
  const { button, text, ground, accent } = DEFAULT_BRAND_FIELDS
  return { button, text, ground, accent }
}

/** The address below which a store's logos and pictures are. */
export const buildAssetsUrl = (publicUrl: string, storeId: string): string => `${publicUrl}/brand/${storeId}`

export const presentLogo = (storeId: string, { hash, type, width, height }: StoredLogo): Omit<BrandLogo, 'alt'> => ({
  path: `/brand/${storeId}/${hash}.${type === 'png' ? 'png' : 'jpg'}`,
  width,
  height,
})
