import type { ReactNode } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import { platformNames } from '../../../shared/platforms/platforms.ts'

/** What connecting read from the store. */
export function listStoreFacts(store: StoreView): [string, ReactNode][] {
  return [
    ['Platform', `${platformNames[store.platform]} ${store.version}`],
    ['Currency', store.currency],
    ['Time zone', store.timeZone],
    ['Country', countries(store.baseCountry ? [store.baseCountry] : null) ?? 'Not set'],
    ['Sells to', countries(store.sellingCountries) ?? 'All countries'],
    ...listRights(store),
  ]
}

/** What keys and plan allow. */
function listRights({ rights, canWrite }: StoreView): [string, ReactNode][] {
  if (!rights) return [['Key', canWrite ? 'Read/Write' : 'Read only']]
  return [
    ['Discounts', canWrite ? 'Recoup can create them' : 'Recoup cannot create them'],
    ['Plan', rights.planName],
    ['Orders', rights.hasAllOrders ? 'All' : 'Last 60 days'],
  ]
}

function countries(codes: string[] | null): string | null {
  if (!codes || codes.length === 0) return null
  const names = new Intl.DisplayNames('en-US', { type: 'region' })
  const visible = codes.slice(0, 8).map((code) => (/^[A-Z]{2}$/.test(code) ? names.of(code) : code))
  return visible.join(', ') + (codes.length > 8 ? ` and ${codes.length - 8} more` : '')
}
