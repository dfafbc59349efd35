import { Button } from '@mantine/core'
import { IconBuildingStore } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useMe } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Empty } from '../ui/Empty.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { linkedStore, STORE } from './linked-store.ts'
import { useSwitchStore } from './queries.ts'

interface Props {
  /** The store that is open; undefined: not known yet. */
  currentId: string | undefined
  /** What the link is about: `This notification`. */
  what: string
  /** What is offered instead: `Show the notifications of this store`. */
  instead: string
  /** Names in the address that belong to the link. */
  belongs?: readonly string[]
  children: ReactNode
}

/** A link in a mail names the store it is about: that one is opened before anything is read. */
export function LinkedStore({ currentId, what, instead, belongs = [], children }: Props) {
  const [search, setSearch] = useSearchParams()
  const named = search.get(STORE)
  const state = linkedStore(named, currentId, useMe()?.stores)
  const { error, mutate } = useSwitchStore()
  const asked = useRef<string | null>(null)
  useEffect(() => {
    // Once it is open, the address no longer decides: the store may be switched in the header.
    if (named && state === 'open') setSearch((now) => without(now, STORE), { replace: true })
    if (!named || state !== 'other' || asked.current === named) return
    asked.current = named
    mutate(named, { onSuccess: ({ store }) => announce(`Now showing ${store.name}`) })
  }, [named, state, mutate, setSearch])
  if (state === 'open') return children
  if (state !== 'unknown' && !error) return <LoadingCards count={1} rows={6} />
  const stay = () => setSearch((now) => without(now, STORE, ...belongs), { replace: true })
  return (
    <Empty
      icon={IconBuildingStore}
      title={`${what} cannot be shown`}
      text={error?.message ?? 'It is about a store that is not one of your account’s stores.'}
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
