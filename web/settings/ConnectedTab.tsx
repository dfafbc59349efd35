import type { ReactNode } from 'react'
import type { StoreView } from '../../shared/stores.ts'
import { useConnection } from '../access/queries.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { NotConnected } from './NotConnected.tsx'

/** A tab about the connected store: loads it, shows errors, or explains how to connect one. */
export function ConnectedTab({ children }: { children: (store: StoreView) => ReactNode }) {
  const connection = useConnection()
  if (!connection) return <NotConnected />
  if (connection.isPending) return <LoadingCards count={2} rows={6} />
  if (connection.error && !connection.data) {
    return (
      <Failed
        title="The store settings could not be loaded"
        error={connection.error}
        onRetry={() => connection.refetch()}
      />
    )
  }
  const store = connection.data?.store
  return store ? children(store) : <NotConnected />
}
