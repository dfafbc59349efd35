import type { ReactNode } from 'react'
import { Failed } from './Failed.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown }
  /** In the shape of what comes. */
  loading: ReactNode
  /** What could not be loaded, as a sentence. */
  failed: string
  /** What is told of the failure; by itself its own words. */
  wordsOf?: (error: Error) => string
  /** Of what stands around the failure. */
  className?: string
  children: (data: Data) => ReactNode
}

/** Loading, then failed or what was asked for. What is there stays, also when asking again fails. */
export function Loaded<Data>({ query, loading, failed, wordsOf, className, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.error) return loading
  const error = wordsOf ? new Error(wordsOf(query.error)) : query.error
  const shown = <Failed title={failed} error={error} onRetry={() => query.refetch()} />
  return className ? <div className={className}>{shown}</div> : shown
}
