import { Button } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useSwitchStore } from '../../core/access/current-store.ts'
import { useMe } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'

interface Props {
  /** The current store; undefined while unknown. */
  currentId: string | undefined
  /** Subject of the link: `This notification`. */
  what: string
  /** Label of the alternative: `Show the notifications of this store`. */
  instead: string
  /** Query parameters that belong to the link. */
  belongs?: readonly string[]
  children: ReactNode
}

/** Opens the store that a mail's link names before showing the content. */
export function LinkedStore({ currentId, what, instead, belongs = [], children }: Props) {
  const [search, setSearch] = useSearchParams()
  const named = search.get(STORE)
  const state = findLinkedStore(named, currentId, useMe()?.stores)
  const { error, mutate } = useSwitchStore()
  const requestedId = useRef<string | null>(null)
  useEffect(() => {
    // From then on ignore the address, because the header can switch stores.
    if (named && state === 'open') setSearch((now) => without(now, STORE), { replace: true })
    if (!named || state !== 'other' || requestedId.current === named) return
    requestedId.current = named
    mutate(named, { onSuccess: ({ store }) => announce(`Now showing ${store.name}`) })
  }, [named, state, mutate, setSearch])
  if (state === 'open') return children
  if (state !== 'unknown' && !error) return <LoadingCards count={1} rows={6} />
  const stay = () => setSearch((now) => without(now, STORE, ...belongs), { replace: true })
  return (
    <Empty
      icon={IconBuildingStore}
      title={`${what} cannot be shown`}
      text={error?.message ?? 'The link is for a store that is not in your account.'}
    >
      <Button variant="default" size="sm" onClick={stay}>
        {instead}
      </Button>
    </Empty>
  )
}

function without(search: URLSearchParams, ...names: string[]): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of names) next.delete(name)
  return next
}

// The store that a mail's link names. Pure.

/** Query parameter. */
const STORE = 'storeId'

/** `unknown`: not one of the account's stores. `waiting`: the stores or the current one are not loaded yet. */
export function findLinkedStore(
  named: string | null,
  currentId: string | undefined,
  stores: readonly { id: string }[] | undefined,
): 'open' | 'other' | 'unknown' | 'waiting' {
  if (!named || named === currentId) return 'open'
  if (!stores || currentId === undefined) return 'waiting'
  return stores.some(({ id }) => id === named) ? 'other' : 'unknown'
}
