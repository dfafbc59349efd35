import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { ListAddress, Order } from './listQuery.ts'

/** Keeps a list's filters, order and page in the address, so it can be linked, reloaded and Back works. */
export function useListQuery<Query extends { sort: Sort; order: Order }, Sort extends string>(
  address: ListAddress<Query, Sort>,
) {
  const [search, setSearch] = useSearchParams()
  /** Includes changes not rendered yet, so a quick second change keeps the first. */
  const latest = useRef(search)
  useEffect(() => {
    latest.current = search
  }, [search])
  const go = (next: URLSearchParams, options?: { replace: boolean }) => {
    latest.current = next
    setSearch(next, { preventScrollReset: true, ...options })
  }
  const change = (next: Partial<Query>) => go(address.write(address.read(latest.current), next, latest.current))
  /** Other state in the address, such as an open row; it survives a reload. */
  const put = (key: string, value: string | null) => {
    const next = new URLSearchParams(latest.current)
    if (value) next.set(key, value)
    else next.delete(key)
    go(next, { replace: value === null })
  }
  return {
    query: address.read(search),
    change,
    put,
    sort: (column: Sort) => change(address.sortBy(address.read(latest.current), column) as Partial<Query>),
    param: (key: string) => search.get(key),
  }
}

/** Whether a table fits; otherwise rows are shown as cards. */
export const useIsWide = () => useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
