import type { ListQuery } from './rules.ts'

// Query keys of notifications. `web/live/rules.ts` refreshes by their first part.

export const countKey = (storeId: string | undefined) => ['notifications', storeId, 'count'] as const

/** Key of all answers that contain notifications. */
export const listsKey = (storeId: string) => ['notifications', storeId, 'lists'] as const
export const bellKey = (storeId: string) => [...listsKey(storeId), 'bell'] as const
export const newCartsKey = (storeId: string) => [...listsKey(storeId), 'new-carts'] as const
export const pagesKey = (storeId: string) => [...listsKey(storeId), 'page'] as const
export const pageKey = (storeId: string, query: ListQuery) => [...pagesKey(storeId), query] as const
