import type { ListQuery } from './rules.ts'

// Query keys of notifications. `web/features/live/rules.ts` refreshes by their first part.

export const countKey = (storeId: string | undefined) => ['notifications', storeId, 'count'] as const

/** Key of all answers that contain notifications. */
export const buildListsKey = (storeId: string) => ['notifications', storeId, 'lists'] as const
export const buildBellKey = (storeId: string) => [...buildListsKey(storeId), 'bell'] as const
export const buildNewCartsKey = (storeId: string) => [...buildListsKey(storeId), 'new-carts'] as const
export const buildPagesKey = (storeId: string) => [...buildListsKey(storeId), 'page'] as const
export const buildPageKey = (storeId: string, query: ListQuery) => [...buildPagesKey(storeId), query] as const
