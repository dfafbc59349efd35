import { useMediaQuery } from '@mantine/hooks'
import { useSearchParams } from 'react-router'
import type { ListAddress, Order } from './listQuery.ts'

/** A list's filter, order and page stand in the address: they can be linked, reloaded and gone back to. */
export function useListQuery<Query extends { sort: Sort; order: Order }, Sort extends string>(
  address: ListAddress<Query, Sort>,
) {
  const [search, setSearch] = useSearchParams()
  const query = address.read(search)
  const change = (next: Partial<Query>) =>
    setSearch((now) => address.write(query, next, now), { preventScrollReset: true })
  /** What else stands in the address, such as an open row: it survives a reload. */
  const put = (key: string, value: string | null) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (value) next.set(key, value)
        else next.delete(key)
        return next
      },
      { preventScrollReset: true, replace: value === null },
    )
  return {
    ...{ query, change, put },
    sort: (column: Sort) => change(address.turn(query, column) as Partial<Query>),
    param: (key: string) => search.get(key),
  }
}

/** Whether a table fits; else its rows are shown as cards. */
export const useIsWide = () => useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
