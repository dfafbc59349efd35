import type { ListQuery } from './rules.ts'

// The keys of what is asked about notifications. The first word is the one that `web/live/rules.ts` refreshes by.

export const countKey = (storeId: string | undefined) => ['notifications', storeId, 'count'] as const

/** Of all answers that hold notifications. */
export const listsKey = (storeId: string) => ['notifications', storeId, 'lists'] as const
export const bellKey = (storeId: string) => [...listsKey(storeId), 'bell'] as const
export const newCartsKey = (storeId: string) => [...listsKey(storeId), 'new-carts'] as const
export const pagesKey = (storeId: string) => [...listsKey(storeId), 'page'] as const
export const pageKey = (storeId: string, query: ListQuery) => [...pagesKey(storeId), query] as const
export const oneKey = (storeId: string, id: string) => [...listsKey(storeId), 'one', id] as const
