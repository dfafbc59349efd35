import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { ListAddress, Order } from './listQuery.ts'

/** A list's filter, order and page stand in the address: they can be linked, reloaded and gone back to. */
export function useListQuery<Query extends { sort: Sort; order: Order }, Sort extends string>(
  address: ListAddress<Query, Sort>,
) {
  const [search, setSearch] = useSearchParams()
  /** With the changes that are not on the screen yet: a quick second one keeps the first. */
  const latest = useRef(search)
  useEffect(() => {
    latest.current = search
  }, [search])
  const go = (next: URLSearchParams, options?: { replace: boolean }) => {
    latest.current = next
    setSearch(next, { preventScrollReset: true, ...options })
  }
  const change = (next: Partial<Query>) => go(address.write(address.read(latest.current), next, latest.current))
  /** What else stands in the address, such as an open row: it survives a reload. */
  const put = (key: string, value: string | null) => {
    const next = new URLSearchParams(latest.current)
    if (value) next.set(key, value)
    else next.delete(key)
    go(next, { replace: value === null })
  }
  return {
    ...{ query: address.read(search), change, put },
    sort: (column: Sort) => change(address.turn(address.read(latest.current), column) as Partial<Query>),
    param: (key: string) => search.get(key),
  }
}

/** Whether a table fits; else its rows are shown as cards. */
export const useIsWide = () => useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
