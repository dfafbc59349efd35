import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { ConditionNames, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { getCountryName } from '../../../shared/insights/analytics-definitions.ts'
import { findProducts } from '../../../shared/marketing/audience.ts'
import { searchCategories } from '../../../shared/marketing/flows.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { formatMoney } from '../../core/ui/format.ts'

// Names of what conditions refer to by id.

const MINUTE_MS = 60_000

export function useCategories(search: string, isEnabled: boolean) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['flow-categories', storeId, search],
    queryFn: ({ signal }) => call(searchCategories, { query: { search }, signal }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
  })
}

/** Deleted items are shown by their id. */
export function useCategoryNames(ids: readonly string[]): (id: string) => string {
  const storeId = useStore()?.id
  const idList = [...ids].toSorted().join(',')
  const named = useQuery({
    queryKey: ['flow-categories', storeId, 'named', idList],
    queryFn: ({ signal }) => call(searchCategories, { query: { ids: idList }, signal }),
    enabled: idList !== '',
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
  })
  return (id) => named.data?.categories.find((category) => category.id === id)?.name ?? `Category ${id}`
}

const buildProductQuery = (storeId: string | undefined, id: string) =>
  queryOptions({
    queryKey: ['products', storeId, id],
    queryFn: async ({ signal }) => (await call(findProducts, { query: { search: id }, signal })).products,
    staleTime: MINUTE_MS,
  })

export function useProductNames(ids: readonly string[]): (id: string) => string {
  const storeId = useStore()?.id
  const found = useQueries({ queries: [...new Set(ids)].map((id) => buildProductQuery(storeId, id)) })
  const products = found.flatMap(({ data }) => data ?? [])
  return (id) => products.find((product) => product.id === id)?.name ?? `Product ${id}`
}

/** All names these conditions need. */
export function useConditionNames(all: readonly (FlowConditions | null)[], currency: string): ConditionNames {
  const conditions = all.flatMap((each) => each?.groups.flatMap((group) => group.conditions) ?? [])
  const product = useProductNames(conditions.flatMap((each) => (each.fact === 'product' ? each.productIds : [])))
  const category = useCategoryNames(conditions.flatMap((each) => (each.fact === 'category' ? each.categoryIds : [])))
  return {
    money: (amount) => formatMoney(amount, currency),
    product,
    category,
    country: getCountryName,
  }
}
